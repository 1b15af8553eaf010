// SPDX-License-Identifier: BSD-3-Clause
//
// Binary permutations: orders in which the leaves of a binary tree can be visited, subtree by
// subtree. Output-driven schedules follow them. Sahay 1993, section 4.2.
#pragma once

#include <vector>

#include "kallima/index.hpp"

namespace kallima::butterfly {

/// Of 0, 1, ..., size - 1.
using Permutation = std::vector<Index>;

/// Definition 4.1: for each node of the tree, all leaves of one subtree come before those of the
/// other. The size is a power of two.
bool is_binary(const Permutation& permutation);

Permutation identity_permutation(Index size);

/// sigma of section 4.2.1, complement(proc) XOR j: the order in which a processor serves all of P,
/// itself last. At each j every processor has another target.
Permutation xor_order(Index proc, Index procs);

/// Proposition 4.1: the binary permutation that visits blocks of `length` in an order, and each
/// from its beginning.
Permutation in_blocks(const Permutation& order, Index length);

/// The binary permutations of a size, 2^(size - 1) of them: the bits of `which`, one for each inner
/// node of the tree, say which subtree comes first. Sizes to 32.
Permutation binary_permutation(Index size, std::uint64_t which);

}  // namespace kallima::butterfly

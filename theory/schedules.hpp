// SPDX-License-Identifier: BSD-3-Clause
//
// The butterfly of n inputs on P processors, as programs. Sahay 1993, "Hiding communication costs
// in bandwidth-limited parallel FFT computation".
//
// Node (r, c) has the inputs (r, c - 1) and (r', c - 1), where r' differs from r in the c-th most
// significant bit. Phase I is columns 1 to log m, with rows distributed cyclically, m = n/P; Phase
// II the others, with rows in blocks. In between each output of Phase I that another processor
// wants is a message. A node takes one unit of time, a message carries one value and counts a byte.
#pragma once

#include <functional>

#include "theory/permutation.hpp"
#include "theory/program.hpp"

namespace kallima::butterfly {

/// n and P, powers of two with 2 <= P and P^2 <= n; InvalidOption otherwise.
struct Size {
  Index inputs = 4;
  Index procs = 2;

  [[nodiscard]] Index m() const { return inputs / procs; }
  [[nodiscard]] Index l() const { return m() / procs; }
};

/// In which order Phase II combines what came from the P processors.
enum class PhaseTwo {
  most_significant_first,  ///< of the bits of their numbers, as in the paper
  least_significant_first  ///< the other order of Cooley and Tukey; as many nodes and messages
};

/// The permutation of 0, ..., m - 1 in which a processor computes its outputs of Phase I.
using OutputOrder = std::function<Permutation(Index proc)>;

/// In which order a processor sends what it has for the others: a permutation of all processors.
using TargetOrder = std::function<Permutation(Index proc)>;

/// i + 1, i + 2, ..., modulo P, section 3.2.
TargetOrder shifted_targets(Index procs);
/// 0, 1, ... for every processor: the bad one of section 3.2.
TargetOrder same_targets(Index procs);

/// pi of section 4.2.1: blocks by xor_order, each from its beginning.
OutputOrder xor_outputs(const Size& size);
/// 0, 1, ... for every processor: the asymmetric one of section 4.2.1.
OutputOrder same_outputs(const Size& size);

/// Section 3: Phase I column by column; then all messages; then, when all have come, Phase II.
Program column_schedule(const Size& size, const TargetOrder& targets);

/// Sections 4 and 5: Phase I by outputs, of which each is sent at once; Phase II by inputs, with
/// whatever has come.
Program output_driven_schedule(const Size& size, const OutputOrder& outputs, PhaseTwo phase_two);

/// Where rows are, in all columns.
enum class Allocation { cyclic, blocked };

/// All columns in one allocation, column by column; values leave when they are computed. log P
/// columns need as many messages as there are rows: section 3.2, for contrast.
Program one_allocation_schedule(const Size& size, Allocation allocation);

}  // namespace kallima::butterfly

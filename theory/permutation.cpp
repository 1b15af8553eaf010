// SPDX-License-Identifier: BSD-3-Clause
#include "theory/permutation.hpp"

#include <numeric>
#include <span>

#include "theory/powers_of_two.hpp"

namespace kallima::butterfly {

namespace {

/// True where the leaves [base, base + size) are visited subtree by subtree.
bool visits(std::span<const Index> leaves, Index base) {
  const auto size = static_cast<Index>(leaves.size());
  if (size == 1) return leaves[0] == base;
  const Index half = size / 2;
  const bool right_first = leaves[0] - base >= half;
  const auto middle = static_cast<std::size_t>(half);
  return visits(leaves.first(middle), right_first ? base + half : base) &&
         visits(leaves.last(middle), right_first ? base : base + half);
}

void visit(Permutation& leaves, Index base, Index size, std::uint64_t& which) {
  if (size == 1) return leaves.push_back(base);
  const Index half = size / 2;
  const bool right_first = which % 2 == 1;
  which /= 2;
  visit(leaves, right_first ? base + half : base, half, which);
  visit(leaves, right_first ? base : base + half, half, which);
}

}  // namespace

bool is_binary(const Permutation& permutation) {
  models::exact_log2(static_cast<Index>(permutation.size()), "the size of a permutation");
  return visits(permutation, 0);
}

Permutation identity_permutation(Index size) {
  Permutation result(static_cast<std::size_t>(size));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

Permutation xor_order(Index proc, Index procs) {
  models::exact_log2(procs, "procs");
  Permutation result = identity_permutation(procs);
  for (Index& entry : result) entry ^= procs - 1 - proc;
  return result;
}

Permutation in_blocks(const Permutation& order, Index length) {
  Permutation result;
  for (const Index block : order) {
    for (Index i = 0; i < length; ++i) result.push_back(block * length + i);
  }
  return result;
}

Permutation binary_permutation(Index size, std::uint64_t which) {
  models::exact_log2(size, "the size of a permutation");
  Permutation result;
  visit(result, 0, size, which);
  return result;
}

}  // namespace kallima::butterfly

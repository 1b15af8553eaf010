// SPDX-License-Identifier: BSD-3-Clause
#include "fftw3_mpi/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "kallima/error.hpp"

namespace kallima::fftw3_mpi {
namespace {

Index quotient_up(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace

Index equal_block(Index n, Index procs) { return quotient_up(n, procs); }

Blocks Blocks::of(Index n, Index block, Index procs) {
  if (n < 1 || block < 0) {
    throw InvalidLayout("an axis of " + std::to_string(n) + " in blocks of " +
                        std::to_string(block) + ": both must be positive");
  }
  if (block == default_block) block = equal_block(n, procs);
  if (quotient_up(n, block) > procs) {
    throw InvalidLayout(std::to_string(procs) + " blocks of " + std::to_string(block) +
                        " do not hold an axis of " + std::to_string(n) + "; at least " +
                        std::to_string(equal_block(n, procs)) + " a block do");
  }
  return {n, block};
}

Index Blocks::size(Index rank) const { return std::clamp<Index>(n - start(rank), 0, block); }

Layout in_blocks(const Shape& shape, std::size_t axis, Index block, Index procs,
                 std::vector<int> order) {
  const Blocks blocks = Blocks::of(shape.at(axis), block, procs);
  // Ranks behind the last block hold nothing, so the grid need not have them.
  const Index used = quotient_up(blocks.n, blocks.block);
  if (quotient_up(blocks.n, used) == blocks.block) {
    return Layout::slab(shape, used, axis, Rule::ceil).with_order(std::move(order));
  }
  std::vector<Box> boxes;
  for (Index rank = 0; rank < used; ++rank) {
    Box box{std::vector<Index>(shape.size(), 0), shape};
    box.low[axis] = blocks.start(rank);
    box.high[axis] = blocks.start(rank) + blocks.size(rank);
    boxes.push_back(std::move(box));
  }
  return Layout::boxes(shape, std::move(boxes), std::move(order));
}

std::vector<int> transposed_order(std::size_t axes) {
  std::vector<int> order(axes);
  std::iota(order.begin(), order.end(), 0);
  if (axes > 1) std::swap(order[0], order[1]);
  return order;
}

}  // namespace kallima::fftw3_mpi

// SPDX-License-Identifier: BSD-3-Clause
//
// How many processors each axis of a grid gets.
//
// Prime factors of the rank count go, largest first, each to the axis that is then longest per
// processor and can take it. A rank count with a factor too large for every axis would waste most
// ranks, so counts a little below are tried too. Trying all grids was rejected: at a million ranks
// that is slow, and for boxes near a cube it finds the same.
#include <algorithm>

#include "planner/decompositions.hpp"

#include "base/checked.hpp"

namespace kallima {

namespace {

std::vector<Index> factors_descending(Index number) {
  std::vector<Index> factors;
  for (Index f = 2; f * f <= number; ++f) {
    while (number % f == 0) {
      factors.push_back(f);
      number /= f;
    }
  }
  if (number > 1) factors.push_back(number);
  std::sort(factors.rbegin(), factors.rend());
  return factors;
}

std::vector<Index> exact_grid(const Shape& shape, const std::vector<std::size_t>& cut,
                              Index ranks) {
  std::vector<Index> procs(shape.size(), 1);
  for (const Index factor : factors_descending(ranks)) {
    std::size_t best = shape.size();
    for (const std::size_t a : cut) {
      if (procs[a] * factor > shape[a]) continue;
      // Divisible first, then the longest per processor.
      const auto worth = [&](std::size_t b) {
        return std::pair(shape[b] % (procs[b] * factor) == 0, shape[b] / procs[b]);
      };
      if (best == shape.size() || worth(a) > worth(best)) best = a;
    }
    if (best < shape.size()) procs[best] *= factor;
  }
  return procs;
}

Index largest_local(const Shape& shape, const std::vector<Index>& procs) {
  Index size = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) size *= ceil_div(shape[a], procs[a]);
  return size;
}

}  // namespace

std::vector<Index> process_grid(const Shape& shape, const std::vector<std::size_t>& cut,
                                Index ranks) {
  constexpr Index tries = 64;
  std::vector<Index> best;
  for (Index count = ranks; count >= std::max<Index>(1, ranks - tries); --count) {
    std::vector<Index> procs = exact_grid(shape, cut, count);
    if (best.empty() || largest_local(shape, procs) < largest_local(shape, best)) {
      best = std::move(procs);
    }
    if (largest_local(shape, best) <= ceil_div(volume(shape), ranks)) break;
  }
  return best;
}

}  // namespace kallima

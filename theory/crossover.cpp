// SPDX-License-Identifier: BSD-3-Clause
#include "theory/crossover.hpp"

#include <cmath>
#include <limits>

namespace kallima::models {

Sides crossover_sides(const FlatExchange& exchange, double procs) {
  return {.left = exchange.element_bytes * exchange.elements / (procs * procs),
          .right = exchange.alpha * exchange.bandwidth * (1 - 2 / std::sqrt(procs))};
}

// The left side falls with P and the right one rises, from 0 at P = 4, so halving finds the one
// crossing. In logarithms, as it may lie anywhere.
double crossover_procs(const FlatExchange& exchange) {
  if (exchange.alpha * exchange.bandwidth <= 0) return std::numeric_limits<double>::infinity();
  const auto before = [&](double log_procs) {
    const Sides sides = crossover_sides(exchange, std::exp2(log_procs));
    return sides.left > sides.right;
  };
  double low = 2;
  double high = 3;
  while (before(high)) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (before(middle) ? low : high) = middle;
  }
  return std::exp2(low);
}

}  // namespace kallima::models

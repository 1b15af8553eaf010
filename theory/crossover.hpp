// SPDX-License-Identifier: BSD-3-Clause
//
// One exchange among all ranks, or two among the rows and the columns of a square grid, as pencils
// need? On a flat network, each rank sending directly (Solomonik 2015: alpha P + beta s), the one
// costs P alpha + s/B and the two 2 sqrt(P) alpha + 2 s/B, with s = b N/P bytes per rank. So the
// one is shorter while
//
//     b N / P^2 > alpha B (1 - 2/sqrt(P)).
#pragma once

#include "theory/formula_version.hpp"

namespace kallima::models {

struct FlatExchange {
  double elements = 1;        ///< N, of the whole array
  double element_bytes = 16;  ///< b
  double alpha = 0;           ///< seconds per message
  double bandwidth = 1;       ///< B, bytes per second of a rank
};

/// Both sides of the inequality; one exchange is shorter while left > right.
Sides crossover_sides(const FlatExchange& exchange, double procs);

/// The P where both are equal: below it one exchange among all is shorter, above it two. Above 4
/// always; infinite where messages cost no start-up time.
double crossover_procs(const FlatExchange& exchange);

}  // namespace kallima::models

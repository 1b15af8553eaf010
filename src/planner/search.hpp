// SPDX-License-Identifier: BSD-3-Clause
//
// Paths from where the data is to where it is wanted, over the layouts that the decompositions
// propose.
#pragma once

#include <vector>

#include "planner/decompositions.hpp"

namespace kallima {

/// Where a path comes by, and how.
struct Stop {
  Standing at;
  bool by_cyclic_steps = false;
};

using Path = std::vector<Stop>;

/// Paths whose stops are balanced within a class (largest local array in units of an even share,
/// powers of two; `limit` is the exponent), those whose exchanges are cheapest on the machine
/// first: with the fewest exchanges or one more, at most 24. Exchanges are priced by a sample of
/// ranks, so that a path costs the same to find on two ranks and on a million. Empty where there is
/// none.
std::vector<Path> find_paths(const PlanRequest& request, const Machine& machine,
                             ExchangeMethod method, int limit);

/// True where a request allows a decomposition.
inline bool open_to(const PlanRequest& request, Decomposition decomposition) {
  return request.decomposition == Decomposition::any || request.decomposition == decomposition;
}

/// A layout with other extents: standings have the r2c axis done before it is exchanged.
Layout with_shape(Layout layout, const Shape& shape);

}  // namespace kallima

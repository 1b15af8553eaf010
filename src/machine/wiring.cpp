// SPDX-License-Identifier: BSD-3-Clause
#include "machine/wiring.hpp"

#include "base/checked.hpp"
#include "machine/figures.hpp"

#include <algorithm>
#include <cmath>

namespace kallima {

Index divisor_from(Index n, double least) {
  for (Index d = std::max<Index>(1, static_cast<Index>(std::ceil(least - 1e-9))); d < n; ++d) {
    if (n % d == 0) return d;
  }
  return n;
}

Index leaf_nodes(Index nodes) { return divisor_from(nodes, std::sqrt(static_cast<double>(nodes))); }

std::vector<Index> torus_sides(Index nodes, Index dimensions) {
  std::vector<Index> sides;
  for (Index left = dimensions; left > 1; --left) {
    // The largest divisor that is not above the root leaves the more even rest.
    auto side = static_cast<Index>(
        std::floor(std::pow(static_cast<double>(nodes), 1. / static_cast<double>(left)) + 1e-9));
    while (nodes % side != 0) --side;
    sides.push_back(side);
    nodes /= side;
  }
  sides.push_back(nodes);
  std::sort(sides.begin(), sides.end());
  return sides;
}

Index groups_of(const Topology& topology, Index nodes) {
  if (topology.nodes <= nodes) return topology.groups;
  return ceil_div(nodes * topology.groups, topology.nodes);
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/axis.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace kallima {

Index Axis::group_begin(Index g) const {
  if (rule == Rule::ceil) {
    const Index block = ceil_div(n, groups());
    return g >= ceil_div(n, block) ? n : g * block;
  }
  return g * (n / groups()) + std::min(g, n % groups());
}

Index Axis::group_of(Index j) const {
  if (rule == Rule::ceil) return j / ceil_div(n, groups());
  const Index size = n / groups();
  const Index larger = n % groups();
  const Index in_larger = larger * (size + 1);
  return j < in_larger ? j / (size + 1) : larger + (j - in_larger) / size;
}

Index Axis::owner(Index j) const {
  const Index g = group_of(j);
  return g * cycle + (j - group_begin(g)) % cycle;
}

Index Axis::local(Index j) const { return (j - group_begin(group_of(j))) / cycle; }

/// Planners ask for this more often than for anything else, and divisions are what it costs.
Progression Axis::local_indices(Index coord) const {
  if (procs == 1) return Progression::make(0, 1, n);
  if (cycle == 1 && rule == Rule::balanced) {
    const Index size = n / procs;
    const Index larger = n - size * procs;
    return Progression::make(coord * size + std::min(coord, larger), 1,
                             coord < larger ? size + 1 : size);
  }
  const Index g = coord / cycle;
  const Index first = group_begin(g) + coord % cycle;
  const Index end = group_begin(g + 1);
  return Progression::make(first, cycle, first < end ? ceil_div(end - first, cycle) : 0);
}

bool same_distribution(const Axis& a, const Axis& b) {
  if (a.n != b.n || a.procs != b.procs) return false;
  if (a.cycle == b.cycle && (a.rule == b.rule || a.n % a.groups() == 0)) return true;
  for (Index coord = 0; coord < a.procs; ++coord) {
    if (a.local_indices(coord) != b.local_indices(coord)) return false;
  }
  return true;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Slabs: one axis over all ranks. One exchange transforms everything, and every rank talks to every
// other in it. Beyond as many ranks as the axis is long, ranks are idle.
#include <algorithm>

#include "planner/ways.hpp"

namespace kallima {

namespace {

Layout slab_along(const PlanRequest& request, std::size_t axis, const std::vector<int>& order) {
  const Index procs = std::min(request.ranks, request.problem.shape[axis]);
  return Layout::slab(request.problem.shape, procs, axis).with_order(order);
}

}  // namespace

void propose_slab_starts(const PlanRequest& request, Proposals& starts) {
  const Shape& shape = request.problem.shape;
  std::size_t first = 0;  // of the axes that can be cut
  while (first + 1 < shape.size() && shape[first] == 1) ++first;
  if (shape.size() > 1) starts.push_back(slab_along(request, first, {}));
}

void propose_slabs(const PlanRequest& request, const Standing& from, Proposals& next) {
  const std::size_t axes = request.problem.shape.size();
  if (axes == 1) return;
  for (std::size_t a = 0; a < axes; ++a) {
    next.push_back(slab_along(request, a, from.layout.order()));
  }
}

}  // namespace kallima

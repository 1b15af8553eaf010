// SPDX-License-Identifier: BSD-3-Clause
//
// Slabs: one axis over all ranks. One exchange transforms everything, and every rank talks to every
// other in it. Beyond as many ranks as the axis is long, ranks are idle.
#include <algorithm>

#include "planner/decompositions.hpp"

namespace kallima {

namespace {

Layout slab_along(const PlanRequest& request, const Shape& shape, std::size_t axis,
                  const std::vector<int>& order) {
  const Index procs = std::min(request.ranks, shape[axis]);
  return Layout::slab(shape, procs, axis).with_order(order);
}

}  // namespace

void propose_slab_starts(const PlanRequest& request, Proposals& starts) {
  const Shape& shape = request.problem.shape;
  const auto unfit = [&](std::size_t a) {
    return shape[a] == 1 || (request.problem.real() && a == request.problem.r2c_axis_index());
  };
  std::size_t first = 0;  // of the axes that can be cut
  while (first + 1 < shape.size() && unfit(first)) ++first;
  if (unfit(first)) first = 0;
  if (shape.size() > 1) starts.push_back(slab_along(request, shape, first, {}));
}

void propose_slabs(const PlanRequest& request, const Standing& from, Proposals& next) {
  const Shape& shape = from.layout.shape();
  if (shape.size() == 1) return;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    next.push_back(slab_along(request, shape, a, from.layout.order()));
  }
}

}  // namespace kallima

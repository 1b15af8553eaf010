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
  const Problem& problem = request.problem;
  const Shape& shape = problem.shape;
  if (shape.size() == 1) return;
  std::vector<std::size_t> fit;  // that can be cut, the best first
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const AxisKind kind = problem.axis_kind(a);
    if (shape[a] > 1 && kind != AxisKind::batch && kind != AxisKind::real) fit.push_back(a);
  }
  if (fit.empty()) {
    // An r2c axis beside a batch, or nothing that is worth to be cut.
    std::size_t first = 0;
    while (first + 1 < shape.size() && problem.axis_kind(first) == AxisKind::batch) ++first;
    fit.push_back(first);
  }
  for (std::size_t i = 0; i < fit.size(); ++i) {
    // Along an axis that nothing is done along, slabs are transformed without any exchange.
    if (i > 0 && problem.axis_kind(fit[i]) != AxisKind::none) continue;
    starts.push_back(slab_along(request, shape, fit[i], {}));
  }
}

void propose_slabs(const PlanRequest& request, const Standing& from, Proposals& next) {
  const Shape& shape = from.layout.shape();
  if (shape.size() == 1) return;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    next.push_back(slab_along(request, shape, a, from.layout.order()));
  }
}

}  // namespace kallima

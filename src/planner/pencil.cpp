// SPDX-License-Identifier: BSD-3-Clause
//
// Pencils: a grid of ranks over several axes. Every exchange stays in the rows or columns of the
// grid, and more ranks than the longest axis has planes can work; the price is one exchange more.
#include <algorithm>
#include <numeric>

#include "planner/decompositions.hpp"

namespace kallima {

namespace {

/// A grid over two of these axes beside `whole`, over more where two are too short for the ranks.
Layout fresh_pencil(const PlanRequest& request, const Shape& shape, std::size_t whole,
                    const std::vector<std::size_t>& axes, const std::vector<int>& order) {
  std::vector<std::size_t> others;
  for (const std::size_t a : axes) {
    if (a != whole && shape[a] > 1) others.push_back(a);
  }
  std::vector<std::size_t> cut;
  Index capacity = 1;
  for (const std::size_t a : others) {
    if (cut.size() >= 2 && capacity >= request.ranks) break;
    cut.push_back(a);
    capacity = std::min(request.ranks, capacity) * std::min(request.ranks, shape[a]);
  }
  return Layout::block(shape, process_grid(shape, cut, request.ranks)).with_order(order);
}

/// `taker` gets the processors of `giver`, which becomes whole. Where the taker has processors of
/// its own, next to the giver's in rank order, it gets the product.
bool hand_over(std::vector<Axis>& axes, std::size_t giver, std::size_t taker) {
  Axis& from = axes[giver];
  Axis& to = axes[taker];
  if (to.procs == 1) {
    to.procs = from.procs;
    to.rank_stride = from.rank_stride;
  } else if (to.rank_stride == from.rank_stride * from.procs && to.cycle == 1) {
    to.procs *= from.procs;
    to.rank_stride = from.rank_stride;
  } else {
    return false;
  }
  to.cycle = 1;
  to.rule = Rule::balanced;
  from = Axis{from.n, 1, 1, 1, Rule::balanced};
  return true;
}

}  // namespace

void propose_pencil_starts(const PlanRequest& request, Proposals& starts) {
  const Problem& problem = request.problem;
  const Shape& shape = problem.shape;
  std::size_t last = shape.size() - 1;  // of the axes that there is something to transform along
  while (last > 0 && problem.idle(last)) --last;
  if (problem.real()) last = problem.r2c_axis_index();
  if (shape.size() == 1) return;
  std::vector<std::size_t> axes;  // that may be distributed
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (problem.axis_kind(a) != AxisKind::batch) axes.push_back(a);
  }
  starts.push_back(fresh_pencil(request, shape, last, axes, {}));
  // Every other grid over the two slowest axes: rows of a grid may fit a node, or be cheap.
  std::vector<std::size_t> cut;
  for (const std::size_t a : axes) {
    if (a != last && shape[a] > 1 && cut.size() < 2) cut.push_back(a);
  }
  if (cut.size() < 2) return;
  for (Index rows = 2; rows <= std::min(request.ranks / 2, shape[cut[0]]); ++rows) {
    if (request.ranks % rows != 0 || request.ranks / rows > shape[cut[1]]) continue;
    std::vector<Index> procs(shape.size(), 1);
    procs[cut[0]] = rows;
    procs[cut[1]] = request.ranks / rows;
    Layout start = Layout::block(shape, procs);
    if (std::find(starts.begin(), starts.end(), start) == starts.end()) {
      starts.push_back(std::move(start));
    }
  }
}

void propose_pencils(const PlanRequest& request, const Standing& from, Proposals& next) {
  const std::vector<bool> finished = finished_axes(request, from);
  const Layout& layout = from.layout;
  if (layout.axes() == 1) return;
  std::vector<std::size_t> axes(layout.axes());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    if (finished[a] || layout.whole(a)) continue;
    for (std::size_t b = 0; b < layout.axes() && layout.is_grid(); ++b) {
      if (b == a || layout.shape()[b] == 1) continue;
      std::vector<Axis> swapped;
      for (std::size_t i = 0; i < layout.axes(); ++i) swapped.push_back(layout.axis(i));
      if (hand_over(swapped, a, b)) next.push_back(Layout::grid(swapped, layout.order()));
    }
    next.push_back(fresh_pencil(request, layout.shape(), a, axes, layout.order()));
  }
}

}  // namespace kallima

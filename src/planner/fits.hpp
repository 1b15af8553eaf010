// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// A layout of reals with rows as long as their frequencies, 2 (n/2 + 1), as FFTW has them: padding
/// where rows are contiguous, a margin where something is interleaved with them.
inline Layout with_padded_rows(const Layout& layout, const Problem& problem) {
  const std::size_t axis = problem.r2c_axis_index();
  const Index n = problem.shape[axis];
  const Index more = 2 * half_extent(n) - n;
  if (layout.order().back() == static_cast<int>(axis)) return layout.with_padding(more);
  std::vector<Margin> margins(layout.axes());
  margins[axis].above = more;
  return layout.with_margins(std::move(margins));
}

/// True where a plan that was not made for this request answers it: a forward one of the same
/// problem on as many ranks, between the layouts that are asked for. Its method may be another.
inline bool fits(const Plan& plan, const PlanRequest& request) {
  if (plan.problem() != request.problem || plan.ranks() != request.ranks ||
      plan.direction() != Direction::forward) {
    return false;
  }
  const auto rows = [&](const Layout& tight) {
    return request.padded ? with_padded_rows(tight, request.problem) : tight;
  };
  const Layout& in = plan.input();
  const bool reads = request.in       ? rows(*request.in) == in
                     : request.padded ? rows(in.dense()) == in
                                      : !in.has_margins();
  return reads && (request.out ? *request.out == plan.output() : !plan.output().has_margins());
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kallima/planner.hpp"
#include "steps/tile.hpp"

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

/// True where this build of the library has the engines of all sweeps.
inline bool has_engines(const Plan& plan) {
  if (plan.problem().of_words()) return true;
  return std::all_of(plan.steps().begin(), plan.steps().end(), [](const Step& step) {
    const auto* const sweep = std::get_if<Sweep>(&step);
    return sweep == nullptr || !has_kernels(sweep->kernel) || has_engine(sweep->engine);
  });
}

/// True where a plan that was not made for this request answers it: a forward one of the same
/// problem on as many ranks, between the layouts that are asked for, by engines that there are. Its
/// method may be another.
inline bool fits(const Plan& plan, const PlanRequest& request) {
  if (plan.problem() != request.problem || plan.ranks() != request.ranks ||
      plan.direction() != Direction::forward || !has_engines(plan)) {
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

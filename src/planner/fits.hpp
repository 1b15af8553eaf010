// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// Elements behind each row of reals that make it as long as its frequencies, as FFTW has them.
inline Index row_padding(const Problem& problem) {
  const Index n = problem.shape[problem.r2c_axis_index()];
  return 2 * half_extent(n) - n;
}

/// True where a plan that was not made for this request answers it: a forward one of the same
/// problem on as many ranks, between the layouts that are asked for. Its method may be another.
inline bool fits(const Plan& plan, const PlanRequest& request) {
  if (plan.problem() != request.problem || plan.ranks() != request.ranks ||
      plan.direction() != Direction::forward) {
    return false;
  }
  const Index padding = request.padded ? row_padding(request.problem)
                        : request.in   ? request.in->padding()
                                       : plan.input().padding();
  return plan.input().padding() == padding &&
         (request.in ? request.in->with_padding(padding) == plan.input()
                     : !plan.input().has_margins()) &&
         (request.out ? *request.out == plan.output() : !plan.output().has_margins());
}

}  // namespace kallima

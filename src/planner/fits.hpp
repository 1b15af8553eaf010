// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// True where a plan that was not made for this request answers it: a forward one of the same
/// problem on as many ranks, between the layouts that are asked for. Its route may be another.
inline bool fits(const Plan& plan, const PlanRequest& request) {
  return plan.problem() == request.problem && plan.ranks() == request.ranks &&
         plan.direction() == Direction::forward &&
         (!request.in || request.in->with_padding(0) == plan.input().with_padding(0)) &&
         (!request.out || *request.out == plan.output());
}

}  // namespace kallima

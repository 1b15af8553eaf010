// SPDX-License-Identifier: BSD-3-Clause
//
// What tests of plans of all kinds share.
#pragma once

#include <gtest/gtest.h>

#include "kallima/planner.hpp"
#include "plan/flaw.hpp"

namespace kallima::test {

inline PlanRequest request_of(const Problem& problem, Index ranks) {
  PlanRequest request;
  request.problem = problem;
  request.ranks = ranks;
  return request;
}

/// Read back from its text it is the same, and neither it nor its way back has a flaw.
inline void expect_sound(const Plan& plan) {
  EXPECT_EQ(Plan::parse(plan.to_text()), plan) << plan.to_text();
  EXPECT_EQ(Plan::parse(plan.reversed().to_text()), plan.reversed());
  EXPECT_EQ(plan.reversed().reversed(), plan);
  EXPECT_EQ(flaw_of(plan), "") << plan.to_text();
  EXPECT_EQ(flaw_of(plan.reversed()), "");
}

}  // namespace kallima::test

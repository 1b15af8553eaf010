// SPDX-License-Identifier: BSD-3-Clause
#include "planner/fits.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace kallima {
namespace {

PlanRequest asked(const std::string& problem) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = 2;
  return request;
}

/// Whether the plan of one request answers the other.
bool answers(const PlanRequest& made, const PlanRequest& request) {
  return fits(make_plan(made), request);
}

TEST(Fits, what_a_plan_is_of_and_between_which_layouts) {
  const PlanRequest plain = asked("c2c:16x8:f32");
  PlanRequest between = plain;
  between.in = Layout::slab({16, 8}, 2);
  between.out = Layout::slab({16, 8}, 2, 1);
  EXPECT_TRUE(answers(plain, plain));
  EXPECT_TRUE(answers(between, between));
  EXPECT_TRUE(answers(between, plain)) << "any layout";
  const std::vector<std::function<void(PlanRequest&)>> changes = {
      [](PlanRequest& r) { r.problem = Problem::parse("c2c:16x8"); },
      [](PlanRequest& r) { r.problem = Problem::parse("r2c:16x8:f32"); },
      [](PlanRequest& r) { r.problem = Problem::parse("ntt:16x8"); },
      [](PlanRequest& r) { r.problem = Problem::parse("walsh:16x8"); },
      [](PlanRequest& r) { r.problem = Problem::parse("c2c:8x16:f32"); },
      [](PlanRequest& r) { r.ranks = 3; },
      [](PlanRequest& r) {
        r.in = Layout::slab({16, 8}, 2, 1);
      },
      [](PlanRequest& r) {
        r.in = Layout::slab({16, 8}, 2).with_order({1, 0});
      },
      [](PlanRequest& r) {
        r.out = Layout::slab({16, 8}, 2);
      }};
  for (const auto& change : changes) {
    PlanRequest other = between;
    change(other);
    EXPECT_FALSE(answers(between, other)) << &change - changes.data();
  }
  EXPECT_FALSE(fits(make_plan(plain).reversed(), plain));
}

TEST(Fits, rows_are_padded_as_they_are_asked_for) {
  PlanRequest tight = asked("r2c:16x8");
  tight.in = Layout::slab({16, 8}, 2);
  PlanRequest padded = tight;
  padded.padded = true;
  PlanRequest by_hand = tight;
  by_hand.in = tight.in->with_padding(2);
  PlanRequest open = asked("r2c:16x8");
  EXPECT_TRUE(answers(tight, tight));
  EXPECT_TRUE(answers(padded, padded));
  EXPECT_TRUE(answers(padded, by_hand));
  EXPECT_TRUE(answers(by_hand, padded));
  EXPECT_TRUE(answers(padded, open)) << "a plan has its layouts";
  EXPECT_FALSE(answers(padded, tight));
  EXPECT_FALSE(answers(tight, padded));
  open.padded = true;
  EXPECT_FALSE(answers(tight, open));
}

}  // namespace
}  // namespace kallima

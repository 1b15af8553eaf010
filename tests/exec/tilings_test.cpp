// SPDX-License-Identifier: BSD-3-Clause
//
// Transforms between random tilings into boxes, all ranks in one process.
#include <gtest/gtest.h>

#include "kallima/planner.hpp"
#include "plan/flaw.hpp"
#include "support/definition.hpp"
#include "support/random_boxes.hpp"

namespace kallima {
namespace {

using test::Random;

Layout random_layout_of_boxes(Random& random, const Shape& shape, Index ranks) {
  if (random.chance(50)) return Layout::boxes(shape, test::random_boxes(random, shape, ranks));
  return Layout::boxes_of_ranks(
      shape, test::dealt(random, test::random_boxes(random, shape, 2 * ranks), ranks));
}

TEST(Tilings, of_two_and_three_axes_lead_to_each_other_and_to_slabs) {
  Random random(21);
  for (int number = 0; number < 2000; ++number) {
    Problem problem;
    const Index axes = random.between(2, 3);
    for (Index a = 0; a < axes; ++a) {
      problem.shape.push_back(random.between(1, axes == 2 ? 9 : 5));
    }
    if (random.chance(30)) problem.axes.assign(problem.shape.size(), AxisKind::none);  // moves only
    PlanRequest request;
    request.problem = problem;
    request.ranks = random.between(1, 6);
    const Layout boxes = random_layout_of_boxes(random, problem.shape, request.ranks);
    const Layout other = random.chance(50)
                             ? random_layout_of_boxes(random, problem.shape, request.ranks)
                             : Layout::slab(problem.shape, request.ranks);
    const bool begins = random.chance(50);
    request.in = begins ? boxes : other;
    request.out = begins ? other : boxes;
    const Plan plan = make_plan(request);
    ASSERT_EQ(plan.input(), *request.in);
    ASSERT_EQ(plan.output(), *request.out);
    ASSERT_EQ(flaw_of(plan), "") << plan.to_text();
    ASSERT_EQ(Plan::parse(plan.to_text()), plan) << plan.to_text();
    ASSERT_EQ(test::complaint_of(plan), "") << plan.to_text();
  }
}

}  // namespace
}  // namespace kallima

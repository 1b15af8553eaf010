// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that turn, all ranks in one process: there and back is N times what was given.
#include <gtest/gtest.h>

#include "kallima/planner.hpp"
#include "kallima/price.hpp"
#include "plan/flaw.hpp"
#include "support/definition.hpp"

namespace kallima {
namespace {

TEST(Turn, there_and_back_restores_the_input_and_has_a_text) {
  int turned = 0;
  for (const char* const text : {"c2c:12x10x8", "c2c:64", "c2c:48x20", "r2c:12x10x8", "r2c:20",
                                 "r2c:64", "r2c/y:9x7", "r2r/cosine-2:8x9", "r2r/sine-1,x=none:9x7",
                                 "c2c/x=cosine-1:8x9x5", "c2c:6x5*3", "c2c:16x16x1", "r2c:1x12"}) {
    for (Index ranks = 1; ranks <= 6; ++ranks) {
      for (const NamedPlan& named : all_plans([&] {
             PlanRequest request;
             request.problem = Problem::parse(text);
             request.ranks = ranks;
             return request;
           }())) {
        const std::optional<Plan> plan = named.plan.there_and_back();
        if (!plan) continue;
        ++turned;
        ASSERT_EQ(flaw_of(*plan), "") << plan->to_text();
        ASSERT_EQ(Plan::parse(plan->to_text()), *plan) << plan->to_text();
        ASSERT_EQ(plan->input(), plan->output());
        ASSERT_LE(plan->exchanges(), 2 * named.plan.exchanges());
        ASSERT_EQ(test::complaint_of(*plan), "") << plan->to_text();
        const PlanCost cost = price(*plan, built_in_machine());
        ASSERT_EQ(cost.bytes(), plan->total_volume().bytes);
        // A pass less than forward and backward, unless the last sweep shared one; of more memory
        // between them, which makes passes a little dearer.
        const auto* const last = std::get_if<Sweep>(&named.plan.steps().back());
        if (last == nullptr || last->joined) continue;
        ASSERT_LE(cost.total.total(), 2.05 * price(named.plan, built_in_machine()).total.total());
      }
    }
  }
  EXPECT_GE(turned, 150);
}

TEST(Turn, is_refused_where_no_sweep_computes_last) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8");
  request.ranks = 2;
  request.in = request.out = Layout::slab({8, 8}, 2);  // ends with an exchange and a copy
  EXPECT_FALSE(make_plan(request).there_and_back());
  const Plan backward = make_plan(request).reversed();
  EXPECT_FALSE(backward.there_and_back());
}

}  // namespace
}  // namespace kallima

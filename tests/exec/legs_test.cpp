// SPDX-License-Identifier: BSD-3-Clause
//
// What legs read and write where a wrong choice would only cost time: results do not show it.
#include "exec/legs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"

namespace kallima::exec {
namespace {

TEST(Legs, chunks_sweep_what_they_hold_and_together_all_of_it) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:16x12x8");
  request.ranks = 2;
  request.method = ExchangeMethod::point_to_point;
  const std::optional<Plan> plan = pipelined(make_plan(request), built_in_machine(), 4);
  ASSERT_TRUE(plan.has_value());
  int cut_legs = 0;
  for (const LegLayout& leg : lay_out(*plan, schedule(*plan, false), 0)) {
    const std::vector<LegLayout> chunks = chunks_of(leg);
    ASSERT_EQ(chunks.size(), leg.bounds.size());
    if (chunks.empty()) continue;
    ++cut_legs;
    Index swept = 0;
    for (const LegLayout& chunk : chunks) {
      Index held = 0;
      for (const Patch& patch : chunk.sources) {
        Index size = 1;
        for (const Progression& places : patch.places) size *= places.count;
        held += size;
      }
      EXPECT_EQ(volume(chunk.local_shape), held);
      swept += volume(chunk.local_shape);
    }
    EXPECT_EQ(swept, volume(leg.local_shape));
  }
  EXPECT_EQ(cut_legs, 2);
}

/// True where a sweep has some of its sources, or of its targets, in an area and others in windows.
bool mixes(const Plan& plan, bool in_place, Area area, std::vector<Patch> LegLayout::*side) {
  const std::vector<LegLayout> legs = lay_out(plan, schedule(plan, in_place), 0);
  return std::any_of(legs.begin(), legs.end(), [&](const LegLayout& leg) {
    const auto lies_in = [&](bool window) {
      return std::any_of((leg.*side).begin(), (leg.*side).end(), [&](const Patch& patch) {
        return window ? patch.area == Area::window || patch.area == Area::other_window
                      : patch.area == area;
      });
    };
    return lies_in(true) && lies_in(false);
  });
}

TEST(Legs, frequencies_that_keep_their_owner_stay_in_the_users_array) {
  PlanRequest request;
  request.problem = Problem::parse("r2c:64");
  request.ranks = 2;
  request.method = ExchangeMethod::shared_memory;
  request.in = Layout::cyclic({64}, {2});
  request.out = Layout::cyclic({33}, {2});
  const Plan plan = make_plan(request);
  EXPECT_TRUE(mixes(plan, false, Area::output, &LegLayout::targets)) << plan.to_text();
  EXPECT_TRUE(mixes(plan, true, Area::output, &LegLayout::targets));
  EXPECT_TRUE(mixes(plan.reversed(), false, Area::input, &LegLayout::sources));
  EXPECT_TRUE(mixes(plan.reversed(), true, Area::output, &LegLayout::sources));
}

}  // namespace
}  // namespace kallima::exec

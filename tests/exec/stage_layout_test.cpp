// SPDX-License-Identifier: BSD-3-Clause
//
// What stages read and write where a wrong choice would only cost time: results do not show it.
#include "exec/stage_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"

namespace kallima::exec {
namespace {

TEST(Stages, chunks_sweep_what_they_hold_and_together_all_of_it) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:16x12x8");
  request.ranks = 2;
  request.method = ExchangeMethod::point_to_point;
  const std::optional<Plan> plan = pipelined(make_plan(request), built_in_machine(), 4);
  ASSERT_TRUE(plan.has_value());
  int cut_stages = 0;
  for (const StageLayout& stage : lay_out(*plan, schedule(*plan, false), 0)) {
    const std::vector<StageLayout> chunks = chunks_of(stage);
    ASSERT_EQ(chunks.size(), stage.bounds.size());
    if (chunks.empty()) continue;
    ++cut_stages;
    Index swept = 0;
    for (const StageLayout& chunk : chunks) {
      Index held = 0;
      for (const StridedBlock& block : chunk.sources) {
        Index size = 1;
        for (const Progression& places : block.places) size *= places.count;
        held += size;
      }
      EXPECT_EQ(volume(chunk.local_shape), held);
      swept += volume(chunk.local_shape);
    }
    EXPECT_EQ(swept, volume(stage.local_shape));
  }
  EXPECT_EQ(cut_stages, 2);
}

/// True where a sweep has some of its sources, or of its targets, in an area and others in
/// segments.
bool mixes(const Plan& plan, bool in_place, Area area,
           std::vector<StridedBlock> StageLayout::*side) {
  const std::vector<StageLayout> stages = lay_out(plan, schedule(plan, in_place), 0);
  return std::any_of(stages.begin(), stages.end(), [&](const StageLayout& stage) {
    const auto lies_in = [&](bool segment) {
      return std::any_of(
          (stage.*side).begin(), (stage.*side).end(), [&](const StridedBlock& block) {
            return segment ? block.area == Area::segment || block.area == Area::other_segment
                           : block.area == area;
          });
    };
    return lies_in(true) && lies_in(false);
  });
}

TEST(Stages, frequencies_that_keep_their_owner_stay_in_the_users_array) {
  PlanRequest request;
  request.problem = Problem::parse("r2c:64");
  request.ranks = 2;
  request.method = ExchangeMethod::shared_memory;
  request.in = Layout::cyclic({64}, {2});
  request.out = Layout::cyclic({33}, {2});
  const Plan plan = make_plan(request);
  EXPECT_TRUE(mixes(plan, false, Area::output, &StageLayout::targets)) << plan.to_text();
  EXPECT_TRUE(mixes(plan, true, Area::output, &StageLayout::targets));
  EXPECT_TRUE(mixes(plan.reversed(), false, Area::input, &StageLayout::sources));
  EXPECT_TRUE(mixes(plan.reversed(), true, Area::output, &StageLayout::sources));
}

}  // namespace
}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

#include "plan/invariants.hpp"
#include "plan/samples.hpp"

namespace kallima {
namespace {

/// A plan whose steps are spelt by a word: s for a sweep, x for an exchange. What areas stages get
/// depends on nothing else.
Plan spelt(const std::string& word) {
  const Shape shape{4};
  const Layout here = Layout::block(shape, {2});
  const Layout there = Layout::cyclic(shape, {2});
  std::vector<Step> steps;
  Index exchanges = 0;
  for (const char letter : word) {
    if (letter == 's') {
      steps.push_back(samples::copy());
    } else {
      steps.push_back(samples::exchange(exchanges++ % 2 == 0 ? there : here));
    }
  }
  return samples::forward("c2c:4", 2, here, steps);
}

std::string areas(const std::string& word, bool in_place) {
  std::string result;
  const Schedule stages = schedule(spelt(word), in_place);
  for (const Stage& stage : stages.stages) {
    result +=
        stage.step == Stage::copy ? "c" : word.substr(static_cast<std::size_t>(stage.step), 1);
    result += ":";
    result += "iow"[static_cast<int>(stage.from)];
    result += "iow"[static_cast<int>(stage.to)];
    result += " ";
  }
  return result;
}

TEST(Schedule, every_word_of_sweeps_and_exchanges_keeps_the_rules) {
  for (std::size_t length = 0; length <= 11; ++length) {
    for (std::size_t bits = 0; bits < (std::size_t{1} << length); ++bits) {
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += ((bits >> i) & 1U) != 0 ? 'x' : 's';
      for (const bool in_place : {false, true}) {
        samples::check_schedule(spelt(word), in_place);
        ASSERT_FALSE(HasFatalFailure()) << word << (in_place ? " in place" : " out of place");
      }
    }
  }
}

TEST(Schedule, sweeps_and_exchanges_alternate_between_output_and_workspace) {
  EXPECT_EQ(areas("sxs", false), "s:io x:ow s:wo ");
  EXPECT_EQ(areas("sxsxs", false), "s:io x:ow s:wo x:ow s:wo ");
}

TEST(Schedule, a_sweep_between_two_sweeps_stays_where_it_is) {
  EXPECT_EQ(areas("ssxs", false), "s:iw s:wo x:ow s:wo ");
  EXPECT_EQ(areas("sssxs", false), "s:iw s:ww s:wo x:ow s:wo ");
  EXPECT_EQ(areas("sxsss", false), "s:io x:ow s:wo s:oo s:oo ");
}

TEST(Schedule, no_step_out_of_place_is_one_copy_and_in_place_nothing) {
  EXPECT_EQ(areas("", false), "c:io ");
  EXPECT_EQ(areas("", true), "");
}

TEST(Schedule, sweeps_alone_stay_in_the_output) {
  EXPECT_EQ(areas("s", false), "s:io ");
  EXPECT_EQ(areas("sss", false), "s:io s:oo s:oo ");
  EXPECT_EQ(areas("sss", true), "s:oo s:oo s:oo ");
}

TEST(Schedule, in_place_the_first_leg_leaves_the_output) {
  EXPECT_EQ(areas("ssxs", true), "s:ow s:wo x:ow s:wo ");
}

TEST(Schedule, in_place_a_sweep_that_could_stay_moves_instead_of_a_copy) {
  EXPECT_EQ(areas("sxss", true), "s:ow x:wo s:ow s:wo ");
}

TEST(Schedule, in_place_a_copy_comes_first_where_nothing_else_can_move) {
  EXPECT_EQ(areas("sxs", true), "c:ow s:wo x:ow s:wo ");
}

/// What stages read and write by segments, and how: pulled, gathered, scattered, pushed, or met.
std::string by_segments(const Plan& plan) {
  std::string result;
  for (const Stage& stage :
       schedule(plan.with_method(ExchangeMethod::shared_memory), false).stages) {
    result += "iowWVt"[static_cast<int>(stage.from)];
    if (stage.barrier) result += "=";
    if (stage.source != Access::array) result += stage.source == Access::peers ? "p" : "pg";
    result += "-";
    if (stage.target != Access::array) result += stage.target == Access::peers ? "p" : "s";
    result += "iowWVt"[static_cast<int>(stage.to)];
    result += " ";
  }
  return result;
}

TEST(Schedule, by_shared_memory_what_was_pulled_is_pushed_back_where_it_returns) {
  const Shape shape{8, 6, 4};
  const std::vector<Step> there_and_back = {
      samples::sweep(1), samples::exchange(Layout::slab(shape, 2, 1)), samples::sweep(0),
      samples::exchange(Layout::slab(shape, 2)), samples::sweep(2)};
  EXPECT_EQ(by_segments(samples::forward("c2c:8x6x4", 2, Layout::slab(shape, 2), there_and_back)),
            "i-W W=-W Wp-pW W=-W W-o ");
  // Elsewhere it is packed for those who take it.
  std::vector<Step> there_and_on = there_and_back;
  there_and_on[3] = samples::exchange(Layout::parse("z:cyclic/2 y:all x:all", shape));
  EXPECT_EQ(by_segments(samples::forward("c2c:8x6x4", 2, Layout::slab(shape, 2), there_and_on)),
            "i-sW W=-W Wpg-sV V=-V Vpg-o ");
}

TEST(Schedule, by_shared_memory_what_returns_may_become_reals) {
  const Shape half{8, 6, 3};
  const Plan plan(
      Problem::parse("r2c:8x6x4"), Direction::backward, 2, {}, Layout::slab(half, 2),
      {samples::sweep(1), samples::exchange(Layout::slab(half, 2, 1)), samples::sweep(0),
       samples::exchange(Layout::slab(half, 2)), Sweep{Kernel::real, 2}});
  EXPECT_EQ(by_segments(plan), "i-W W=-W Wp-pW W=-W W-o ");
}

TEST(Workspace, what_does_not_fit_the_output_is_counted) {
  for (const Plan& plan : samples::plans()) {
    samples::check_plan(plan);
    ASSERT_FALSE(HasFatalFailure()) << plan.to_text();
  }
}

TEST(Workspace, a_gather_through_one_rank_needs_the_whole_array_there) {
  // 100 elements pass through rank 0, which keeps 25 in the end.
  const Plan plan = samples::plans()[3];
  const Schedule stages = schedule(plan, false);
  const Workspace first = workspace(plan, stages, 0);
  EXPECT_EQ(std::max(first.main, first.spill), 100);
  const Workspace second = workspace(plan, stages, 1);
  EXPECT_LE(second.main + second.spill, 25);
  EXPECT_EQ(second.tile, 0);
  EXPECT_EQ(first.tile, 100 + 100);  // a line gathered and done
}

TEST(Workspace, ranks_beyond_the_layout_need_none) {
  const Plan plan = samples::plans()[4];
  const Schedule stages = schedule(plan, false);
  EXPECT_EQ(workspace(plan, stages, 3).elements(), 0);
  EXPECT_GT(workspace(plan, stages, 0).tile, 0);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "api/learning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random.hpp"

namespace kallima {
namespace {

/// Ranks that learn together: each measures what a run takes and some of its own.
class Ranks {
 public:
  Ranks(std::size_t ranks, std::vector<double> takes)
      : takes_(std::move(takes)), each_(ranks, Learning(takes_.size())) {}

  /// `late` seconds that the others wait for rank 0; no part of what a run takes. `idle`: the last
  /// rank has no part in the array.
  void run(double late = 0., bool idle = false) {
    const double seconds = takes_[each_.front().current()];
    for (std::size_t r = 0; r < each_.size(); ++r) {
      const bool last = idle && r + 1 == each_.size();
      each_[r].add(last ? std::nullopt : std::optional(seconds + (r > 0 ? late : 0.)));
    }
    if (!each_.front().due()) return;
    ++reductions_;
    const std::size_t count = takes_.size();
    for (std::size_t c = 0; c < count; ++c) {
      std::int64_t least = each_.front().figures()[c];
      for (Learning& rank : each_) least = std::min(least, rank.figures()[c]);
      for (Learning& rank : each_) rank.figures()[c] = least;
    }
    for (Learning& rank : each_) rank.decide();
  }

  [[nodiscard]] const Learning& rank(std::size_t r) const { return each_[r]; }
  [[nodiscard]] int reductions() const { return reductions_; }

 private:
  std::vector<double> takes_;
  std::vector<Learning> each_;
  int reductions_ = 0;
};

TEST(Learning, of_one_candidate_is_done) {
  const Learning learning(1);
  EXPECT_TRUE(learning.done());
  EXPECT_EQ(learning.current(), 0U);
}

TEST(Learning, keeps_the_fastest_after_at_most_20_runs) {
  test::Random random(7);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> takes(static_cast<std::size_t>(random.between(2, 5)));
    for (double& seconds : takes) seconds = 1e-3 * static_cast<double>(random.between(100, 200));
    Ranks ranks(3, takes);
    Index runs = 0;
    for (; !ranks.rank(0).done(); ++runs) ranks.run(0., random.chance(50));
    EXPECT_LE(runs, Learning::most_runs);
    EXPECT_LE(ranks.reductions(), runs / 2);
    const double least = *std::min_element(takes.begin(), takes.end());
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t chosen = ranks.rank(r).chosen();
      EXPECT_EQ(chosen, ranks.rank(0).chosen());
      EXPECT_LE(takes[chosen], 1.0205 * least);
      EXPECT_EQ(ranks.rank(r).current(), chosen);
      EXPECT_NEAR(ranks.rank(r).seconds(chosen), takes[chosen], 1e-6);
    }
    const int before = ranks.reductions();
    ranks.run();
    EXPECT_EQ(ranks.reductions(), before);
  }
}

TEST(Learning, is_not_misled_by_ranks_that_come_late) {
  test::Random random(8);
  Ranks ranks(4, {0.100, 0.120, 0.090});
  while (!ranks.rank(0).done()) ranks.run(static_cast<double>(random.between(0, 100)) * 1e-3);
  EXPECT_EQ(ranks.rank(3).chosen(), 2U);
}

TEST(Learning, keeps_the_planners_choice_where_little_is_gained) {
  Ranks ranks(2, {0.100, 0.099, 0.300});
  while (!ranks.rank(0).done()) ranks.run();
  EXPECT_EQ(ranks.rank(0).chosen(), 0U);
}

TEST(Learning, tries_no_longer_what_is_far_behind) {
  Ranks ranks(2, {0.100, 0.101, 0.500});
  int slow = 0;
  while (!ranks.rank(0).done()) {
    if (ranks.rank(0).current() == 2) ++slow;
    ranks.run();
  }
  EXPECT_EQ(slow, 2);
}

}  // namespace
}  // namespace kallima

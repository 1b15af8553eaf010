// SPDX-License-Identifier: BSD-3-Clause
#include "theory/all_to_all.hpp"

#include <gtest/gtest.h>

#include "kallima/error.hpp"
#include "theory/collectives.hpp"

namespace kallima::models {
namespace {

TEST(AllToAll, digits_are_counted_without_counting) {
  for (Index procs = 1; procs <= 40; ++procs) {
    for (Index radix = 2; radix <= 7; ++radix) {
      for (Index weight = 1; weight <= procs; weight *= radix) {
        for (Index digit = 0; digit < radix; ++digit) {
          Index count = 0;
          for (Index i = 0; i < procs; ++i) count += i / weight % radix == digit ? 1 : 0;
          EXPECT_EQ(blocks_with_digit(procs, radix, weight, digit), count);
        }
      }
    }
  }
}

TEST(AllToAll, rounds_by_hand) {
  // 5 processors, radix 2: the blocks 1 and 3, then 2 and 3, then 4.
  const std::vector<Load> found = rounds({5, 10}, 2);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].bytes_sent, 20);
  EXPECT_EQ(found[1].bytes_received, 20);
  EXPECT_EQ(found[2].bytes_sent, 10);
  for (const Load& load : found) EXPECT_EQ(load.messages_sent, 1);
  // Radix 5 is straight to the targets.
  const std::vector<Load> direct = rounds({5, 10}, 5);
  ASSERT_EQ(direct.size(), 1U);
  EXPECT_EQ(direct[0].messages_sent, 4);
  EXPECT_EQ(direct[0].bytes_sent, 40);
  EXPECT_TRUE(rounds({1, 10}, 2).empty());
  EXPECT_THROW(rounds({5, 10}, 6), InvalidOption);
  EXPECT_THROW(rounds({5, 10}, 1), InvalidOption);
}

TEST(AllToAll, its_ends_are_the_formulas_of_the_lecture) {
  Network network;
  network.alpha_beta = {8, 2};
  for (Index procs = 2; procs <= 1024; procs *= 2) {
    const AllToAll all{procs, 16};
    const Collective whole{procs, 16 * static_cast<double>(procs), 0};
    EXPECT_DOUBLE_EQ(all_to_all_seconds(Model::alpha_beta, network, all, 2),
                     all_to_all_butterfly_seconds(network.alpha_beta, whole));
    EXPECT_DOUBLE_EQ(
        all_to_all_seconds(Model::alpha_beta, network, all, procs),
        all_to_all_direct_seconds(network.alpha_beta, whole, FormulaVersion::corrected));
  }
}

TEST(AllToAll, short_blocks_go_by_digits_and_long_ones_straight) {
  Network network;
  network.alpha_beta = {2e-6, 1e-10};
  network.loggp = {2e-6, 1e-6, 2e-6, 1e-10};
  for (const Model model : {Model::alpha_beta, Model::loggp}) {
    Index radix = 2;
    bool between = false;
    for (Index bytes = 1; bytes <= 1 << 20; bytes *= 2) {
      const AllToAll all{256, bytes};
      const RadixCost best = cheapest_radix(model, network, all);
      // Longer blocks never want a smaller radix.
      EXPECT_GE(best.radix, radix);
      radix = best.radix;
      between = between || (radix > 2 && radix < 256);
      for (const Index other : {2, 3, 4, 16, 100, 256}) {
        if (other < 64 || other == 256) {
          EXPECT_LE(best.seconds, all_to_all_seconds(model, network, all, other));
        }
      }
    }
    EXPECT_LE(cheapest_radix(model, network, {256, 1}).radix, 4);
    EXPECT_TRUE(between);
    EXPECT_TRUE(cheapest_radix(model, network, {256, 1 << 20}).direct({256, 1 << 20}));
  }
}

}  // namespace
}  // namespace kallima::models

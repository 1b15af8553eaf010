// SPDX-License-Identifier: BSD-3-Clause
#include "theory/crossover.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "theory/collectives.hpp"

namespace kallima::models {
namespace {

TEST(Crossing, by_hand) {
  // alpha B = 1000 bytes. P = 16: 16 * 8000 / 256 = 500 = 1000 (1 - 2/4).
  FlatExchange exchange = {.elements = 8000, .element_bytes = 16, .alpha = 1e-6, .bandwidth = 1e9};
  const Sides sides = crossover_sides(exchange, 16);
  EXPECT_DOUBLE_EQ(sides.left, 500);
  EXPECT_NEAR(sides.right, 500, 1e-9);
  EXPECT_NEAR(crossover_procs(exchange), 16, 1e-9);
  // P = 64: 16 * 192000 / 4096 = 750 = 1000 (1 - 2/8)
  exchange.elements = 192000;
  EXPECT_NEAR(crossover_procs(exchange), 64, 1e-9);
}

TEST(Crossing, free_messages_never_cross) {
  EXPECT_TRUE(std::isinf(crossover_procs({.elements = 1e9, .alpha = 0, .bandwidth = 1e9})));
}

TEST(Crossing, up_to_four_ranks_one_exchange_is_always_shorter) {
  const FlatExchange tiny = {.elements = 1e-9, .alpha = 1, .bandwidth = 1e9};
  EXPECT_GT(crossover_procs(tiny), 4);
  EXPECT_NEAR(crossover_procs(tiny), 4, 1e-6);
}

/// Against the costs it was derived from.
TEST(Crossing, says_which_of_both_exchanges_is_shorter) {
  const FlatExchange exchange = {
      .elements = 1 << 24, .element_bytes = 16, .alpha = 2e-6, .bandwidth = 10e9};
  const AlphaBeta link = {.alpha = exchange.alpha, .beta = 1 / exchange.bandwidth};
  const double crossing = crossover_procs(exchange);
  int one_wins = 0;
  int two_win = 0;
  for (Index root = 2; root <= 1024; root *= 2) {
    const Index procs = root * root;
    const double bytes = 16.0 * (1 << 24) / static_cast<double>(procs);
    const double one =
        all_to_all_direct_seconds(link, {.procs = procs, .bytes = bytes}, FormulaVersion::printed);
    const double two = 2 * all_to_all_direct_seconds(link, {.procs = root, .bytes = bytes},
                                                     FormulaVersion::printed);
    EXPECT_EQ(one < two, static_cast<double>(procs) < crossing) << procs;
    ++(one < two ? one_wins : two_win);
  }
  EXPECT_GT(one_wins, 0);
  EXPECT_GT(two_win, 0);
}

}  // namespace
}  // namespace kallima::models

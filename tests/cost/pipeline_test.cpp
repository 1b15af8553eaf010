// SPDX-License-Identifier: BSD-3-Clause
#include "cost/pipeline.hpp"

#include <gtest/gtest.h>

namespace kallima {
namespace {

TEST(PipelinedSeconds, of_one_chunk_are_the_sum) {
  // Nothing leaves before all is computed, nothing is taken before all has arrived: 2 + 3 + 1.
  EXPECT_DOUBLE_EQ(pipelined_seconds({2., 3., 0., 1.}, {0, 1, 1, 1}), 6.);
}

TEST(PipelinedSeconds, are_those_of_the_longer_and_of_filling) {
  // Four chunks before (0.5 s each), four behind (0.25 s each). The network is the longer: half of
  // its 4 s are sent from 0.5 s on, to 2.5 s, and the chunks behind arrive at 2.25, 2.5, 3.5 and
  // 4.5 s; the last one is taken in 0.25 s.
  EXPECT_DOUBLE_EQ(pipelined_seconds({2., 4., 0., 1.}, {0, 4, 1, 4}), 4.75);
  // Computing is the longer: 2 s and 1 s, and in between the first of the two parts (1 / 16 s each)
  // that the last chunk before sends ahead.
  EXPECT_DOUBLE_EQ(pipelined_seconds({2., 1., 0., 1.}, {0, 4, 1, 4}), 3. + 1. / 16.);
}

TEST(PipelinedSeconds, of_one_side_hide_behind_the_other) {
  // Nothing is cut behind: it waits for the network, which begins after a quarter of 2 s.
  EXPECT_DOUBLE_EQ(pipelined_seconds({2., 4., 0., 1.}, {0, 4, 1, 1}), 0.5 + 4. + 1.);
  // Nothing is cut before: the network begins at 2 s; a quarter of 1 s is left when it is done.
  EXPECT_DOUBLE_EQ(pipelined_seconds({2., 4., 0., 1.}, {0, 1, 1, 4}), 2. + 4. + 0.25);
}

TEST(PipelinedSeconds, lose_what_keeps_the_core_busy) {
  // If all of the exchange is a core's work, nothing is hidden: 2 + 1 + 1 s.
  EXPECT_GE(pipelined_seconds({2., 1., 1., 1.}, {0, 4, 1, 4}), 4.);
  // A fifth of it: 3 s of computing, 0.2 s for the messages, and 1 / 16 s to begin behind.
  EXPECT_NEAR(pipelined_seconds({2., 1., 0.2, 1.}, {0, 4, 1, 4}), 3.2 + 1. / 16., 1e-12);
}

}  // namespace
}  // namespace kallima

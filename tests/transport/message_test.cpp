// SPDX-License-Identifier: BSD-3-Clause
#include "transport/message.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kallima::transport {
namespace {

constexpr Index most_ranks = 64;

TEST(RoundOf, a_rank_meets_its_peers_in_the_rounds_1_to_P_minus_1) {
  for (Index ranks = 1; ranks <= most_ranks; ++ranks) {
    for (Index rank = 0; rank < ranks; ++rank) {
      std::set<Index> rounds;
      for (Index peer = 0; peer < ranks; ++peer) {
        if (peer == rank) continue;
        const Index round = round_of(rank, peer, ranks);
        EXPECT_GE(round, 1) << ranks << " ranks, " << rank << " to " << peer;
        EXPECT_LE(round, ranks - 1) << ranks << " ranks, " << rank << " to " << peer;
        rounds.insert(round);
      }
      EXPECT_EQ(static_cast<Index>(rounds.size()), ranks - 1)
          << "rank " << rank << " of " << ranks << " meets two peers in one round";
    }
  }
}

TEST(RoundOf, in_every_round_each_rank_sends_to_one_and_receives_from_one) {
  for (Index ranks = 2; ranks <= most_ranks; ++ranks) {
    for (Index round = 1; round < ranks; ++round) {
      std::vector<int> sends(static_cast<std::size_t>(ranks), 0);
      std::vector<int> receives(static_cast<std::size_t>(ranks), 0);
      for (Index rank = 0; rank < ranks; ++rank) {
        for (Index peer = 0; peer < ranks; ++peer) {
          if (peer == rank || round_of(rank, peer, ranks) != round) continue;
          ++sends[static_cast<std::size_t>(rank)];
          ++receives[static_cast<std::size_t>(peer)];
        }
      }
      const std::vector<int> one(static_cast<std::size_t>(ranks), 1);
      EXPECT_EQ(sends, one) << "round " << round << " of " << ranks << " ranks";
      EXPECT_EQ(receives, one) << "round " << round << " of " << ranks << " ranks";
    }
  }
}

TEST(RoundOf, powers_of_two_pair_ranks_so_that_both_send_to_each_other) {
  for (Index ranks = 1; ranks <= most_ranks; ranks *= 2) {
    for (Index rank = 0; rank < ranks; ++rank) {
      for (Index peer = 0; peer < ranks; ++peer) {
        EXPECT_EQ(round_of(rank, peer, ranks), round_of(peer, rank, ranks));
      }
    }
  }
}

TEST(RoundOf, a_rank_meets_itself_in_round_0) {
  for (Index ranks = 1; ranks <= most_ranks; ++ranks) {
    for (Index rank = 0; rank < ranks; ++rank) EXPECT_EQ(round_of(rank, rank, ranks), 0);
  }
}

}  // namespace
}  // namespace kallima::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace kallima::comm {
namespace {

constexpr Index most_ranks = 64;

TEST(RoundOf, a_rank_meets_each_peer_in_a_round_of_its_own) {
  for (Index ranks = 1; ranks <= most_ranks; ++ranks) {
    for (Index rank = 0; rank < ranks; ++rank) {
      std::set<Index> rounds;
      for (Index peer = 0; peer < ranks; ++peer) {
        const Index round = round_of(rank, peer, ranks);
        EXPECT_GE(round, 0) << ranks << " ranks, " << rank << " to " << peer;
        EXPECT_LT(round, ranks) << ranks << " ranks, " << rank << " to " << peer;
        rounds.insert(round);
      }
      EXPECT_EQ(static_cast<Index>(rounds.size()), ranks)
          << "rank " << rank << " of " << ranks << " meets two peers in one round";
    }
  }
}

TEST(RoundOf, in_every_round_each_rank_sends_to_one_and_receives_from_one) {
  for (Index ranks = 2; ranks <= most_ranks; ++ranks) {
    for (Index round = 0; round < ranks; ++round) {
      std::vector<int> sends(static_cast<std::size_t>(ranks), 0);
      std::vector<int> receives(static_cast<std::size_t>(ranks), 0);
      for (Index rank = 0; rank < ranks; ++rank) {
        for (Index peer = 0; peer < ranks; ++peer) {
          if (round_of(rank, peer, ranks) != round) continue;
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

/// Peers of a rank among those that differ from it in the bits of a mask, in the order of rounds.
std::vector<Index> in_order(Index rank, Index mask, Index ranks) {
  std::vector<Index> peers;
  for (Index peer = 0; peer < ranks; ++peer) {
    if (((rank ^ peer) & ~mask) == 0) peers.push_back(peer);
  }
  std::sort(peers.begin(), peers.end(),
            [&](Index a, Index b) { return round_of(rank, a, ranks) < round_of(rank, b, ranks); });
  return peers;
}

TEST(RoundOf, nobody_is_flooded_in_rows_and_columns_of_a_grid) {
  for (Index ranks = 2; ranks <= most_ranks; ranks *= 2) {
    for (Index low = 1; low <= ranks; low *= 2) {
      for (const Index mask : {low - 1, (ranks - 1) & ~(low - 1)}) {
        std::vector<std::vector<Index>> orders;
        for (Index rank = 0; rank < ranks; ++rank) orders.push_back(in_order(rank, mask, ranks));
        for (std::size_t at = 0; at < orders.front().size(); ++at) {
          std::set<Index> peers;
          for (const std::vector<Index>& order : orders) peers.insert(order[at]);
          EXPECT_EQ(static_cast<Index>(peers.size()), ranks)
              << ranks << " ranks, mask " << mask << ", place " << at;
        }
      }
    }
  }
}

TEST(RoundOf, ranks_side_by_side_send_to_all_parts_of_the_machine_at_once) {
  constexpr Index ranks = 64;
  constexpr Index group = 8;
  for (Index round = 0; round < ranks; ++round) {
    for (Index first = 0; first < ranks; first += group) {
      std::set<Index> groups;
      for (Index rank = first; rank < first + group; ++rank) {
        for (Index peer = 0; peer < ranks; ++peer) {
          if (round_of(rank, peer, ranks) == round) groups.insert(peer / group);
        }
      }
      EXPECT_EQ(static_cast<Index>(groups.size()), ranks / group) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace kallima::comm {
namespace {

constexpr Index most_ranks = 70;

TEST(PeerOrder, in_every_round_each_rank_sends_to_one_and_receives_from_one) {
  for (Index ranks = 1; ranks <= most_ranks; ++ranks) {
    for (const Index first : {Index{0}, Index{1}, ranks / 2, 3 * ranks + 2}) {
      const PeerOrder order(ranks, first);
      std::set<std::pair<Index, Index>> sends;
      std::set<std::pair<Index, Index>> receives;
      for (Index rank = 0; rank < ranks; ++rank) {
        for (Index peer = 0; peer < ranks; ++peer) {
          const Index round = order.round_of(rank, peer);
          EXPECT_GE(round, 0) << ranks << " ranks, " << rank << " to " << peer;
          EXPECT_LT(round, ranks) << ranks << " ranks, " << rank << " to " << peer;
          EXPECT_TRUE(sends.emplace(round, rank).second) << ranks << " ranks, " << rank;
          EXPECT_TRUE(receives.emplace(round, peer).second) << ranks << " ranks, " << peer;
        }
      }
    }
  }
}

/// Parts of a machine, so many ranks each, that ranks side by side send to in a round.
template <class PeerOf>
std::size_t parts_reached(Index first, Index group, const PeerOf& peer_of) {
  std::set<Index> parts;
  for (Index rank = first; rank < first + group; ++rank) parts.insert(peer_of(rank) / group);
  return parts.size();
}

/// Whom a rank of `ranks` sends to in a round.
Index peer_in(const PeerOrder& order, Index rank, Index round, Index ranks) {
  Index peer = 0;
  while (peer < ranks && order.round_of(rank, peer) != round) ++peer;
  return peer;
}

TEST(PeerOrder, ranks_side_by_side_send_to_half_of_the_parts_of_the_machine_at_once) {
  for (const auto& each : {std::pair<Index, Index>{64, 8}, {60, 10}, {48, 8}, {96, 12}}) {
    const Index ranks = each.first;
    const Index group = each.second;
    const PeerOrder order(ranks);
    for (Index round = 0; round < ranks; ++round) {
      for (Index first = 0; first < ranks; first += group) {
        const auto peer_of = [&](Index rank) { return peer_in(order, rank, round, ranks); };
        EXPECT_GE(2 * parts_reached(first, group, peer_of), static_cast<std::size_t>(ranks / group))
            << ranks << " ranks, round " << round << ", from " << first;
      }
    }
  }
}

TEST(PeerOrder, columns_of_a_grid_send_to_all_but_one_part_of_the_machine_at_once) {
  constexpr Index rows = 8;
  constexpr Index columns = 12;
  for (Index round = 0; round < rows; ++round) {
    for (Index row = 0; row < rows; ++row) {
      const auto peer_of = [&](Index rank) {
        const Index column = rank % columns;
        return peer_in(PeerOrder(rows, column), row, round, rows) * columns + column;
      };
      EXPECT_GE(parts_reached(row * columns, columns, peer_of), static_cast<std::size_t>(rows - 1));
    }
  }
}

}  // namespace
}  // namespace kallima::comm

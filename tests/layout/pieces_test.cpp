// SPDX-License-Identifier: BSD-3-Clause
//
// What r sends to s is what s expects of r, and what the plan says travels is what travels. The
// oracle looks at every element: who has it before, who wants it after.
#include "layout/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "layout/sample.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;
using samples::for_each_index;

using Indices = std::vector<std::vector<Index>>;

/// Elements that each pair of ranks has in common, ascending with the last axis fastest.
using CommVolume = std::map<std::pair<Index, Index>, Indices>;

CommVolume count_volume(const Layout& from, const Layout& to) {
  const std::vector<Index> before = samples::owners(from);
  const std::vector<Index> after = samples::owners(to);
  CommVolume moves;
  std::size_t at = 0;
  for_each_index(from.shape(), [&](const std::vector<Index>& index) {
    moves[{before[at], after[at]}].push_back(index);
    ++at;
  });
  return moves;
}

/// Global indices of a piece, by axis with the last one fastest.
Indices indices_of(const Piece& piece, const Layout& mine, Index rank) {
  Indices result;
  Shape counts;
  for (const Progression& places : piece.places) counts.push_back(places.count);
  const std::vector<Progression> part = mine.local_indices(rank);
  for_each_index(counts, [&](const std::vector<Index>& walk) {
    std::vector<Index> index;
    for (std::size_t a = 0; a < walk.size(); ++a) {
      index.push_back(part[a].at(piece.places[a].at(walk[a])));
    }
    result.push_back(index);
  });
  return result;
}

/// All pieces of all ranks of `mine` are the moves, each exactly once.
void check_side(const Layout& mine, const Layout& theirs, const CommVolume& moves, bool sending) {
  std::size_t seen = 0;
  for (Index r = 0; r < mine.ranks() + 2; ++r) {
    Index previous = -1;
    for (const Piece& piece : pieces(mine, theirs, r)) {
      ASSERT_GT(piece.peer, previous) << "peers do not ascend";
      previous = piece.peer;
      const auto at = moves.find(sending ? std::pair(r, piece.peer) : std::pair(piece.peer, r));
      ASSERT_NE(at, moves.end()) << r << " and " << piece.peer << " have nothing in common";
      ASSERT_EQ(piece.size, static_cast<Index>(at->second.size()));
      ASSERT_EQ(indices_of(piece, mine, r), at->second);
      ++seen;
    }
  }
  ASSERT_EQ(seen, moves.size());
}

void check_traffic(const Layout& from, const Layout& to, const CommVolume& moves) {
  Traffic wanted;
  std::map<Index, Index> sent;
  std::map<Index, Index> received;
  std::map<Index, Index> messages_sent;
  std::map<Index, Index> messages_received;
  for (const auto& [pair, indices] : moves) {
    const auto size = static_cast<Index>(indices.size());
    wanted.largest_message = std::max(wanted.largest_message, size);
    if (pair.first == pair.second) continue;
    wanted.elements += size;
    wanted.messages += 1;
    wanted.most_sent = std::max(wanted.most_sent, sent[pair.first] += size);
    wanted.most_received = std::max(wanted.most_received, received[pair.second] += size);
    wanted.most_messages_sent = std::max(wanted.most_messages_sent, ++messages_sent[pair.first]);
    wanted.most_messages_received =
        std::max(wanted.most_messages_received, ++messages_received[pair.second]);
  }
  const Traffic counted = traffic(from, to);
  ASSERT_EQ(counted.elements, wanted.elements);
  ASSERT_EQ(counted.messages, wanted.messages);
  ASSERT_EQ(counted.most_sent, wanted.most_sent);
  ASSERT_EQ(counted.most_received, wanted.most_received);
  ASSERT_EQ(counted.most_messages_sent, wanted.most_messages_sent);
  ASSERT_EQ(counted.most_messages_received, wanted.most_messages_received);
  ASSERT_GE(counted.largest_message, wanted.largest_message);
  ASSERT_LE(counted.largest_message, std::min(from.largest_local_size(), to.largest_local_size()));

  Traffic back = traffic(to, from);
  std::swap(back.most_sent, back.most_received);
  std::swap(back.most_messages_sent, back.most_messages_received);
  ASSERT_EQ(back, counted) << "the way back is not the way there mirrored";
}

void check_pair(const Layout& from, const Layout& to) {
  const CommVolume moves = count_volume(from, to);
  check_side(from, to, moves, true);
  check_side(to, from, moves, false);
  check_traffic(from, to, moves);
  if (::testing::Test::HasFatalFailure()) {
    ADD_FAILURE() << "from " << from.to_text() << " to " << to.to_text();
  }
}

/// Every layout of one axis of n: all numbers of processors, cycles, and rules.
std::vector<Layout> all_of_one_axis(Index n) {
  std::vector<Layout> result;
  for (Index p = 1; p <= n + 3; ++p) {
    for (const Index c : samples::divisors(p)) {
      result.push_back(Layout::group_cyclic({n}, {p}, {c}));
      if (n % (p / c) != 0) result.push_back(Layout::group_cyclic({n}, {p}, {c}, Rule::ceil));
    }
  }
  return result;
}

/// Owners of one axis of n as plain lists, for a check without maps: there are many pairs.
void check_pair_of_one_axis(const Layout& from, const Layout& to) {
  const Index n = from.shape()[0];
  std::vector<std::vector<std::vector<Index>>> common(
      static_cast<std::size_t>(from.ranks()),
      std::vector<std::vector<Index>>(static_cast<std::size_t>(to.ranks())));
  for (Index j = 0; j < n; ++j) {
    common[static_cast<std::size_t>(from.owner({j}))][static_cast<std::size_t>(to.owner({j}))]
        .push_back(j);
  }
  Traffic wanted;
  for (Index r = 0; r < from.ranks(); ++r) {
    const std::vector<Piece> sends = pieces(from, to, r);
    std::size_t next = 0;
    Index sent = 0;
    Index messages = 0;
    for (Index s = 0; s < to.ranks(); ++s) {
      const auto& mine = common[static_cast<std::size_t>(r)][static_cast<std::size_t>(s)];
      if (mine.empty()) continue;
      ASSERT_LT(next, sends.size());
      const Piece& piece = sends[next++];
      ASSERT_EQ(piece.peer, s);
      ASSERT_EQ(piece.size, static_cast<Index>(mine.size()));
      ASSERT_EQ(piece.places[0].count, piece.size);
      for (Index i = 0; i < piece.size; ++i) {
        ASSERT_EQ(from.local_indices(r, 0).at(piece.places[0].at(i)),
                  mine[static_cast<std::size_t>(i)]);
      }
      wanted.largest_message = std::max(wanted.largest_message, piece.size);
      if (r == s) continue;
      sent += piece.size;
      ++messages;
    }
    ASSERT_EQ(next, sends.size());
    wanted.elements += sent;
    wanted.messages += messages;
    wanted.most_sent = std::max(wanted.most_sent, sent);
    wanted.most_messages_sent = std::max(wanted.most_messages_sent, messages);
  }
  for (Index s = 0; s < to.ranks(); ++s) {
    const std::vector<Piece> receives = pieces(to, from, s);
    std::size_t next = 0;
    Index received = 0;
    Index messages = 0;
    for (Index r = 0; r < from.ranks(); ++r) {
      const auto& theirs = common[static_cast<std::size_t>(r)][static_cast<std::size_t>(s)];
      if (theirs.empty()) continue;
      ASSERT_LT(next, receives.size());
      const Piece& piece = receives[next++];
      ASSERT_EQ(piece.peer, r);
      ASSERT_EQ(piece.size, static_cast<Index>(theirs.size()));
      for (Index i = 0; i < piece.size; ++i) {
        ASSERT_EQ(to.local_indices(s, 0).at(piece.places[0].at(i)),
                  theirs[static_cast<std::size_t>(i)]);
      }
      if (r == s) continue;
      received += piece.size;
      ++messages;
    }
    ASSERT_EQ(next, receives.size());
    wanted.most_received = std::max(wanted.most_received, received);
    wanted.most_messages_received = std::max(wanted.most_messages_received, messages);
  }
  const Traffic counted = traffic(from, to);
  ASSERT_GE(counted.largest_message, wanted.largest_message);
  wanted.largest_message = counted.largest_message;
  ASSERT_EQ(counted, wanted);
}

TEST(Pieces, what_r_sends_s_is_what_s_expects_of_r_for_all_small_axes) {
  for (Index n = 1; n <= 16; ++n) {
    const std::vector<Layout> all = all_of_one_axis(n);
    for (const Layout& from : all) {
      for (const Layout& to : all) {
        check_pair_of_one_axis(from, to);
        ASSERT_FALSE(HasFatalFailure())
            << "n = " << n << ", from " << from.to_text() << " to " << to.to_text();
      }
    }
  }
}

TEST(Pieces, what_r_sends_s_is_what_s_expects_of_r_in_two_axes) {
  Dice dice(2);
  for (const Shape& shape : {Shape{4, 6}, Shape{5, 7}, Shape{1, 9}, Shape{8, 8}}) {
    const std::vector<Layout> all = samples::assorted(dice, shape, 16, 6);
    for (const Layout& from : all) {
      for (const Layout& to : all) {
        check_pair(from, to);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(Pieces, what_r_sends_s_is_what_s_expects_of_r_in_three_axes) {
  Dice dice(3);
  for (const Shape& shape : {Shape{3, 4, 5}, Shape{6, 1, 4}, Shape{4, 4, 4}}) {
    const std::vector<Layout> all = samples::assorted(dice, shape, 14, 6);
    for (const Layout& from : all) {
      for (const Layout& to : all) {
        check_pair(from, to);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(Pieces, what_r_sends_s_is_what_s_expects_of_r_in_four_axes) {
  Dice dice(4);
  const Shape shape{3, 2, 4, 3};
  for (int i = 0; i < 60; ++i) {
    const Layout from =
        i % 4 == 3 ? samples::random_table(dice, shape) : samples::random_grid(dice, shape, 3);
    const Layout to =
        i % 3 == 2 ? samples::random_table(dice, shape) : samples::random_grid(dice, shape, 3);
    check_pair(from, to);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(Pieces, nothing_moves_between_layouts_with_the_same_owners) {
  const Layout layout = Layout::pencil({7, 9, 5}, 2, 3, 4);
  const Traffic moved = traffic(layout, layout.with_order({2, 1, 0}));
  EXPECT_EQ(moved.elements, 0);
  EXPECT_EQ(moved.messages, 0);
  EXPECT_EQ(moved.most_sent, 0);
  EXPECT_EQ(moved.most_messages_received, 0);
}

TEST(Pieces, a_slab_exchange_is_all_to_all) {
  const Layout from = Layout::slab({64, 64, 64}, 8, 0);
  const Layout to = Layout::slab({64, 64, 64}, 8, 1);
  const Traffic moved = traffic(from, to);
  EXPECT_EQ(moved.messages, 8 * 7);
  EXPECT_EQ(moved.elements, Index{64} * 64 * 64 / 8 * 7);
  EXPECT_EQ(moved.most_sent, Index{64} * 64 * 64 / 64 * 7);
  EXPECT_EQ(moved.most_messages_sent, 7);
  EXPECT_EQ(moved.largest_message, Index{64} * 64 * 64 / 64);
}

TEST(Pieces, a_pencil_exchange_stays_in_rows) {
  const Layout from = Layout::pencil({64, 64, 64}, 2, 4, 8);
  const Layout to = Layout::parse("z:block/4@8 y:all x:block/8@1", {64, 64, 64});
  const Traffic moved = traffic(from, to);
  EXPECT_EQ(moved.messages, 32 * 7);
  EXPECT_EQ(moved.most_messages_sent, 7);
  EXPECT_EQ(moved.most_messages_received, 7);
  EXPECT_EQ(moved.elements, Index{64} * 64 * 64 / 8 * 7);
}

TEST(Pieces, idle_ranks_send_and_receive_nothing) {
  const Layout from = Layout::slab({3, 8}, 8, 0);
  const Layout to = Layout::slab({3, 8}, 8, 1);
  EXPECT_TRUE(pieces(from, to, 3).empty());
  EXPECT_EQ(pieces(to, from, 3).size(), 3U);
  EXPECT_TRUE(pieces(from, to, 8).empty());
  EXPECT_EQ(traffic(from, to).messages, 3 * 7);
}

/// By listing: what every rank sends to every other or, with layouts swapped, receives.
NodeTraffic listed_side(const Layout& mine, const Layout& theirs, Index per_node) {
  NodeTraffic result;
  std::vector<Index> of_node(static_cast<std::size_t>(mine.ranks()), 0);
  for (Index rank = 0; rank < mine.ranks(); ++rank) {
    Index within = 0;
    Index messages_within = 0;
    Index between = 0;
    Index messages_between = 0;
    for (const Piece& piece : pieces(mine, theirs, rank)) {
      if (piece.peer == rank) continue;
      const bool same = piece.peer / per_node == rank / per_node;
      (same ? within : between) += piece.size;
      (same ? messages_within : messages_between) += 1;
    }
    result.elements_within += within;
    result.messages_within += messages_within;
    result.most_within = std::max(result.most_within, within);
    result.most_messages_within = std::max(result.most_messages_within, messages_within);
    result.most_between = std::max(result.most_between, between);
    result.most_messages_between = std::max(result.most_messages_between, messages_between);
    of_node[static_cast<std::size_t>(rank / per_node)] += between;
  }
  result.most_of_node = *std::max_element(of_node.begin(), of_node.end());
  return result;
}

NodeTraffic listed_by_node(const Layout& from, const Layout& to, Index per_node) {
  NodeTraffic result = listed_side(from, to, per_node);
  const NodeTraffic received = listed_side(to, from, per_node);
  const auto raise = [&](Index NodeTraffic::*figure) {
    result.*figure = std::max(result.*figure, received.*figure);
  };
  raise(&NodeTraffic::most_within);
  raise(&NodeTraffic::most_messages_within);
  raise(&NodeTraffic::most_between);
  raise(&NodeTraffic::most_messages_between);
  raise(&NodeTraffic::most_of_node);
  return result;
}

TEST(Pieces, what_stays_in_nodes_is_what_a_list_of_all_messages_says) {
  Dice dice(11);
  for (const Shape& shape : {Shape{12}, Shape{6, 5}, Shape{4, 3, 5}}) {
    const std::vector<Layout> all = samples::assorted(dice, shape, 10, 6);
    for (const Layout& from : all) {
      for (const Layout& to : all) {
        for (const Index per_node : {1, 2, 3, 4, 12}) {
          ASSERT_EQ(traffic_by_node(from, to, per_node), listed_by_node(from, to, per_node))
              << from.to_text() << " to " << to.to_text() << ", " << per_node << " a node";
        }
      }
    }
  }
}

TEST(Pieces, of_many_ranks_some_are_looked_at) {
  const Layout from = Layout::slab({64, 64, 8}, 64, 0);
  const Layout to = Layout::slab({64, 64, 8}, 64, 1);
  const NodeTraffic exact = traffic_by_node(from, to, 4);
  const NodeTraffic sampled = traffic_by_node(from, to, 4, 32);
  EXPECT_FALSE(exact.sampled);
  EXPECT_TRUE(sampled.sampled);
  // Every rank is like every other here, so a sample says the same.
  EXPECT_EQ(sampled.elements_within, exact.elements_within);
  EXPECT_EQ(sampled.messages_within, exact.messages_within);
  EXPECT_EQ(sampled.most_of_node, exact.most_of_node);
}

TEST(Pieces, a_sample_meets_every_column_of_a_grid) {
  // Ranks a fixed stride apart may all be of one column.
  std::vector<bool> met(64, false);
  for (Index i = 0; i < 512; ++i) met[static_cast<std::size_t>(sampled(i, 4096) % 64)] = true;
  EXPECT_EQ(std::count(met.begin(), met.end(), true), 64);
}

TEST(Pieces, figures_near_2_to_62_are_exact) {
  const Index side = Index{1} << 31;
  const Traffic moved = traffic(Layout::slab({side, side}, 4, 0), Layout::slab({side, side}, 4, 1));
  EXPECT_EQ(moved.elements, (Index{1} << 60) * 3);
  EXPECT_EQ(moved.most_sent, (Index{1} << 58) * 3);
  EXPECT_EQ(moved.largest_message, Index{1} << 58);
  EXPECT_EQ(moved.messages, 12);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/congestion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "layout/pieces.hpp"
#include "machine/figures.hpp"

namespace kallima {
namespace {

Topology wired(Wiring wiring, double taper = 1., Index groups = 8) {
  Topology topology;
  topology.wiring = wiring;
  topology.taper = taper;
  topology.groups = groups;
  return topology;
}

const Shape shape = {64, 64, 64};

/// Elements over each link of a torus of 4 x 4 x 4, message by message and hop by hop; the most of
/// any link, in units of a node's six links.
double listed_on_torus(const Layout& from, const Layout& to) {
  constexpr Index side = 4;
  constexpr double links = 6.;
  std::map<std::array<Index, 3>, double> carried;  // node, direction, up or down
  constexpr Index nodes = side * side * side;
  for (Index rank = 0; rank < nodes; ++rank) {
    for (const Piece& piece : pieces(from, to, rank)) {
      if (piece.peer == rank) continue;
      Index at = rank;
      Index stride = 1;
      for (Index direction = 0; direction < 3; ++direction, stride *= side) {
        const auto digit = [&](Index node) { return node / stride % side; };
        const Index up = (digit(piece.peer) - digit(at) + side) % side;
        const bool goes_up = 2 * up <= side;
        while (digit(at) != digit(piece.peer)) {
          carried[{at, direction, goes_up ? 1 : 0}] += static_cast<double>(piece.size);
          const Index next = (digit(at) + (goes_up ? 1 : side - 1)) % side;
          at += (next - digit(at)) * stride;
        }
      }
    }
  }
  double most = 0.;
  for (const auto& entry : carried) most = std::max(most, entry.second);
  return links * most;
}

/// Elements that a rank of 64 sends to the others.
double sent_by_each(const Layout& from, const Layout& to) {
  return static_cast<double>(traffic(from, to).elements) / 64.;
}

TEST(Congestion, a_full_network_has_none) {
  EXPECT_EQ(crowding_of_all(wired(Wiring::full, 4.), 1000), 1.);
}

TEST(Congestion, links_up_a_tree_carry_all_that_leaves_a_leaf) {
  // 56 of the 63 others are under another switch, and there are half as many links up as nodes.
  EXPECT_DOUBLE_EQ(crowding_of_all(wired(Wiring::fat_tree, 2.), 64), 2. * 56. / 63.);
  EXPECT_EQ(crowding_of_all(wired(Wiring::fat_tree, 1.), 64), 1.);
}

TEST(Congestion, groups_of_a_dragonfly_share_their_links) {
  EXPECT_DOUBLE_EQ(crowding_of_all(wired(Wiring::dragonfly, 2., 4), 64), 2. * 48. / 63.);
}

TEST(Congestion, an_exchange_among_all_loads_a_torus_as_its_messages_do) {
  const Layout from = Layout::cyclic(shape, {4, 4, 4});
  const Layout to = Layout::block(shape, {4, 4, 4});
  const double listed = listed_on_torus(from, to);
  EXPECT_DOUBLE_EQ(crowding_of_all(wired(Wiring::torus), 64) * sent_by_each(from, to), listed);
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(wired(Wiring::torus), from, to, 64, 1, 63), listed);
}

TEST(Congestion, rows_and_columns_load_a_torus_as_their_messages_do) {
  const Layout pencils = Layout::pencil(shape, 2, 8, 8);
  const Layout columns = Layout::parse("z:all y:block/8@1 x:block/8@8", shape);
  const Layout rows = Layout::parse("z:block/8@8 y:all x:block/8@1", shape);
  for (const Layout& to : {columns, rows}) {
    EXPECT_DOUBLE_EQ(inner_load_of_exchange(wired(Wiring::torus), pencils, to, 64, 1, 7),
                     listed_on_torus(pencils, to))
        << to.to_text();
  }
}

TEST(Congestion, rows_below_one_switch_do_not_feel_the_taper) {
  const Layout pencils = Layout::pencil(shape, 2, 8, 8);
  const Layout rows = Layout::parse("z:block/8@8 y:all x:block/8@1", shape);
  const Layout columns = Layout::parse("z:all y:block/8@1 x:block/8@8", shape);
  const Topology tree = wired(Wiring::fat_tree, 2.);
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(tree, pencils, rows, 64, 1, 7), 0.);
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(tree, pencils, columns, 64, 1, 7),
                   2. * sent_by_each(pencils, columns));
}

TEST(Congestion, a_group_that_sends_to_one_other_has_one_link) {
  // Ranks 32 apart exchange halves: all of a group of 8 sends to the one 4 groups further on.
  const Layout from = Layout::pencil(shape, 2, 2, 32);
  const Layout to = Layout::parse("z:all y:block/32@1 x:block/2@32", shape);
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(wired(Wiring::dragonfly, 1., 8), from, to, 64, 1, 1),
                   7. * sent_by_each(from, to));
}

/// Elements that the leaf of a tree of 64 nodes, 8 below a switch, sends or receives at most,
/// message by message.
double listed_of_leaf(const Layout& from, const Layout& to) {
  std::map<Index, double> out;
  std::map<Index, double> in;
  for (Index rank = 0; rank < from.ranks(); ++rank) {
    for (const Piece& piece : pieces(from, to, rank)) {
      if (piece.peer / 8 == rank / 8) continue;
      out[rank / 8] += static_cast<double>(piece.size);
      in[piece.peer / 8] += static_cast<double>(piece.size);
    }
  }
  double most = 0.;
  for (const auto* const side : {&out, &in}) {
    for (const auto& entry : *side) most = std::max(most, entry.second);
  }
  return most;
}

TEST(Congestion, the_busiest_leaf_counts_of_senders_and_of_receivers) {
  // Half of the ranks hold nothing: their links up carry nothing, and the others' as much more.
  const Layout all = Layout::slab({64, 33, 64}, 64, 0);
  const Layout half = Layout::slab({64, 33, 64}, 64, 1);
  const Topology tree = wired(Wiring::fat_tree, 2.);
  const double listed = 2. * listed_of_leaf(all, half) / 8.;
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(tree, all, half, 64, 1, 63), listed);
  EXPECT_DOUBLE_EQ(inner_load_of_exchange(tree, half, all, 64, 1, 63), listed);
  EXPECT_GT(listed, 1.7 * 2. * sent_by_each(all, half));
}

TEST(Congestion, idle_ranks_leave_links_of_a_torus_and_a_dragonfly_to_nobody) {
  const Layout all = Layout::slab({64, 32, 64}, 64, 0);
  const Layout half = Layout::slab({64, 32, 64}, 64, 1);
  const Layout even = Layout::slab({64, 64, 32}, 64, 1);
  for (const Topology& topology : {wired(Wiring::torus), wired(Wiring::dragonfly, 1., 8)}) {
    const double uneven = inner_load_of_exchange(topology, all, half, 64, 1, 63);
    EXPECT_DOUBLE_EQ(uneven, inner_load_of_exchange(topology, half, all, 64, 1, 63));
    EXPECT_DOUBLE_EQ(
        uneven,
        2. * inner_load_of_exchange(topology, Layout::slab({64, 64, 32}, 64, 0), even, 64, 1, 63));
  }
}

}  // namespace
}  // namespace kallima

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
/// any link, in units of what a node sends by its six links.
double listed_on_torus(const Layout& from, const Layout& to) {
  constexpr Index side = 4;
  constexpr double links = 6.;
  std::map<std::array<Index, 3>, double> carried;  // node, direction, up or down
  double sent = 0.;
  constexpr Index nodes = side * side * side;
  for (Index rank = 0; rank < nodes; ++rank) {
    for (const Piece& piece : pieces(from, to, rank)) {
      if (piece.peer == rank) continue;
      sent += static_cast<double>(piece.size);
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
  return links * most / (sent / static_cast<double>(nodes));
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
  EXPECT_NEAR(crowding_of_all(wired(Wiring::torus), 64), listed_on_torus(from, to), 1e-9);
}

TEST(Congestion, rows_and_columns_load_a_torus_as_their_messages_do) {
  const Layout pencils = Layout::pencil(shape, 2, 8, 8);
  const Layout columns = Layout::parse("z:all y:block/8@1 x:block/8@8", shape);
  const Layout rows = Layout::parse("z:block/8@8 y:all x:block/8@1", shape);
  for (const Layout& to : {columns, rows}) {
    EXPECT_NEAR(crowding_of_exchange(wired(Wiring::torus), pencils, to, 1, 7),
                listed_on_torus(pencils, to), 1e-9)
        << to.to_text();
  }
}

TEST(Congestion, rows_below_one_switch_do_not_feel_the_taper) {
  const Layout pencils = Layout::pencil(shape, 2, 8, 8);
  const Layout rows = Layout::parse("z:block/8@8 y:all x:block/8@1", shape);
  const Layout columns = Layout::parse("z:all y:block/8@1 x:block/8@8", shape);
  const Topology tree = wired(Wiring::fat_tree, 2.);
  EXPECT_DOUBLE_EQ(crowding_of_exchange(tree, pencils, rows, 1, 7), 1.);
  EXPECT_DOUBLE_EQ(crowding_of_exchange(tree, pencils, columns, 1, 7), 2.);
}

TEST(Congestion, a_group_that_sends_to_one_other_has_one_link) {
  // Ranks 32 apart exchange halves: all of a group of 8 sends to the one 4 groups further on.
  const Layout from = Layout::pencil(shape, 2, 2, 32);
  const Layout to = Layout::parse("z:all y:block/32@1 x:block/2@32", shape);
  EXPECT_DOUBLE_EQ(crowding_of_exchange(wired(Wiring::dragonfly, 1., 8), from, to, 1, 1), 7.);
}

}  // namespace
}  // namespace kallima

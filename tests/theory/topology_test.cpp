// SPDX-License-Identifier: BSD-3-Clause
#include "theory/topology.hpp"
#include "machine/figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kallima::models {
namespace {

TEST(Topology, links_across_the_middle) {
  EXPECT_DOUBLE_EQ(bisection_links(FullNetwork(), 64), 32);
  EXPECT_DOUBLE_EQ(bisection_links(FatTree{.taper = 2}, 64), 16);
  // 4 x 4 x 4: a plane of 16 links, and 16 that wrap around
  EXPECT_DOUBLE_EQ(bisection_links(Torus{.dimensions = 3}, 64), 32);
  // 8 x 8: 2 * 8; a ring: 2
  EXPECT_DOUBLE_EQ(bisection_links(Torus{.dimensions = 2}, 64), 16);
  EXPECT_DOUBLE_EQ(bisection_links(Torus{.dimensions = 1}, 64), 2);
  // 32 nodes of one half have 32 global links, of which 2 in 3 lead to the other half's groups.
  EXPECT_DOUBLE_EQ(bisection_links(Dragonfly{.groups = 4, .taper = 1}, 64), 32.0 * 2 / 3);
  EXPECT_DOUBLE_EQ(bisection_links(Dragonfly{.groups = 2, .taper = 2}, 64), 16);
}

/// Counts the links of a torus of `side`^2 nodes between columns 0 .. side/2 - 1 and the others.
int crossing_links(int side) {
  int links = 0;
  for (int node = 0; node < side * side; ++node) {
    const int column = node % side;
    const int right = (column + 1) % side;
    if ((column < side / 2) != (right < side / 2)) ++links;
  }
  return links;
}

TEST(Topology, links_of_a_torus_are_those_counted) {
  for (int side = 4; side <= 16; side += 2) {
    EXPECT_DOUBLE_EQ(bisection_links(Torus{.dimensions = 2}, side * side), crossing_links(side));
  }
}

/// Global links between the halves, every pair of groups joined by as many.
TEST(Topology, links_of_a_dragonfly_are_those_counted) {
  const int groups = 6;
  const double nodes = 6 * 10;
  const double per_pair = 10.0 / (groups - 1);
  double links = 0;
  for (int left = 0; left < groups / 2; ++left) {
    for (int right = groups / 2; right < groups; ++right) links += per_pair;
  }
  EXPECT_DOUBLE_EQ(bisection_links(Dragonfly{.groups = groups, .taper = 1}, nodes), links);
}

TEST(Topology, exponents) {
  EXPECT_DOUBLE_EQ(bisection_exponent(FullNetwork()), 1);
  EXPECT_DOUBLE_EQ(bisection_exponent(FatTree{.taper = 4}), 1);
  EXPECT_DOUBLE_EQ(bisection_exponent(Dragonfly()), 1);
  EXPECT_DOUBLE_EQ(bisection_exponent(Torus{.dimensions = 3}), 2.0 / 3);
  // The exponent is what eight times the nodes do to the links.
  for (const int k : {1, 2, 3, 5}) {
    const Torus torus = {.dimensions = k};
    EXPECT_NEAR(bisection_links(torus, 8000) / bisection_links(torus, 1000),
                std::pow(8, bisection_exponent(torus)), 1e-9);
  }
}

TEST(Topology, all_to_all_by_hand) {
  // 4 nodes send 30 bytes each, 10 to each other one. Two to two and back: 4 pairs, 40 bytes each
  // way.
  const NodeExchange exchange = {.nodes = 4, .bytes = 30, .link_bandwidth = 5};
  // 2 links of 5: 4 seconds; out of a node 6.
  EXPECT_DOUBLE_EQ(bisection_seconds(FullNetwork(), exchange), 4);
  EXPECT_DOUBLE_EQ(injection_seconds(FullNetwork(), exchange), 6);
  EXPECT_DOUBLE_EQ(all_to_all_seconds(FullNetwork(), exchange), 6);
  // Tapered 2:1 the middle has one link: 8.
  EXPECT_DOUBLE_EQ(all_to_all_seconds(FatTree{.taper = 2}, exchange), 8);
  // A ring of four: 2 links across, 2 out of each node: max{4, 3}.
  EXPECT_DOUBLE_EQ(injection_seconds(Torus{.dimensions = 1}, exchange), 3);
  EXPECT_DOUBLE_EQ(all_to_all_seconds(Torus{.dimensions = 1}, exchange), 4);
}

TEST(Topology, a_balanced_dragonfly_keeps_up_with_its_nodes) {
  // For many nodes a quarter of all bytes crosses each way, over nodes/4 links.
  const NodeExchange exchange = {.nodes = 1e6, .bytes = 1e6, .link_bandwidth = 1};
  const Dragonfly fly = {.groups = 1000, .taper = 1};
  EXPECT_NEAR(bisection_seconds(fly, exchange) / injection_seconds(fly, exchange), 1, 0.002);
}

TEST(Topology, time_is_proportional_to_bytes) {
  const std::vector<Topology> all = {FullNetwork(), FatTree{.taper = 3}, Torus{.dimensions = 3},
                                     Dragonfly{.groups = 8, .taper = 1.5}};
  for (const Topology& topology : all) {
    const NodeExchange small = {.nodes = 64, .bytes = 1000, .link_bandwidth = 10};
    NodeExchange large = small;
    large.bytes *= 3;
    EXPECT_DOUBLE_EQ(all_to_all_seconds(topology, large), 3 * all_to_all_seconds(topology, small));
    large = small;
    large.link_bandwidth *= 2;
    EXPECT_DOUBLE_EQ(2 * all_to_all_seconds(topology, large), all_to_all_seconds(topology, small));
  }
}

}  // namespace
}  // namespace kallima::models

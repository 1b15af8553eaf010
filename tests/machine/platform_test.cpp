// SPDX-License-Identifier: BSD-3-Clause
#include "machine/platform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "machine/wiring.hpp"

namespace kallima {
namespace {

MachineFigures machine_with(Wiring wiring, double taper = 1., Index groups = 8) {
  MachineFigures machine = built_in_machine().figures();
  machine.name = "test";
  machine.between_nodes.latency = 4e-6;
  machine.between_nodes.overhead = 0.5e-6;
  machine.between_nodes.gap = 0.25e-6;
  machine.between_nodes.per_byte = Curve(1e-10);
  machine.between_nodes.node_per_byte = 1e-10;
  machine.topology = Topology();
  machine.topology.wiring = wiring;
  machine.topology.taper = taper;
  machine.topology.groups = groups;
  return machine;
}

bool has(const Platform& platform, const std::string& text) {
  return platform.xml.find(text) != std::string::npos;
}

TEST(Platform, sides_of_a_torus_are_as_even_as_they_can_be) {
  using Sides = std::vector<Index>;
  EXPECT_EQ(torus_sides(64, 3), (Sides{4, 4, 4}));
  EXPECT_EQ(torus_sides(256, 3), (Sides{4, 8, 8}));
  EXPECT_EQ(torus_sides(1024, 3), (Sides{8, 8, 16}));
  EXPECT_EQ(torus_sides(1024, 5), (Sides{4, 4, 4, 4, 4}));
  EXPECT_EQ(torus_sides(7, 3), (Sides{1, 1, 7}));
  EXPECT_EQ(torus_sides(1, 2), (Sides{1, 1}));
  for (Index nodes = 1; nodes <= 200; ++nodes) {
    const Sides sides = torus_sides(nodes, 3);
    EXPECT_EQ(std::accumulate(sides.begin(), sides.end(), Index{1}, std::multiplies<>()), nodes);
  }
}

TEST(Platform, leaves_of_a_tree_divide_its_nodes) {
  EXPECT_EQ(leaf_nodes(64), 8);
  EXPECT_EQ(leaf_nodes(128), 16);
  EXPECT_EQ(leaf_nodes(1024), 32);
  EXPECT_EQ(leaf_nodes(7), 7);
}

TEST(Platform, a_tapered_tree_has_fewer_links_up_than_down) {
  const Platform platform = simgrid_platform(machine_with(Wiring::fat_tree, 2.), 64, 1);
  EXPECT_TRUE(has(platform, R"(topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,1")"));
  EXPECT_TRUE(has(platform, R"(radical="0-63")"));
  EXPECT_TRUE(has(platform, R"(bw="1e+10Bps")"));
  EXPECT_DOUBLE_EQ(platform.machine->topology.taper, 2.);
  EXPECT_TRUE(platform.notes.empty());
}

TEST(Platform, a_path_takes_the_latency_in_the_mean) {
  // 56 of 63 others are 4 links away, 7 are 2.
  const Platform tree = simgrid_platform(machine_with(Wiring::fat_tree), 64, 1);
  EXPECT_TRUE(has(tree, R"(lat="1.05882e-06s")")) << tree.xml;
}

TEST(Platform, starting_a_message_takes_the_gap_or_both_overheads) {
  MachineFigures machine = machine_with(Wiring::full);
  EXPECT_TRUE(has(simgrid_platform(machine, 4, 1), R"("smpi/ois" value="0:1e-06:0")"));
  machine.between_nodes.gap = 3e-6;
  EXPECT_TRUE(has(simgrid_platform(machine, 4, 1), R"("smpi/ois" value="0:3e-06:0")"));
}

TEST(Platform, links_of_a_torus_share_what_a_node_sends) {
  const Platform platform = simgrid_platform(machine_with(Wiring::torus), 256, 1);
  EXPECT_TRUE(has(platform, R"(topology="TORUS" topo_parameters="4,8,8")"));
  EXPECT_TRUE(has(platform, R"(bw="1.66667e+09Bps")"));
}

TEST(Platform, a_dragonfly_says_what_taper_whole_links_have) {
  const Platform platform = simgrid_platform(machine_with(Wiring::dragonfly, 2.), 1024, 1);
  // 128 nodes a group; 9 links to each of 7 others are 63 of the 64 that a taper of 2 wants.
  EXPECT_TRUE(has(platform, R"(topology="DRAGONFLY" topo_parameters="8,9;1,1;16,128;8")"))
      << platform.xml;
  EXPECT_DOUBLE_EQ(platform.machine->topology.taper, 128. / 63.);
  EXPECT_EQ(platform.notes.size(), 1U);
}

TEST(Platform, a_part_of_a_dragonfly_has_fewer_groups) {
  MachineFigures machine = machine_with(Wiring::dragonfly, 1., 16);
  machine.topology.nodes = 1024;
  const Platform platform = simgrid_platform(machine, 256, 1);
  EXPECT_EQ(platform.machine->topology.groups, 4);
  EXPECT_EQ(platform.machine->topology.nodes, 256);
}

TEST(Platform, ranks_of_a_node_follow_each_other_in_the_host_file) {
  const Platform platform = simgrid_platform(machine_with(Wiring::full), 2, 3);
  EXPECT_EQ(platform.hosts, "node0\nnode0\nnode0\nnode1\nnode1\nnode1\n");
  EXPECT_TRUE(has(platform, R"(core="3")"));
  EXPECT_TRUE(has(platform, "loopback_bw"));
}

TEST(Platform, a_rank_that_cannot_fill_the_link_narrows_it) {
  MachineFigures machine = machine_with(Wiring::full);
  machine.between_nodes.per_byte = Curve(4e-10);
  EXPECT_TRUE(has(simgrid_platform(machine, 4, 1), R"(bw="2.5e+09Bps")"));
  EXPECT_TRUE(has(simgrid_platform(machine, 4, 8), R"(bw="1e+10Bps")"));
}

TEST(Platform, what_cannot_be_built_is_refused_with_the_fix) {
  const auto text_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const InvalidOption& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_NE(text_of([] {
              simgrid_platform(machine_with(Wiring::dragonfly), 32, 1);
            }).find("give 64 nodes"),
            std::string::npos);
  EXPECT_NE(text_of([] { simgrid_platform(machine_with(Wiring::full), 0, 1); }).find("at least 1"),
            std::string::npos);
  MachineFigures mute = machine_with(Wiring::full);
  mute.between_nodes.per_byte = Curve();
  mute.between_nodes.node_per_byte = 0.;
  EXPECT_NE(text_of([&] { simgrid_platform(mute, 4, 1); }).find("no bandwidth"), std::string::npos);
}

TEST(Platform, the_name_of_a_machine_cannot_end_the_comment) {
  MachineFigures machine = machine_with(Wiring::full);
  machine.name = "a--><b";
  EXPECT_EQ(simgrid_platform(machine, 2, 1).xml.find("a--"), std::string::npos);
}

}  // namespace
}  // namespace kallima

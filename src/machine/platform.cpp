// SPDX-License-Identifier: BSD-3-Clause
#include "machine/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/checked.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "machine/link_models.hpp"
#include "machine/wiring.hpp"

namespace kallima {

namespace {

double real(Index count) { return static_cast<double>(count); }

/// Mean distance round a ring between two of its nodes, itself included.
double mean_around(Index side) { return std::floor(real(side) * real(side) / 4.) / real(side); }

/// What a topology is in SimGrid's words, with what is needed for latency and for pricing.
struct Built {
  std::string attributes;  ///< of <cluster>
  double mean_hops = 2.;   ///< links between two different nodes
  double taper = 1.;       ///< as built
  double links = 1.;       ///< by which a node enters the network
};

Built build_full() { return {"", 2., 1., 1.}; }

Built build_fat_tree(const Topology& topology, Index nodes) {
  const Index leaf = leaf_nodes(nodes);
  const Index leaves = nodes / leaf;
  if (leaves == 1) return build_full();
  const Index up = std::max<Index>(1, std::llround(real(leaf) / topology.taper));
  Built built;
  built.attributes =
      fmt::format(R"( topology="FAT_TREE" topo_parameters="2;{},{};1,{};1,1")", leaf, leaves, up);
  const double near = real(leaf - 1) / real(nodes - 1);
  built.mean_hops = 2. * near + 4. * (1. - near);
  built.taper = real(leaf) / real(up);
  return built;
}

Built build_torus(const Topology& topology, Index nodes) {
  const std::vector<Index> sides = torus_sides(nodes, topology.dimensions);
  Built built;
  built.attributes =
      fmt::format(R"( topology="TORUS" topo_parameters="{}")", fmt::join(sides, ","));
  built.mean_hops = 0.;
  for (const Index side : sides) built.mean_hops += mean_around(side);
  built.mean_hops *= real(nodes) / real(nodes - 1);
  built.links = 2. * real(topology.dimensions);
  return built;
}

Built build_dragonfly(const Topology& topology, Index nodes) {
  const Index groups = groups_of(topology, nodes);
  if (groups < 2) return build_full();
  const Index group = nodes / groups;
  if (nodes % groups != 0 || group < groups) {
    throw InvalidOption(fmt::format(
        "{} nodes do not make a dragonfly of {} groups, of which each has as many nodes as there "
        "are groups or more; give {} nodes, or a machine with another topology.groups",
        nodes, groups, groups * std::max(groups, ceil_div(nodes, groups))));
  }
  // One router of a group leads to each other group, so there are as many routers.
  const Index routers = divisor_from(group, std::max(real(groups), std::sqrt(real(group))));
  const Index lanes =
      std::max<Index>(1, std::llround(real(group) / (topology.taper * real(groups - 1))));
  Built built;
  built.attributes = fmt::format(R"( topology="DRAGONFLY" topo_parameters="{},{};1,1;{},{};{}")",
                                 groups, lanes, routers, group, group / routers);
  const double same_router = real(group / routers - 1) / real(nodes - 1);
  const double same_group = real(group - 1) / real(nodes - 1) - same_router;
  const double detour = 2. * real(routers - 1) / real(routers);
  built.mean_hops =
      2. * same_router + 3. * same_group + (3. + detour) * (1. - same_router - same_group);
  built.taper = real(group) / real(lanes * (groups - 1));
  return built;
}

Built build(const Topology& topology, Index nodes) {
  if (nodes == 1) return build_full();
  switch (topology.wiring) {
    case Wiring::full:
      return build_full();
    case Wiring::fat_tree:
      return build_fat_tree(topology, nodes);
    case Wiring::torus:
      return build_torus(topology, nodes);
    case Wiring::dragonfly:
      return build_dragonfly(topology, nodes);
  }
  throw InternalError("a wiring without a platform");
}

/// What may stand between the marks of an XML comment.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '-' || c == '<' || c == '>'; }, ' ');
  return text;
}

}  // namespace

Platform simgrid_platform(const Machine& machine, Index nodes, Index ranks_per_node) {
  if (nodes < 1) throw InvalidOption("a platform of no nodes; give at least 1");
  if (ranks_per_node < 1) throw InvalidOption("a node without ranks; give at least 1");
  const Link& link = machine->between_nodes;
  const double of_ranks = large_per_byte(link) / real(ranks_per_node);
  const double per_byte = std::max(link.node_per_byte, of_ranks);
  if (per_byte <= 0.) {
    throw InvalidOption(
        "the machine has no bandwidth between nodes; give one that was calibrated "
        "between nodes, or published");
  }
  const Built built = build(machine->topology, nodes);

  Platform platform;
  MachineFigures figures = machine.figures();
  figures.topology.nodes = nodes;
  figures.topology.taper = built.taper;
  if (machine->topology.wiring == Wiring::dragonfly) {
    figures.topology.groups = groups_of(machine->topology, nodes);
  }
  platform.machine = std::move(figures);
  const bool tapers =
      machine->topology.wiring == Wiring::fat_tree || machine->topology.wiring == Wiring::dragonfly;
  if (tapers && std::abs(built.taper - machine->topology.taper) > 1e-9 * built.taper) {
    platform.notes.push_back(
        fmt::format("a taper of {:.4g}, where the machine says {:.4g}: links are whole ones",
                    built.taper, machine->topology.taper));
  }
  if (built.links > 1. && of_ranks > link.node_per_byte) {
    platform.notes.emplace_back(
        "nodes of a torus send by all their links at once, where the machine says that ranks "
        "cannot");
  }
  if (link.per_byte.points().size() > 1) {
    platform.notes.emplace_back(
        "one bandwidth, that of large messages, where the machine has a curve");
  }
  const double busy = std::max(link.gap, 2. * link.overhead);
  const double in_node = large_per_byte(machine->in_node);
  const std::string loopback =
      ranks_per_node > 1 && in_node > 0.
          ? fmt::format(R"( loopback_bw="{:.6g}Bps" loopback_lat="{:.6g}s")", 1. / in_node,
                        machine->in_node.latency)
          : std::string();
  platform.xml = fmt::format(
      R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- {} nodes of the machine {}, {} a node. -->
<platform version="4.1">
  <config>
    <prop id="network/crosstraffic" value="0"/>
    <prop id="smpi/ois" value="0:{:.6g}:0"/>
    <prop id="smpi/send-is-detached-thresh" value="8192"/>
  </config>
  <cluster id="machine" prefix="node" suffix="" radical="0-{}" speed="1Gf" core="{}"
           bw="{:.6g}Bps" lat="{:.6g}s" sharing_policy="SPLITDUPLEX"{}
          {}/>
</platform>
)",
      nodes, plain(machine->name),
      ranks_per_node == 1 ? "1 rank" : fmt::format("{} ranks", ranks_per_node), busy, nodes - 1,
      ranks_per_node, 1. / (per_byte * built.links), link.latency / built.mean_hops, loopback,
      built.attributes);
  for (Index node = 0; node < nodes; ++node) {
    for (Index rank = 0; rank < ranks_per_node; ++rank) {
      platform.hosts += fmt::format("node{}\n", node);
    }
  }
  return platform;
}

}  // namespace kallima

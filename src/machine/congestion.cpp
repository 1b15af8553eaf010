// SPDX-License-Identifier: BSD-3-Clause
#include "machine/congestion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/checked.hpp"
#include "kallima/error.hpp"
#include "layout/peers.hpp"
#include "machine/figures.hpp"
#include "machine/wiring.hpp"

namespace kallima {

namespace {

double real(Index count) { return static_cast<double>(count); }

/// Steps up a ring; as many down where they are negative.
Index steps(Index from, Index to, Index side) {
  const Index up = (to - from + side) % side;
  return 2 * up <= side ? up : up - side;
}

/// Sides of what is more a torus than a line, otherwise none.
std::vector<Index> even_sides(const Topology& topology, Index nodes) {
  constexpr Index uneven = 4;
  std::vector<Index> sides = torus_sides(nodes, topology.dimensions);
  if (sides.back() > uneven * sides.front()) sides.clear();
  return sides;
}

/// Mean of the steps that go up, to all nodes of a ring.
double mean_steps_up(double side) {
  const double half = std::floor(side / 2);
  return half * (half + 1) / 2 / side;
}

double torus_of_all(const Topology& topology, Index nodes) {
  std::vector<Index> sides = even_sides(topology, nodes);
  const double links = 2. * real(topology.dimensions);
  // Of a number that makes no torus: of the cube that is as large.
  const double longest = sides.empty() ? std::pow(real(nodes), 1. / real(topology.dimensions)) / 8.
                                       : mean_steps_up(real(sides.back()));
  return links * longest * real(nodes) / real(nodes - 1);
}

/// What one rank sends to a node that is not its own.
struct SentOut {
  Index node = 0;
  Index elements = 0;
};

std::vector<SentOut> sent_out(const Sendings& sendings, Index rank) {
  std::vector<SentOut> result;
  for (const Sending& each : sendings.of(rank)) {
    const Index node = each.taker / sendings.per_node;
    if (node != rank / sendings.per_node) result.push_back({node, each.elements});
  }
  return result;
}

Index nodes_of(const Sendings& sendings) { return ceil_div(sendings.ranks, sendings.per_node); }

/// The fewer peers a rank has, the more ranks it takes to see which links they use.
Index ranks_to_look_at(const Sendings& sendings) {
  constexpr Index least = 16;
  constexpr Index pairs = Index{1} << 12;
  return std::max(least, pairs / std::max<Index>(1, sendings.peers));
}

/// Calls visit(node, sendings) for some of the first `ranks`, evenly spread but not in one line.
template <class Visit>
void for_some_ranks(const Sendings& sendings, Index ranks, Visit visit) {
  const Index count = std::min(ranks_to_look_at(sendings), ranks);
  for (Index i = 0; i < count; ++i) {
    const Index rank = i * (ranks > count ? ranks / count + 1 : 1) % ranks;
    visit(rank / sendings.per_node, sent_out(sendings, rank));
  }
}

/// Elements through the busiest link, over those that a node sends. Elements are means over ranks.
struct Load {
  double busiest = 0.;
  double sent = 0.;

  [[nodiscard]] double crowding() const { return sent > 0. ? std::max(1., busiest / sent) : 1.; }
};

Load load_of_tree(const Topology& topology, const Sendings& sendings) {
  const Index leaf = leaf_nodes(nodes_of(sendings));
  Load load;
  for_some_ranks(sendings, sendings.ranks, [&](Index node, const std::vector<SentOut>& sent) {
    for (const SentOut& each : sent) {
      load.sent += real(each.elements);
      if (each.node / leaf != node / leaf) load.busiest += topology.taper * real(each.elements);
    }
  });
  return load;
}

Load load_of_torus(const Topology& topology, const std::vector<Index>& sides,
                   const Sendings& sendings) {
  std::vector<double> up(sides.size());
  std::vector<double> down(sides.size());
  Load load;
  for_some_ranks(sendings, sendings.ranks, [&](Index node, const std::vector<SentOut>& sent) {
    for (const SentOut& each : sent) {
      load.sent += real(each.elements);
      Index here = node;
      Index there = each.node;
      for (std::size_t d = 0; d < sides.size(); ++d) {
        const Index way = steps(here % sides[d], there % sides[d], sides[d]);
        (way > 0 ? up : down)[d] += real(std::abs(way) * each.elements);
        here /= sides[d];
        there /= sides[d];
      }
    }
  });
  const double most = std::max(*std::max_element(up.begin(), up.end()),
                               *std::max_element(down.begin(), down.end()));
  load.busiest = 2. * real(topology.dimensions) * most;
  return load;
}

/// Of one group, as the links of each are its own.
Load load_of_dragonfly(const Topology& topology, Index groups, const Sendings& sendings) {
  const Index group = ceil_div(nodes_of(sendings), groups);
  std::vector<double> to_group(static_cast<std::size_t>(groups));
  Load load;
  for_some_ranks(sendings, std::min(sendings.ranks, group * sendings.per_node),
                 [&](Index node, const std::vector<SentOut>& sent) {
                   for (const SentOut& each : sent) {
                     load.sent += real(each.elements);
                     const Index other = each.node / group;
                     if (other == node / group) continue;
                     to_group[static_cast<std::size_t>(other)] += real(each.elements);
                   }
                 });
  const double most = *std::max_element(to_group.begin(), to_group.end());
  load.busiest = topology.taper * real(groups - 1) * most;
  return load;
}

}  // namespace

double crowding_of_all(const Topology& topology, Index nodes) {
  if (nodes < 2) return 1.;
  switch (topology.wiring) {
    case Wiring::full:
      return 1.;
    case Wiring::fat_tree:
      return std::max(1., topology.taper * real(nodes - leaf_nodes(nodes)) / real(nodes - 1));
    case Wiring::torus:
      return std::max(1., torus_of_all(topology, nodes));
    case Wiring::dragonfly: {
      const Index groups = groups_of(topology, nodes);
      const double out = 1. - 1. / real(groups);
      return std::max(1., topology.taper * out * real(nodes) / real(nodes - 1));
    }
  }
  throw InternalError("a wiring without a model");
}

double crowding_of(const Topology& topology, const Sendings& sendings) {
  const Index nodes = nodes_of(sendings);
  if (nodes < 2 || 2 * sendings.peers > sendings.ranks) return crowding_of_all(topology, nodes);
  switch (topology.wiring) {
    case Wiring::full:
      return 1.;
    case Wiring::fat_tree:
      return load_of_tree(topology, sendings).crowding();
    case Wiring::torus: {
      const std::vector<Index> sides = even_sides(topology, nodes);
      if (sides.empty()) return crowding_of_all(topology, nodes);
      return load_of_torus(topology, sides, sendings).crowding();
    }
    case Wiring::dragonfly: {
      const Index groups = groups_of(topology, nodes);
      if (groups < 2) return 1.;
      return load_of_dragonfly(topology, groups, sendings).crowding();
    }
  }
  throw InternalError("a wiring without a model");
}

double crowding_of_exchange(const Topology& topology, const Layout& from, const Layout& to,
                            Index per_node, Index peers) {
  const auto of = [&](Index rank) {
    std::vector<Sending> result;
    for (const Peer& peer : peers_of(from, to, rank)) {
      if (peer.rank != rank) result.push_back({peer.rank, peer.size});
    }
    return result;
  };
  return crowding_of(topology, {std::max(from.ranks(), to.ranks()), per_node, peers, of});
}

}  // namespace kallima

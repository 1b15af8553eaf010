// SPDX-License-Identifier: BSD-3-Clause
#include "machine/congestion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/checked.hpp"
#include "kallima/error.hpp"
#include "layout/peers.hpp"
#include "layout/sample.hpp"
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

/// Neighbouring nodes with links that they share: leaves of a tree, groups of a dragonfly.
struct Regions {
  Index ranks = 1;
  Index nodes_each = 1;
  Index per_node = 1;  ///< ranks

  [[nodiscard]] Index ranks_each() const { return nodes_each * per_node; }
  [[nodiscard]] Index count() const { return ceil_div(ranks, ranks_each()); }
  [[nodiscard]] Index of(Index rank) const { return rank / ranks_each(); }
  [[nodiscard]] Index begin(Index region) const { return region * ranks_each(); }
  [[nodiscard]] Index size(Index region) const {
    return std::min(ranks, begin(region + 1)) - begin(region);
  }
};

Regions regions_of(const Topology& topology, Index ranks, Index per_node) {
  const Index nodes = ceil_div(ranks, per_node);
  const Index each = topology.wiring == Wiring::fat_tree
                         ? leaf_nodes(nodes)
                         : ceil_div(nodes, groups_of(topology, nodes));
  return {ranks, each, per_node};
}

/// Of so many, those that are looked at.
class Looked {
 public:
  Looked(Index all, Index at_most) : all_(all), count_(std::min(all, at_most)) {}

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index at(Index i) const { return count_ < all_ ? sampled(i, all_) : i; }
  /// What a sum over these is to be taken times.
  [[nodiscard]] double scale() const { return real(all_) / real(count_); }

 private:
  Index all_;
  Index count_;
};

constexpr Index most_regions = 16;
constexpr Index least_ranks = 4;
constexpr Index most_pairs = Index{1} << 11;

/// The fewer peers a rank has, the more ranks it takes to see which links they use.
Index ranks_to_look_at(Index peers) {
  return std::max(least_ranks, most_pairs / std::max<Index>(1, peers));
}

/// Elements by region that the ranks of one region send to others, or receive.
std::map<Index, double> moved_by_region(const Regions& regions, const Listing& of, Index region,
                                        Index most_ranks) {
  std::map<Index, double> result;
  const Looked ranks(regions.size(region), most_ranks);
  for (Index i = 0; i < ranks.count(); ++i) {
    for (const Sending& each : of(regions.begin(region) + ranks.at(i))) {
      const Index other = regions.of(each.peer);
      if (other != region) result[other] += ranks.scale() * real(each.elements);
    }
  }
  return result;
}

/// Elements through the busiest link of a region, in units of a node's link, where it moves so many
/// to others or from them.
double load_of_region(const Topology& topology, const Regions& regions,
                      const std::map<Index, double>& moved) {
  double all = 0.;
  double most = 0.;
  for (const auto& [other, elements] : moved) {
    all += elements;
    most = std::max(most, elements);
  }
  // Links up a tree share what leaves a leaf; a group has one link to each other.
  const double shared =
      topology.wiring == Wiring::fat_tree ? all : most * real(regions.count() - 1);
  return topology.taper * shared / real(regions.nodes_each);
}

double load_of_regions(const Topology& topology, const Sendings& sendings) {
  const Regions regions = regions_of(topology, sendings.ranks, sendings.per_node);
  const Index ranks = ranks_to_look_at(sendings.peers);
  const Looked looked(regions.count(), std::min(most_regions, ranks));
  double most = 0.;
  for (Index i = 0; i < looked.count(); ++i) {
    for (const Listing* const of : {&sendings.sent, &sendings.received}) {
      most = std::max(most, load_of_region(topology, regions,
                                           moved_by_region(regions, *of, looked.at(i),
                                                           ranks / looked.count())));
    }
  }
  return most;
}

/// Steps along the sides of a torus, up and down, for each element that ranks move.
class TorusSteps {
 public:
  TorusSteps(const std::vector<Index>& sides, Index per_node)
      : sides_(sides), per_node_(per_node), up_(sides.size()), down_(sides.size()) {}

  void add(Index rank, const Sending& each) {
    Index here = rank / per_node_;
    Index there = each.peer / per_node_;
    for (std::size_t d = 0; d < sides_.size(); ++d) {
      const Index way = steps(here % sides_[d], there % sides_[d], sides_[d]);
      (way > 0 ? up_ : down_)[d] += real(std::abs(way) * each.elements);
      here /= sides_[d];
      there /= sides_[d];
    }
  }
  [[nodiscard]] double most() const {
    return std::max(*std::max_element(up_.begin(), up_.end()),
                    *std::max_element(down_.begin(), down_.end()));
  }

 private:
  const std::vector<Index>& sides_;
  Index per_node_;
  std::vector<double> up_;
  std::vector<double> down_;
};

/// Calls visit(rank, sending) for all that some ranks move, and returns what a sum over these is to
/// be taken times to have the mean of nodes that move something: links of idle ones help nobody.
template <class Visit>
double for_some_ranks(const Sendings& sendings, const Listing& of, Visit visit) {
  const Looked ranks(sendings.ranks, ranks_to_look_at(sendings.peers));
  Index busy = 0;
  for (Index i = 0; i < ranks.count(); ++i) {
    const std::vector<Sending> moved = of(ranks.at(i));
    if (!moved.empty()) ++busy;
    for (const Sending& each : moved) visit(ranks.at(i), each);
  }
  return busy > 0 ? real(sendings.per_node) / real(busy) : 0.;
}

/// What each link of a torus carries, message by message and hop by hop.
class TorusLinks {
 public:
  TorusLinks(const std::vector<Index>& sides, Index nodes)
      : sides_(sides), carried_(static_cast<std::size_t>(2 * nodes) * sides.size()) {}

  void add(Index from, Index to, double elements) {
    Index at = from;
    Index stride = 1;
    for (std::size_t d = 0; d < sides_.size(); stride *= sides_[d++]) {
      const Index side = sides_[d];
      const Index way = steps(at / stride % side, to / stride % side, side);
      const Index step = way > 0 ? 1 : side - 1;
      for (Index hop = 0; hop < std::abs(way); ++hop) {
        const std::size_t link = (static_cast<std::size_t>(at) * sides_.size() + d) * 2;
        carried_[link + (way > 0 ? 0 : 1)] += elements;
        const Index digit = at / stride % side;
        at += ((digit + step) % side - digit) * stride;
      }
    }
  }
  [[nodiscard]] double most() const { return *std::max_element(carried_.begin(), carried_.end()); }

 private:
  const std::vector<Index>& sides_;
  std::vector<double> carried_;  // by node, direction, and up or down
};

double load_of_torus(const Topology& topology, const std::vector<Index>& sides,
                     const Sendings& sendings) {
  const double links = 2. * real(topology.dimensions);
  constexpr Index most_to_list = Index{1} << 14;  // messages
  if (sendings.ranks <= most_to_list / std::max<Index>(1, sendings.peers)) {
    TorusLinks carried(sides, ceil_div(sendings.ranks, sendings.per_node));
    for (Index rank = 0; rank < sendings.ranks; ++rank) {
      for (const Sending& each : sendings.sent(rank)) {
        carried.add(rank / sendings.per_node, each.peer / sendings.per_node, real(each.elements));
      }
    }
    return links * carried.most();
  }
  // Of many: as if all links of a direction carried as much.
  double most = 0.;
  for (const Listing* const of : {&sendings.sent, &sendings.received}) {
    TorusSteps all(sides, sendings.per_node);
    const double scale = for_some_ranks(
        sendings, *of, [&](Index rank, const Sending& each) { all.add(rank, each); });
    most = std::max(most, scale * all.most());
  }
  return links * most;
}

/// Elements that leave or reach a node that moves something.
double mean_of_busy_nodes(const Sendings& sendings) {
  double most = 0.;
  for (const Listing* const of : {&sendings.sent, &sendings.received}) {
    double all = 0.;
    const double scale = for_some_ranks(sendings, *of, [&](Index rank, const Sending& each) {
      if (rank / sendings.per_node != each.peer / sendings.per_node) all += real(each.elements);
    });
    most = std::max(most, scale * all);
  }
  return most;
}

/// What the ranks of each region that is looked at hold in all.
std::vector<double> held_by_regions(const Regions& regions, const Layout& layout) {
  const Looked looked(regions.count(), most_regions);
  std::vector<double> result;
  for (Index i = 0; i < looked.count(); ++i) {
    constexpr Index enough = 64;
    const Looked ranks(regions.size(looked.at(i)), enough);
    double held = 0.;
    for (Index k = 0; k < ranks.count(); ++k) {
      const Index rank = regions.begin(looked.at(i)) + ranks.at(k);
      if (rank < layout.ranks()) held += real(layout.local_size(rank));
    }
    result.push_back(held * ranks.scale());
  }
  return result;
}

/// Where everybody has something for everybody: what two ranks exchange is what one holds times the
/// share of all that the other will hold.
double load_of_all_regions(const Topology& topology, const Layout& from, const Layout& to,
                           Index ranks, Index per_node) {
  const Regions regions = regions_of(topology, ranks, per_node);
  if (regions.count() < 2) return 0.;
  const std::vector<double> held = held_by_regions(regions, from);
  const std::vector<double> wanted = held_by_regions(regions, to);
  const double all = real(volume(from.shape()));
  double most = 0.;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (topology.wiring == Wiring::fat_tree) {
      most = std::max({most, held[i] * (1. - wanted[i] / all), wanted[i] * (1. - held[i] / all)});
      continue;
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (k != i) most = std::max(most, held[i] * wanted[k] / all * real(regions.count() - 1));
    }
  }
  return topology.taper * most / real(regions.nodes_each);
}

/// Elements that a node of a torus sends or receives where everybody sends to everybody, and those
/// that hold something hold as much.
double load_of_whole_torus(const Topology& topology, const Layout& from, const Layout& to,
                           Index ranks, Index per_node) {
  const Index nodes = ceil_div(ranks, per_node);
  const Index busy = ceil_div(std::min(from.active_ranks(), to.active_ranks()), per_node);
  const double out = real(volume(from.shape())) / real(busy) * real(nodes - 1) / real(nodes);
  return out * torus_of_all(topology, nodes);
}

std::vector<Sending> others(const Layout& mine, const Layout& theirs, Index rank) {
  std::vector<Sending> result;
  if (rank >= mine.ranks()) return result;
  for (const Peer& peer : peers_of(mine, theirs, rank)) {
    if (peer.rank != rank) result.push_back({peer.rank, peer.size});
  }
  return result;
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

double inner_load(const Topology& topology, const Sendings& sendings) {
  const Index nodes = ceil_div(sendings.ranks, sendings.per_node);
  if (nodes < 2 || topology.wiring == Wiring::full) return 0.;
  if (topology.wiring != Wiring::torus) return load_of_regions(topology, sendings);
  const std::vector<Index> sides = even_sides(topology, nodes);
  return sides.empty() ? torus_of_all(topology, nodes) * mean_of_busy_nodes(sendings)
                       : load_of_torus(topology, sides, sendings);
}

double inner_load_of_exchange(const Topology& topology, const Layout& from, const Layout& to,
                              Index ranks, Index per_node, Index peers) {
  if (ceil_div(ranks, per_node) < 2 || topology.wiring == Wiring::full) return 0.;
  if (2 * peers > std::min(from.active_ranks(), to.active_ranks())) {
    return topology.wiring == Wiring::torus
               ? load_of_whole_torus(topology, from, to, ranks, per_node)
               : load_of_all_regions(topology, from, to, ranks, per_node);
  }
  return inner_load(topology,
                    {ranks, per_node, peers, [&](Index rank) { return others(from, to, rank); },
                     [&](Index rank) { return others(to, from, rank); }});
}

}  // namespace kallima

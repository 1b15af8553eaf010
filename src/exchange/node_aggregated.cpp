// SPDX-License-Identifier: BSD-3-Clause
//
// A message per pair of nodes: ranks of a node write what leaves it packed into memory that they
// share, one of them sends for all (node_layout.hpp), and what arrives they read there.
#include <algorithm>

#include "base/checked.hpp"
#include "exchange/methods.hpp"
#include "exchange/node_layout.hpp"
#include "exchange/piece_parts.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"
#include "machine/congestion.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

/// To list what goes between nodes takes as long as there are pieces: beyond so many ranks too long
/// for all plans that are compared.
constexpr Index most_ranks_considered = 128;

/// Pieces that a rank sends or takes, where they lie in the segments of its node.
std::vector<StridedBlock> in_segments(const BlockPlacer& at, const Site& site, bool sending,
                                      Area area) {
  const PieceParts parts(site);
  const NodeMap map = node_map(site.plan);
  const NodeLayout node = node_layout(site.plan, site.step, map.node_of(at.rank()));
  std::vector<NodePlace> places;
  const std::vector<NodePlace>& all = sending ? node.out : node.in;
  std::copy_if(all.begin(), all.end(), std::back_inserter(places), [&](const NodePlace& place) {
    return (sending ? place.sender : place.taker) == at.rank();
  });
  std::vector<StridedBlock> blocks;
  std::size_t next = 0;  // places and pieces are both in the order of peers
  for (const Piece& piece :
       pieces(site.mine(sending).layout, site.theirs(sending).layout, at.rank())) {
    const NodePlace& place = places[next++];
    StridedBlock block;
    block.area = area;
    block.owner = place.segment;
    block.places = piece.places;
    if (map.node_of(place.sender) == map.node_of(place.taker)) {
      blocks.push_back(parts.whole(block, place.begins[0]));
      continue;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      blocks.push_back(parts.cut(block, p, {place.sender, place.taker}, place.begins[p]));
    }
  }
  return blocks;
}

/// The messages of the buffers that a rank owns.
std::vector<MessageSlice> owned(const BlockPlacer& at, const Site& site, bool sending, Area area) {
  const PieceParts parts(site);
  const NodeLayout node = node_layout(site.plan, site.step, node_map(site.plan).node_of(at.rank()));
  std::vector<MessageSlice> slices;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t i = 0; i < node.buffers.size(); ++i) {
      const PeerBuffer& buffer = node.buffers[i].buffer;
      if (node.buffers[i].owner != at.rank() || (sending ? buffer.out : buffer.in).size() == 1)
        continue;
      slices.push_back({buffer.peer, area, node.buffers[i].begin + buffer.begin(p, sending),
                        buffer.size(p, sending), !site.before().element.complex,
                        parts.dependency(buffer, i, p, sending), at.rank()});
    }
  }
  return slices;
}

/// The least that the busiest node sends or receives, if its owners have as much to do.
Division division(const Site& site, const Pricing& pricing) {
  const Traffic& all = site.exchange().traffic;
  const NodeMap map = node_map(site.plan);
  const Index members = std::min(map.per_node, std::max<Index>(1, map.nodes() - 1));
  // Messages of many peers go together.
  const Layout& from = site.before().layout;
  const Layout& to = site.exchange().to;
  const auto peers = static_cast<Index>(peers_of(from, to, 0).size());
  return {{0, 0, 0, 0, all.most(), all.most_messages(), all.most() * members, false},
          inner_load_of_exchange(pricing.machine->topology, from, to, pricing.ranks,
                                 pricing.per_node, peers)};
}

class NodeAggregated final : public Method {
 public:
  [[nodiscard]] bool possible_in(const StepList& plan) const override { return has_nodes(plan); }
  [[nodiscard]] bool possible(const Site& site) const override {
    return Method::possible(site) && !site.exchange().hermitian() &&
           listable(node_map(site.plan), Method::traffic(site));
  }
  [[nodiscard]] bool chunks() const override { return true; }
  [[nodiscard]] bool fits(Index /*ranks*/, const Placement& planned,
                          const NodesHere& here) const override {
    return here.in_rows && here.ranks_per_node == planned.ranks_per_node;
  }
  [[nodiscard]] bool considered(Index ranks, const Placement& placement,
                                const Machine& machine) const override {
    const bool shares = placement.ranks_per_node > 1 && machine->shared_memory.available;
    return placement.ranks_per_node < ranks && ranks <= most_ranks_considered &&
           (shares || ranks == 1);
  }
  [[nodiscard]] Traffic traffic(const Site& site) const override {
    return node_traffic(site.before().layout, site.exchange().to, node_map(site.plan));
  }
  [[nodiscard]] bool sends_pieces() const override { return false; }
  [[nodiscard]] Holding holding() const override { return Holding::node_buffers; }
  [[nodiscard]] bool in_place(const Exchange& /*exchange*/) const override { return true; }
  [[nodiscard]] std::unique_ptr<BufferSizes> sizes(const Site& /*site*/,
                                                   bool /*sending*/) const override {
    return nullptr;
  }
  [[nodiscard]] ExtraMemory extra(const Site& site, Index rank) const override {
    const NodeMap map = node_map(site.plan);
    const Index node = map.node_of(rank);
    const auto member = static_cast<std::size_t>(rank - map.first(node));
    return {node_segments(site.plan, site.step, node, uniform(site.plan))[member], 0};
  }
  [[nodiscard]] ExtraMemory largest_extra(const Site& site) const override {
    const NodeMap map = node_map(site.plan);
    ExtraMemory result;
    for (Index node = 0; node < map.nodes(); ++node) {
      for (const Index held : node_segments(site.plan, site.step, node, false)) {
        result.segment = std::max(result.segment, held);
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<StridedBlock> written(const BlockPlacer& at, const Site& site,
                                                  Access /*access*/, Area area) const override {
    return in_segments(at, site, true, area);
  }
  [[nodiscard]] std::vector<StridedBlock> read(const BlockPlacer& at, const Site& site,
                                               Access /*access*/, Area area) const override {
    return in_segments(at, site, false, area);
  }
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area from,
                                          Area to) const override {
    return {{{}, owned(at, site, true, from), owned(at, site, false, to)}};
  }
  [[nodiscard]] Travel travel(const Site& site, const Pricing& pricing) const override {
    return travel_as(site, pricing,
                     [&](const Setting& /*setting*/) { return division(site, pricing); });
  }
  [[nodiscard]] ExchangeCost cost(const Site& site, const Pricing& pricing) const override {
    ExchangeCost result = Method::cost(site, pricing);
    // Ranks of a node wait for each other before and behind.
    result.used.push_back({pricing.machine->shared_memory.barrier,
                           static_cast<double>(pricing.per_node), "ranks that meet"});
    result.cost.latency += 2. * barrier_cost(pricing.setting(pricing.per_node)).latency;
    return result;
  }
  [[nodiscard]] double estimate(const Setting& setting, const Layout& from, const Layout& to,
                                Index bytes) const override {
    // Nothing within a node, and one message for what was one for each pair of ranks.
    const NodeTraffic by_ranks = divided(setting, from, to, 4 * setting.per_node);
    NodeTraffic together = by_ranks;
    together.elements_within = together.messages_within = 0;
    together.most_within = together.most_messages_within = 0;
    together.most_messages_between =
        ceil_div(by_ranks.most_messages_between, setting.per_node * setting.per_node);
    return messages_cost(setting, together, bytes).total();
  }
  [[nodiscard]] const char* phase() const override {
    return "exchange by node-aggregated messages";
  }
};

}  // namespace

const Method& node_aggregated_method() {
  static const NodeAggregated method;
  return method;
}

}  // namespace kallima

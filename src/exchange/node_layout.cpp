// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/node_layout.hpp"

#include <algorithm>
#include <map>

#include "exchange/tally.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"

namespace kallima {

namespace {

/// Pieces of all ranks beyond which nobody lists them.
constexpr Index most_pieces = Index{1} << 20;

/// Between whom a piece goes, in the order in which pieces lie in a message.
using Pair = std::pair<Index, Index>;  // sender, taker

/// What goes one way between two nodes: pieces and their parts.
using Load = std::map<Pair, std::vector<Index>>;  // sizes of parts

/// Calls out(sender, taker, size) for all that ranks of a node send, and in(...) for what comes to
/// them from other nodes.
template <class Out, class In>
void for_pieces_of_node(const StepList& plan, std::size_t step, const NodeMap& map, Index node,
                        Out out, In in) {
  const Layout& from = plan.states()[step].layout;
  const Layout& to = plan.states()[step + 1].layout;
  for (Index rank = map.first(node); rank < map.end(node); ++rank) {
    for (const Peer& taker : peers_of(from, to, rank)) out(rank, taker.rank, taker.size);
    for (const Peer& sender : peers_of(to, from, rank)) {
      if (map.node_of(sender.rank) != node) in(sender.rank, rank, sender.size);
    }
  }
}

/// Where the parts of a load begin, and the end.
std::vector<Index> begins_of(const Load& load, std::size_t parts) {
  std::vector<Index> begins = {0};
  if (load.empty()) return begins;
  for (std::size_t p = 0; p < parts; ++p) {
    Index size = 0;
    for (const auto& entry : load) size += entry.second[p];
    begins.push_back(begins.back() + size);
  }
  return begins;
}

/// Where the pieces of a load lie, whose parts begin at `begins` from `at` on.
void place(const Load& load, const std::vector<Index>& begins, Index at, Index segment,
           std::vector<NodePlace>& places) {
  std::vector<Index> next = begins;
  for (const auto& [pair, sizes] : load) {
    NodePlace here{pair.first, pair.second, segment, {}};
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      here.begins.push_back(at + next[p]);
      next[p] += sizes[p];
    }
    places.push_back(std::move(here));
  }
}

}  // namespace

Index NodeMap::owner(Index node, Index peer) const {
  const Index distance = (peer - node + nodes()) % nodes();
  return first(node) + (distance - 1) % (end(node) - first(node));
}

NodeMap node_map(const StepList& plan) {
  return {plan.ranks(), std::max<Index>(1, plan.placement().ranks_per_node)};
}

bool listable(const NodeMap& map, const Traffic& by_ranks) {
  return map.ranks <= most_pieces / std::max<Index>(1, by_ranks.most_messages_sent);
}

bool has_nodes(const StepList& plan) {
  if (plan.placement().ranks_per_node < 1 || plan.exchanges() == 0) return false;
  const auto sweeps = [&](std::size_t step) {
    return step < plan.steps().size() && std::holds_alternative<Sweep>(plan.steps()[step]);
  };
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
    if (exchange == nullptr) continue;
    if (!sweeps(i - 1) || !sweeps(i + 1)) return false;
    if (exchange->hermitian()) return false;
  }
  return true;
}

Traffic node_traffic(const Layout& from, const Layout& to, const NodeMap& map) {
  std::map<std::pair<Index, Index>, Index> between;  // elements, by nodes
  TrafficTally tally;
  for (Index rank = 0; rank < from.ranks(); ++rank) {
    for (const Peer& taker : peers_of(from, to, rank)) {
      tally.see_piece(taker.size);
      const std::pair nodes{map.node_of(rank), map.node_of(taker.rank)};
      if (nodes.first != nodes.second) between[nodes] += taker.size;
    }
  }
  for (const auto& [nodes, elements] : between) {
    tally.add(map.owner(nodes.first, nodes.second), map.owner(nodes.second, nodes.first), elements);
  }
  return tally.traffic();
}

std::vector<Index> node_segments(const StepList& plan, std::size_t step, Index node, bool uniform) {
  const auto& exchange = std::get<Exchange>(plan.steps()[step]);
  if (exchange.pipelined() && !uniform) return node_layout(plan, step, node).segments;
  const NodeMap map = node_map(plan);
  std::vector<Index> segments(static_cast<std::size_t>(map.end(node) - map.first(node)));
  const auto segment_of = [&](Index rank) -> Index& {
    return segments[static_cast<std::size_t>(rank - map.first(node))];
  };
  struct Both {
    Index out = 0;
    Index in = 0;
  };
  std::map<Index, Both> by_node;
  for_pieces_of_node(
      plan, step, map, node,
      [&](Index /*sender*/, Index taker, Index size) {
        const Index other = map.node_of(taker);
        (other == node ? segment_of(taker) : by_node[other].out) += size;
      },
      [&](Index sender, Index /*taker*/, Index size) { by_node[map.node_of(sender)].in += size; });
  const double part = exchange.pipelined() ? PartBegins(plan, step).largest() : 1.;
  for (const auto& [other, both] : by_node) {
    const Index larger = std::max(both.out, both.in);
    const auto apart = static_cast<Index>(part * static_cast<double>(larger));
    segment_of(map.owner(node, other)) += larger + apart + (part < 1. ? 1 : 0);
  }
  return segments;
}

NodeLayout node_layout(const StepList& plan, std::size_t step, Index node) {
  const NodeMap map = node_map(plan);
  const auto& exchange = std::get<Exchange>(plan.steps()[step]);
  const PartBegins part_begins(plan, step);
  const auto parts = static_cast<std::size_t>(exchange.chunks.parts());
  struct Both {
    Load out;
    Load in;
  };
  std::map<Index, Both> by_node;
  NodeLayout result;
  result.segments.resize(static_cast<std::size_t>(map.end(node) - map.first(node)));
  const auto segment_of = [&](Index rank) -> Index& {
    return result.segments[static_cast<std::size_t>(rank - map.first(node))];
  };
  for_pieces_of_node(
      plan, step, map, node,
      [&](Index sender, Index taker, Index size) {
        const Index other = map.node_of(taker);
        if (other != node) {
          by_node[other].out[{sender, taker}] = part_begins.sizes(sender, taker, size);
          return;
        }
        Index& end = segment_of(taker);
        result.out.push_back({sender, taker, taker, {end}});
        end += size;
      },
      [&](Index sender, Index taker, Index size) {
        by_node[map.node_of(sender)].in[{sender, taker}] = part_begins.sizes(sender, taker, size);
      });
  result.in = result.out;
  for (const auto& [other, both] : by_node) {
    NodeBuffer buffer;
    buffer.owner = map.owner(node, other);
    buffer.buffer = PeerBuffer::between(map.owner(other, node), begins_of(both.out, parts),
                                        begins_of(both.in, parts));
    Index& end = segment_of(buffer.owner);
    buffer.begin = end;
    end += buffer.buffer.allocated_size();
    place(both.out, buffer.buffer.out, buffer.begin + buffer.buffer.send_offset, buffer.owner,
          result.out);
    place(both.in, buffer.buffer.in, buffer.begin, buffer.owner, result.in);
    result.buffers.push_back(std::move(buffer));
  }
  const auto by_pair = [](const NodePlace& a, const NodePlace& b) {
    return std::pair(a.sender, a.taker) < std::pair(b.sender, b.taker);
  };
  std::sort(result.out.begin(), result.out.end(), by_pair);
  std::sort(result.in.begin(), result.in.end(), by_pair);
  return result;
}

}  // namespace kallima

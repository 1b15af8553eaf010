// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges by nodes: one message per ordered pair of nodes and part, whatever ranks there are on
// them. Each node shares its peers out among its ranks: the owner of a peer sends to it and
// receives from it, out of and into its own segment, where all ranks of the node have written and
// will read.
//
// A message holds, part by part, what each rank of one node has for each rank of the other, by
// sender, then by taker. Parts come and go in the same memory, as in peer buffers
// (exchange/chunks.hpp). What stays on a node lies in the segment of the rank that takes it, and
// does not move.
#pragma once

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "exchange/chunks.hpp"
#include "kallima/steps.hpp"

namespace kallima {

/// Which ranks share a node: so many in a row.
struct NodeMap {
  Index ranks = 1;
  Index per_node = 1;

  [[nodiscard]] Index nodes() const { return ceil_div(ranks, per_node); }
  [[nodiscard]] Index node_of(Index rank) const { return rank / per_node; }
  [[nodiscard]] Index first(Index node) const { return node * per_node; }
  [[nodiscard]] Index end(Index node) const { return std::min(ranks, (node + 1) * per_node); }
  /// The rank of `node` that sends to `peer`, another node, and receives from it.
  [[nodiscard]] Index owner(Index node, Index peer) const;
};

/// Of the ranks of a plan, as its placement has them.
NodeMap node_map(const StepList& plan);

/// True where it does not take too long to list all pieces of such an exchange.
bool listable(const NodeMap& map, const Traffic& by_ranks);

/// True where a plan with these steps may go by nodes: it is known how ranks share them, and its
/// exchanges are between sweeps, and none of k with n - k.
bool has_nodes(const StepList& plan);

/// What messages between nodes carry; figures of one rank are of owners. O(ranks peers).
Traffic node_traffic(const Layout& from, const Layout& to, const NodeMap& map);

/// Where a piece lies in the segments of a node.
struct NodePlace {
  Index sender = 0;
  Index taker = 0;
  Index segment = 0;          ///< rank whose segment it lies in
  std::vector<Index> begins;  ///< of its parts, elements from the start of the segment; one where
                              ///< sender and taker share the node
};

/// A buffer between two nodes, in the segment of a rank.
struct NodeBuffer {
  Index owner = 0;  ///< of this node; the buffer's peer is that of the other
  Index begin = 0;  ///< in its segment
  PeerBuffer buffer;
};

/// What a node's segments hold in an exchange. In elements.
struct NodeLayout {
  std::vector<NodePlace> out;       ///< what its ranks send, by sender and taker
  std::vector<NodePlace> in;        ///< what they take, by sender and taker; what stays is in both
  std::vector<NodeBuffer> buffers;  ///< by node
  std::vector<Index> segments;      ///< sizes, by rank of the node
};

/// Elements that the segments of a node have to hold at least, by rank of the node; where all ranks
/// of the plan hold the same (`uniform`), found without listing parts. O(ranks of the node, peers).
std::vector<Index> node_segments(const StepList& plan, std::size_t step, Index node, bool uniform);

/// Of the exchange at `step`. O(ranks of the node, peers, parts).
NodeLayout node_layout(const StepList& plan, std::size_t step, Index node);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges by relays, for pieces so small that starting a message costs more than what it carries:
// an all-to-all by digits (Bruck et al. 1997; machine/all_to_all.hpp has its rounds).
//
// Ranks that have pieces for each other, be it by way of others, are a group, numbered in order. A
// piece from member i to member j goes by the digits of (j - i) mod members in some radix, the
// lightest first: in each hop so many members on as its digit says, in one message with all other
// pieces that go as far. So a rank sends at most radix - 1 messages a hop instead of one per peer,
// and a piece travels once for each of its digits that is not 0.
#pragma once

#include <vector>

#include "kallima/pieces.hpp"
#include "kallima/steps.hpp"

namespace kallima {

/// True where an exchange can go by relays: it is none of k with n - k, and the ranks are few
/// enough to know all their pieces.
bool has_relays(const StepList& plan, const Exchange& exchange);

/// What goes between two ranks in a hop.
struct RelayMessage {
  /// A piece on its way.
  struct Load {
    Index sender = 0;  ///< where it comes from
    Index taker = 0;   ///< where it ends
    Index size = 0;    ///< elements
  };
  Index peer = 0;
  std::vector<Load> loads;  ///< in the order in which they lie

  [[nodiscard]] Index size() const;
};

/// What a rank sends and receives in a hop; messages without a load are left out.
struct RelayHop {
  std::vector<RelayMessage> sends;
  std::vector<RelayMessage> receives;
};

/// Elements of memory that a rank needs for what is on its way.
struct RelayRoom {
  Index out = 0;  ///< the messages of one hop
  Index in = 0;   ///< those of all hops: a piece stays until it goes on, or is home

  [[nodiscard]] Index both() const { return out + in; }
};

/// A message of a hop.
struct RelaySent {
  std::size_t hop = 0;
  Index sender = 0;
  Index taker = 0;
  Index elements = 0;
};

/// The ranks that one rank has pieces for or from, and all that they have.
class RelayGroup {
 public:
  /// O(members peers).
  RelayGroup(const Layout& from, const Layout& to, Index rank);

  [[nodiscard]] const std::vector<Index>& members() const { return members_; }
  /// The hops of a member, as many for each. O(members hops).
  [[nodiscard]] std::vector<RelayHop> hops(Index rank, Index radix) const;
  /// What these want. Likewise.
  [[nodiscard]] RelayRoom room(Index rank, Index radix) const;
  /// All messages. O(members^2 hops).
  [[nodiscard]] std::vector<RelaySent> messages(Index radix) const;
  /// Elements of the largest piece.
  [[nodiscard]] Index largest_piece() const;

 private:
  /// What a member sends to another in a hop: its pieces have this digit.
  struct Way {
    std::size_t holder = 0;
    std::size_t radix = 2;
    std::size_t weight = 1;
    std::size_t digit = 1;
  };
  [[nodiscard]] std::size_t index_of(Index rank) const;
  [[nodiscard]] std::size_t peer_of(const Way& way) const;
  /// Calls visit(sender, taker, elements), by numbers in the group, for each piece on the way.
  template <class Visit>
  void for_each_load(const Way& way, Visit visit) const;
  [[nodiscard]] Index size(const Way& way) const;
  [[nodiscard]] RelayMessage message(const Way& way, std::size_t peer) const;
  /// Calls visit(hop, way there, way here) for all that a member may send and receive.
  template <class Visit>
  void for_each_way(std::size_t member, Index radix, Visit visit) const;

  std::vector<Index> members_;
  std::vector<Index> sizes_;  // by sender, then by taker
};

/// All groups of an exchange; every rank is in one. O(pieces).
std::vector<RelayGroup> relay_groups(const Layout& from, const Layout& to, Index ranks);

/// The messages of all groups.
std::vector<RelaySent> relay_messages(const std::vector<RelayGroup>& groups, Index radix);

/// What they carry.
Traffic relay_traffic(const std::vector<RelayGroup>& groups, Index radix);

/// What messages of each hop carry within nodes and between them.
std::vector<NodeTraffic> relay_traffic_by_node(const std::vector<RelaySent>& messages,
                                               Index ranks_per_node);

}  // namespace kallima

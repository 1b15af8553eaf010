// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges by Bruck's algorithm, for pieces so small that starting a message costs more than what
// it carries: an all-to-all by digits (Bruck et al. 1997; theory/all_to_all.hpp has its rounds).
//
// Ranks that have pieces for each other, be it by way of others, are a group, numbered in order. A
// piece from member i to member j goes by the digits of (j - i) mod members in some radix, the
// lightest first: in each round so many members on as its digit says, in one message with all other
// pieces that go as far. So a rank sends at most radix - 1 messages a round instead of one per
// peer, and a piece travels once for each of its digits that is not 0.
#pragma once

#include <vector>

#include "exchange/site.hpp"
#include "kallima/steps.hpp"
#include "layout/pieces.hpp"

namespace kallima {

/// True where an exchange can go by Bruck's algorithm: it is none of k with n - k, and the ranks
/// are few enough to know all their pieces.
bool has_bruck(const Site& site);

/// What goes between two ranks in a round.
struct BruckMessage {
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

/// What a rank sends and receives in a round; messages without a load are left out.
struct BruckRound {
  std::vector<BruckMessage> sends;
  std::vector<BruckMessage> receives;
};

/// Elements of memory that a rank needs for what is on its way.
struct BruckSpace {
  Index out = 0;  ///< the messages of one round
  Index in = 0;   ///< those of all rounds: a piece stays until it goes on, or is home

  [[nodiscard]] Index both() const { return out + in; }
};

/// A message of a round.
struct BruckSent {
  std::size_t round = 0;
  Index sender = 0;
  Index taker = 0;
  Index elements = 0;
};

/// The ranks that one rank has pieces for or from, and all that they have.
class BruckGroup {
 public:
  /// O(members peers).
  BruckGroup(const Layout& from, const Layout& to, Index rank);

  [[nodiscard]] const std::vector<Index>& members() const { return members_; }
  /// The rounds of a member, as many for each. O(members rounds).
  [[nodiscard]] std::vector<BruckRound> rounds(Index rank, Index radix) const;
  /// What these want. Likewise.
  [[nodiscard]] BruckSpace allocated_size(Index rank, Index radix) const;
  /// All messages. O(members^2 rounds).
  [[nodiscard]] std::vector<BruckSent> messages(Index radix) const;
  /// Elements of the largest piece.
  [[nodiscard]] Index largest_piece() const;

 private:
  /// What a member sends to another in a round: its pieces have this digit.
  struct Transfer {
    std::size_t holder = 0;
    std::size_t radix = 2;
    std::size_t weight = 1;
    std::size_t digit = 1;
  };
  [[nodiscard]] std::size_t index_of(Index rank) const;
  [[nodiscard]] std::size_t peer_of(const Transfer& way) const;
  /// Calls visit(sender, taker, elements), by numbers in the group, for each piece on the way.
  template <class Visit>
  void for_each_load(const Transfer& way, Visit visit) const;
  [[nodiscard]] Index size(const Transfer& way) const;
  [[nodiscard]] BruckMessage message(const Transfer& way, std::size_t peer) const;
  /// Calls visit(round, way there, way here) for all that a member may send and receive.
  template <class Visit>
  void for_each_way(std::size_t member, Index radix, Visit visit) const;

  std::vector<Index> members_;
  std::vector<Index> sizes_;  // by sender, then by taker
};

/// All groups of an exchange; every rank is in one. O(pieces).
std::vector<BruckGroup> bruck_groups(const Layout& from, const Layout& to, Index ranks);

/// The messages of all groups.
std::vector<BruckSent> bruck_messages(const std::vector<BruckGroup>& groups, Index radix);

/// What they carry.
Traffic bruck_traffic(const std::vector<BruckGroup>& groups, Index radix);

/// What messages of each round carry within nodes and between them.
std::vector<NodeTraffic> bruck_traffic_by_node(const std::vector<BruckSent>& messages,
                                               Index ranks_per_node);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What moves when an array changes its layout.
//
// Per axis, what rank r holds before and rank s holds after is a progression, so what r sends to
// s is a product of progressions: a strided sub-array of both ranks' memories. Partners of a rank
// are found axis by axis and multiplied out, never by looking at all pairs of ranks.
#pragma once

#include <vector>

#include "kallima/layout.hpp"
#include "kallima/traffic.hpp"

namespace kallima {

/// The part of an exchange that one rank has in common with one peer.
struct Piece {
  Index peer = 0;                   ///< the other rank (or the rank itself)
  std::vector<Progression> places;  ///< per axis, places in this rank's local array
  Index size = 0;                   ///< elements, at least 1

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What `rank`, holding its part of `mine`, has in common with every rank of `theirs`, by
/// ascending peer, empty ones left out. With mine = before and theirs = after these are the pieces
/// it sends; with the two swapped, those it receives: the same function on both sides, and per
/// axis the common indices ascend, so sender and receiver agree on every element's place in the
/// message. O(number of peers); O(log P) more to find boxes.
std::vector<Piece> pieces(const Layout& mine, const Layout& theirs, Index rank);

/// What one box of a rank has in common with one part of a peer, where either layout has several
/// boxes on some rank.
struct BoxPiece {
  Index peer = 0;
  std::size_t mine = 0;              ///< number of this rank's part
  std::size_t theirs = 0;            ///< number of the peer's
  std::vector<Progression> indices;  ///< global, per axis
  Index size = 0;                    ///< elements, at least 1
};

/// All of them, by ascending peer, and of each in an order that sender and receiver share: by the
/// parts of the sender, then by those of the receiver. O(number of pieces, log P).
std::vector<BoxPiece> box_pieces(const Layout& mine, const Layout& theirs, Index rank,
                                 bool sending);

/// Exact, from the axes. Between grids it takes as long as there are stretches of ranks that hold
/// as much, O(P) at worst, where an axis is distributed in two ways; between boxes and a grid O(2^d
/// P), between two tables of boxes as long as there are pieces.
Traffic traffic(const Layout& from, const Layout& to);

/// How an exchange divides between what stays in nodes and what goes between them, where so many
/// ranks in a row share a node. In elements and messages.
struct NodeTraffic {
  Index elements_within = 0;        ///< between different ranks of a node, all nodes together
  Index messages_within = 0;        ///< likewise
  Index most_within = 0;            ///< elements, the busiest sender or receiver within its node
  Index most_messages_within = 0;   ///< of any rank
  Index most_between = 0;           ///< elements, the busiest sender or receiver between nodes
  Index most_messages_between = 0;  ///< of any rank
  Index most_of_node = 0;           ///< elements that leave the busiest node, or that reach it
  bool sampled = false;             ///< not all ranks were looked at

  friend bool operator==(const NodeTraffic&, const NodeTraffic&) = default;
};

/// Exact where ranks times ranks a node are at most `pairs`; beyond that from ranks evenly spread,
/// and sums are scaled up. O(pairs) for grids.
NodeTraffic traffic_by_node(const Layout& from, const Layout& to, Index ranks_per_node,
                            Index pairs = Index{1} << 11);

}  // namespace kallima

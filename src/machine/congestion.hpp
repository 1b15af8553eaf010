// SPDX-License-Identifier: BSD-3-Clause
//
// By how much an exchange takes longer than the links of the nodes alone would make it, because of
// links inside the network that many nodes share. It is the bytes that the busiest of these carries
// in a second's work of a node's own link; a bound that an exchange meets whose messages are
// spread over time as evenly as over links.
//
// Networks are wired and messages routed as simple ones are, and SimGrid's:
//
//   fat tree   two levels; a leaf's links up are 1/taper of its links down, and messages use them
//              evenly. (Counting only what crosses the middle, as models::bisection_seconds does,
//              finds half of it: links up also carry what stays on one side.)
//   torus      sides as even as they can be; one direction behind the other, each the shorter way
//              round, up where both are as long
//   dragonfly  messages take the one direct link between their groups
//
// Ranks are laid on nodes, and nodes numbered, in order.
#pragma once

#include <functional>
#include <vector>

#include "kallima/layout.hpp"
#include "machine/figures.hpp"

namespace kallima {

/// Where everybody sends as much to everybody else. O(sqrt(nodes)).
double crowding_of_all(const Topology& topology, Index nodes);

/// What a rank sends to another.
struct Sending {
  Index taker = 0;
  Index elements = 0;
};

/// Who sends what to whom.
struct Sendings {
  Index ranks = 1;
  Index per_node = 1;
  Index peers = 1;                                     ///< that a rank sends to, at most
  std::function<std::vector<Sending>(Index rank)> of;  ///< what a rank sends to others
};

/// Where ranks send that. Some of them are looked at; where peers are most of the ranks, none, and
/// it is as if everybody sent to everybody else.
double crowding_of(const Topology& topology, const Sendings& sendings);

/// Where ranks send what an exchange moves, each to at most so many peers.
double crowding_of_exchange(const Topology& topology, const Layout& from, const Layout& to,
                            Index per_node, Index peers);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What links inside the network, which many nodes share, make of an exchange: the elements that
// take a node's own link as long as the busiest of those takes. A bound that an exchange meets
// whose messages are spread over time as evenly as over links.
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
// Ranks are laid on nodes, and nodes numbered, in order. Where ranks hold unequal parts, or some
// hold none, the busiest leaf or group counts, of senders and of receivers.
#pragma once

#include <functional>
#include <vector>

#include "kallima/layout.hpp"
#include "machine/figures.hpp"

namespace kallima {

/// Of the rate of links inside the network, what exchanges that have a few messages at a time on
/// the way reach where these bind: simulated ones of 16 to 96 ranks 0.6 to 1 (docs/decisions/0021).
inline constexpr double reached_inside_network = 0.8;

/// By how much longer than a node's own link the busiest link takes where everybody sends as much
/// to everybody else. At least 1. O(sqrt(nodes)).
double crowding_of_all(const Topology& topology, Index nodes);

/// What a rank sends to another, or receives from it.
struct Sending {
  Index peer = 0;
  Index elements = 0;
};

/// All that a rank sends to others, or receives from them.
using Listing = std::function<std::vector<Sending>(Index rank)>;

/// Who sends what to whom.
struct Sendings {
  Index ranks = 1;
  Index per_node = 1;
  Index peers = 1;  ///< of a rank, at most
  Listing sent;
  Listing received;
};

/// Elements, in units of a node's link. Of many ranks some are looked at.
double inner_load(const Topology& topology, const Sendings& sendings);

/// Of what an exchange among some of so many ranks moves, each to and from at most so many peers.
/// Where these are most of the ranks, it is as if everybody sent to everybody, according to what
/// each holds.
double inner_load_of_exchange(const Topology& topology, const Layout& from, const Layout& to,
                              Index ranks, Index per_node, Index peers);

}  // namespace kallima

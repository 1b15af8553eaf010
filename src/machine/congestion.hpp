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

#include "kallima/layout.hpp"
#include "kallima/machine.hpp"

namespace kallima {

/// Where everybody sends as much to everybody else. O(sqrt(nodes)).
double crowding_of_all(const Topology& topology, Index nodes);

/// Where ranks send what an exchange moves, each to at most so many peers. Those of some ranks are
/// looked at; where peers are most of the ranks, none, and it is as if they were all.
double crowding_of_exchange(const Topology& topology, const Layout& from, const Layout& to,
                            Index per_node, Index peers);

}  // namespace kallima

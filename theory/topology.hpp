// SPDX-License-Identifier: BSD-3-Clause
//
// How much of an all-to-all exchange the middle of a network lets through.
//
// Assumed throughout: links carry their bandwidth both ways at once; nodes are split into two equal
// halves where fewest links cross; traffic is even, everybody to everybody else, and routing
// spreads it over all crossing links. So half of all bytes cross, a quarter each way. Latency is
// left out.
#pragma once

#include <variant>

namespace kallima::models {

/// Every node reaches every other at full speed: a crossbar, or a fat tree without taper.
struct FullNetwork {};

/// Leiserson 1985, "Fat-trees". The top has 1/taper of what full speed takes: taper 2 is "2:1",
/// half the bisection.
struct FatTree {
  double taper = 1;
};

/// A cube of nodes, all sides of the same length above 2, with wrap-around links. The cut goes
/// twice through each line of one direction, so 2 N^((k - 1)/k) links cross.
struct Torus {
  int dimensions = 3;  ///< k
};

/// Kim, Dally, Scott and Abts 2008, "Technology-driven, highly-scalable dragonfly topology".
/// Groups are internally as fast as needed; each pair of groups has equally many links. A node's
/// share of global links is 1/taper: 1 is their balanced one (h = p).
struct Dragonfly {
  double groups = 2;
  double taper = 1;
};

using Topology = std::variant<FullNetwork, FatTree, Torus, Dragonfly>;

/// Links across the middle, each way, in units of one link, for `nodes` nodes.
double bisection_links(const Topology& topology, double nodes);

/// kappa in bisection ~ nodes^kappa: (k - 1)/k for a torus, 1 for the others.
double bisection_exponent(const Topology& topology);

/// Links by which a node enters the network: 2k for a torus, 1 for the others.
double links_per_node(const Topology& topology);

/// An all-to-all exchange between nodes.
struct NodeExchange {
  double nodes = 2;
  double bytes = 0;           ///< that each node sends to others
  double link_bandwidth = 1;  ///< bytes per second and direction of one link
};

/// Through the middle.
double bisection_seconds(const Topology& topology, const NodeExchange& exchange);
/// Out of the nodes.
double injection_seconds(const Topology& topology, const NodeExchange& exchange);
/// The longer of the two.
double all_to_all_seconds(const Topology& topology, const NodeExchange& exchange);

}  // namespace kallima::models

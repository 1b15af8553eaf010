// SPDX-License-Identifier: BSD-3-Clause
#include "theory/topology.hpp"

#include <algorithm>
#include <cmath>

#include "machine/figures.hpp"

namespace kallima::models {

namespace {

double torus_exponent(const Torus& torus) {
  const double k = torus.dimensions;
  return (k - 1) / k;
}

struct BisectionLinks {
  double nodes;

  double operator()(const FullNetwork& /*unused*/) const { return nodes / 2; }
  double operator()(const FatTree& tree) const { return nodes / 2 / tree.taper; }
  double operator()(const Torus& torus) const { return 2 * std::pow(nodes, torus_exponent(torus)); }
  // Half of the groups have nodes / (2 taper) global links, of which (groups / 2) in (groups - 1)
  // lead to the other half.
  double operator()(const Dragonfly& fly) const {
    return nodes / (2 * fly.taper) * (fly.groups / 2) / (fly.groups - 1);
  }
};

}  // namespace

double bisection_links(const Topology& topology, double nodes) {
  return std::visit(BisectionLinks{nodes}, topology);
}

double bisection_exponent(const Topology& topology) {
  const auto* torus = std::get_if<Torus>(&topology);
  return torus != nullptr ? torus_exponent(*torus) : 1;
}

double links_per_node(const Topology& topology) {
  const auto* torus = std::get_if<Torus>(&topology);
  return torus != nullptr ? 2.0 * torus->dimensions : 1;
}

double bisection_seconds(const Topology& topology, const NodeExchange& exchange) {
  const double half = exchange.nodes / 2;
  const double crossing = half * exchange.bytes * half / (exchange.nodes - 1);
  return crossing / (bisection_links(topology, exchange.nodes) * exchange.link_bandwidth);
}

double injection_seconds(const Topology& topology, const NodeExchange& exchange) {
  return exchange.bytes / (links_per_node(topology) * exchange.link_bandwidth);
}

double all_to_all_seconds(const Topology& topology, const NodeExchange& exchange) {
  return std::max(bisection_seconds(topology, exchange), injection_seconds(topology, exchange));
}

}  // namespace kallima::models

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/exchange_cost.hpp"

#include <algorithm>

#include "machine/congestion.hpp"
#include "machine/link_models.hpp"

namespace kallima {

namespace {

Cost link_cost(Model model, const Link& link, Index messages, Index bytes) {
  Cost cost;
  cost.latency = latency_seconds(model, link, messages);
  cost.bandwidth = std::max(0., exchange_seconds(model, link, messages, bytes) - cost.latency);
  return cost;
}

/// Seconds per byte that ranks of a node send together in messages of so many bytes. It is measured
/// with large ones; where short ones are cheaper a byte (a link lets some through at once), sharing
/// is as much cheaper.
double shared_per_byte(const Link& link, double message_bytes) {
  const double large = large_per_byte(link);
  if (large <= 0.) return link.node_per_byte;
  return link.node_per_byte * std::min(1., link.per_byte.at(message_bytes) / large);
}

}  // namespace

NodeTraffic divided(const Setting& setting, const Layout& from, const Layout& to, Index pairs) {
  if (setting.per_node < setting.ranks) {
    return traffic_by_node(from, to, setting.per_node, pairs);
  }
  // As if every rank had a node to itself, but all of it stays.
  const NodeTraffic all = traffic_by_node(from, to, 1, pairs);
  return {0, 0, all.most_between, all.most_messages_between, 0, 0, 0, all.sampled};
}

NodeTraffic together(const NodeTraffic& by_ranks, Index per_node) {
  NodeTraffic result = by_ranks;
  result.elements_within = result.messages_within = 0;
  result.most_within = result.most_messages_within = 0;
  result.most_messages_between = ceil_div(by_ranks.most_messages_between, per_node * per_node);
  return result;
}

namespace {

Cost cost_within(const Setting& setting, const NodeTraffic& traffic, Index element_bytes) {
  Cost cost = link_cost(setting.model, setting.machine.in_node, traffic.most_messages_within,
                        traffic.most_within * element_bytes);
  // Within a node a processor copies, and may have to wait for its turn.
  cost.latency *= setting.turns;
  cost.bandwidth *= setting.turns;
  return cost;
}

Cost cost_between(const Setting& setting, const NodeTraffic& traffic, Index element_bytes) {
  const Machine& machine = setting.machine;
  if (traffic.most_messages_between == 0) return {};
  Cost between = link_cost(setting.model, machine.between_nodes, traffic.most_messages_between,
                           traffic.most_between * element_bytes);
  const double out = static_cast<double>(traffic.most_out_of_node * element_bytes) *
                     shared_per_byte(machine.between_nodes,
                                     static_cast<double>(traffic.most_between * element_bytes) /
                                         static_cast<double>(traffic.most_messages_between));
  const double crowding =
      setting.crowding > 0.
          ? setting.crowding
          : crowding_of_all(machine.topology, ceil_div(setting.ranks, setting.per_node));
  between.bandwidth = std::max(between.bandwidth, out * crowding);
  if (setting.model == Model::loggp) {
    // While bytes that need no core travel, it starts the messages that follow.
    const Link& link = machine.between_nodes;
    const double starts = between.latency - latency_seconds(setting.model, link, 1);
    between.hidden = std::min(starts, std::max(0., 1. - link.busy) * between.bandwidth);
  }
  return between;
}

}  // namespace

Cost messages_cost(const Setting& setting, const NodeTraffic& traffic, Index element_bytes) {
  Cost cost = cost_within(setting, traffic, element_bytes);
  cost += cost_between(setting, traffic, element_bytes);
  return cost;
}

double busy_seconds(const Setting& setting, const NodeTraffic& traffic, Index element_bytes,
                    Index parts) {
  const Link& link = setting.machine.between_nodes;
  const Cost between = cost_between(setting, traffic, element_bytes);
  const double overhead =
      2. * link.overhead * static_cast<double>(traffic.most_messages_between * parts);
  return cost_within(setting, traffic, element_bytes).total() +
         std::min(between.total(), setting.turns * (link.busy * between.bandwidth + overhead));
}

Cost windows_cost(const Setting& setting) {
  Cost cost;
  cost.latency = setting.machine.windows.meet.at(static_cast<double>(setting.ranks));
  return cost;
}

}  // namespace kallima

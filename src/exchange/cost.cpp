// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/cost.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "layout/pieces.hpp"
#include "machine/congestion.hpp"
#include "machine/figures.hpp"
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

namespace {

Cost cost_within(const Setting& setting, const NodeTraffic& traffic, Index element_bytes) {
  Cost cost = link_cost(setting.model, setting.machine->in_node, traffic.most_messages_within,
                        traffic.most_within * element_bytes);
  // Within a node a processor copies, and may have to wait for its turn.
  cost.latency *= setting.oversubscription;
  cost.bandwidth *= setting.oversubscription;
  return cost;
}

double load_inside_network(const Setting& setting, double of_node) {
  const Topology& topology = setting.machine->topology;
  if (topology.wiring == Wiring::full) return 0.;
  if (setting.inner_load) return *setting.inner_load;
  return of_node * crowding_of_all(topology, ceil_div(setting.ranks, setting.per_node));
}

Cost cost_between(const Setting& setting, const NodeTraffic& traffic, Index element_bytes) {
  const Machine& machine = setting.machine;
  if (traffic.most_messages_between == 0) return {};
  Cost between = link_cost(setting.model, machine->between_nodes, traffic.most_messages_between,
                           traffic.most_between * element_bytes);
  const auto of_node = static_cast<double>(traffic.most_of_node);
  const double bytes =
      std::max(of_node, load_inside_network(setting, of_node) / reached_inside_network) *
      static_cast<double>(element_bytes);
  const double message_bytes = static_cast<double>(traffic.most_between * element_bytes) /
                               static_cast<double>(traffic.most_messages_between);
  between.bandwidth =
      std::max(between.bandwidth, bytes * shared_per_byte(machine->between_nodes, message_bytes));
  if (setting.model == Model::loggp) {
    // While bytes that need no core travel, it starts the messages that follow.
    const Link& link = machine->between_nodes;
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
  const Link& link = setting.machine->between_nodes;
  const Cost between = cost_between(setting, traffic, element_bytes);
  const double overhead =
      2. * link.overhead * static_cast<double>(traffic.most_messages_between * parts);
  return cost_within(setting, traffic, element_bytes).total() +
         std::min(between.total(),
                  setting.oversubscription * (link.busy * between.bandwidth + overhead));
}

Cost barrier_cost(const Setting& setting) {
  Cost cost;
  cost.latency = setting.machine->shared_memory.barrier.at(static_cast<double>(setting.ranks));
  return cost;
}

namespace {

/// Ranks that were not looked at may have more than those that were: as the busiest of all has.
void raise_to_busiest(const Traffic& all, NodeTraffic& traffic) {
  const auto raise = [](Index most, Index& within, Index& between) {
    const Index seen = within + between;
    if (seen >= most || seen == 0) return;
    within = static_cast<Index>(static_cast<double>(most) * static_cast<double>(within) /
                                static_cast<double>(seen));
    between = most - within;
  };
  const Index between = traffic.most_between;
  raise(all.most(), traffic.most_within, traffic.most_between);
  raise(all.most_messages(), traffic.most_messages_within, traffic.most_messages_between);
  traffic.most_of_node += traffic.most_between - between;
}

NodeTraffic traffic_by_ranks(const Site& site, const Pricing& pricing, const Setting& setting) {
  const Exchange& exchange = site.exchange();
  const Traffic& all = exchange.traffic;
  if (pricing.per_node >= setting.ranks) {
    return {all.elements, all.messages, all.most(), all.most_messages(), 0, 0, 0, false};
  }
  if (exchange.hermitian()) {
    // Partners are k and -k: hardly ever on one node.
    return {0, 0, 0, 0, all.most(), all.most_messages(), all.most() * pricing.per_node, true};
  }
  NodeTraffic result = divided(setting, site.before().layout, exchange.to);
  if (result.sampled) raise_to_busiest(all, result);
  return result;
}

}  // namespace

Division division_by_ranks(const Site& site, const Pricing& pricing, const Setting& setting) {
  const Exchange& exchange = site.exchange();
  Division result{traffic_by_ranks(site, pricing, setting), {}};
  if (!exchange.hermitian()) {
    result.inner_load =
        inner_load_of_exchange(pricing.machine->topology, site.before().layout, exchange.to,
                               pricing.ranks, pricing.per_node, exchange.traffic.most_messages());
  }
  return result;
}

NodeTraffic in_parts(NodeTraffic traffic, Index parts) {
  traffic.messages_within *= parts;
  traffic.most_messages_within *= parts;
  traffic.most_messages_between *= parts;
  return traffic;
}

Cost cost_in_parts(const Travel& travel, Index parts) {
  Cost cost = messages_cost(travel.setting, travel.traffic, travel.bytes);
  if (parts > 1) {
    const Cost apart = messages_cost(travel.setting, in_parts(travel.traffic, parts), travel.bytes);
    cost.latency = apart.latency;
    cost.hidden = std::min(apart.hidden, cost.bandwidth);
  }
  return cost;
}

double busy_in_parts(const Travel& travel, Index parts) {
  return busy_seconds(travel.setting, travel.traffic, travel.bytes, parts);
}

void ExchangeCost::use_messages(const Link& link, Index bytes, Index messages) {
  if (messages == 0) return;
  used.push_back({link.per_byte, static_cast<double>(bytes) / static_cast<double>(messages),
                  "bytes of a message"});
}

ExchangeCost messages_cost(const Site& site, const Pricing& pricing, const Travel& travel) {
  const Exchange& exchange = site.exchange();
  const Index bytes = travel.bytes;
  const Index parts = exchange.chunks.parts();
  const NodeTraffic by_node = in_parts(travel.traffic, parts);
  ExchangeCost result;
  result.bytes_between = (exchange.traffic.elements - by_node.elements_within) * bytes;
  result.messages_between = exchange.message_traffic().messages - by_node.messages_within;
  result.use_messages(pricing.machine->in_node, by_node.most_within * bytes,
                      by_node.most_messages_within);
  result.use_messages(pricing.machine->between_nodes, by_node.most_between * bytes,
                      by_node.most_messages_between);
  result.cost = cost_in_parts(travel, parts);
  if (exchange.pipelined()) result.busy = busy_in_parts(travel, parts);
  return result;
}

}  // namespace kallima

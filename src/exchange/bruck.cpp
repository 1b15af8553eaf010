// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck's algorithm: pieces too small for a message each go from rank to rank by digits of the
// distance, many in a message (bruck_rounds.hpp). What a rank sends in a round is put together in
// transit, what it receives stays there; the last round brings home what has come, and what never
// left.
#include "exchange/bruck.hpp"

#include <algorithm>
#include <map>

#include "exchange/bruck_rounds.hpp"
#include "exchange/methods.hpp"
#include "machine/congestion.hpp"

namespace kallima {

namespace {

std::vector<Hop> in_hops(const std::vector<RelayHop>& relayed, const RelayRoom& room,
                         const Packed& sent, const Packed& received, Index rank) {
  std::map<std::pair<Index, Index>, Parcel> held;  // by sender and taker
  for (const Parcel& parcel : sent.parcels) held[{rank, parcel.peer}] = parcel;
  const bool real = !sent.parcels.empty()
                        ? sent.parcels.front().real
                        : !received.parcels.empty() && received.parcels.front().real;
  Index arrives = room.out;
  std::vector<Hop> hops;
  for (const RelayHop& relay : relayed) {
    Hop hop;
    Index leaves = 0;
    for (const RelayMessage& message : relay.sends) {
      hop.sends.push_back({message.peer, Area::transit, leaves, message.size(), real});
      for (const RelayMessage::Load& load : message.loads) {
        const auto piece = held.find({load.sender, load.taker});
        hop.kept.push_back({piece->second, {message.peer, Area::transit, leaves, load.size, real}});
        held.erase(piece);
        leaves += load.size;
      }
    }
    for (const RelayMessage& message : relay.receives) {
      hop.receives.push_back({message.peer, Area::transit, arrives, message.size(), real});
      for (const RelayMessage::Load& load : message.loads) {
        held[{load.sender, load.taker}] = {message.peer, Area::transit, arrives, load.size, real};
        arrives += load.size;
      }
    }
    hops.push_back(std::move(hop));
  }
  Hop home;
  for (const Parcel& parcel : received.parcels) {
    home.kept.push_back({held.at({parcel.peer, rank}), parcel});
  }
  hops.push_back(std::move(home));
  return hops;
}

/// What the rounds of an exchange carry, and how they crowd the network.
struct RelayTravel {
  std::vector<NodeTraffic> hops;
  std::vector<double> crowding;  ///< of each
};

RelayTravel relay_travel(const std::vector<RelayGroup>& groups, Index radix,
                         const Pricing& pricing) {
  const std::vector<RelaySent> messages = relay_messages(groups, radix);
  RelayTravel result{relay_traffic_by_node(messages, pricing.per_node), {}};
  result.crowding.assign(result.hops.size(), 0.);
  if (pricing.machine.topology.wiring == Wiring::full) return result;
  std::vector<std::map<Index, std::vector<Sending>>> sent(result.hops.size());
  for (const RelaySent& message : messages) {
    sent[message.hop][message.sender].push_back({message.taker, message.elements});
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const auto of = [&](Index rank) {
      const auto found = sent[i].find(rank);
      return found == sent[i].end() ? std::vector<Sending>() : found->second;
    };
    const Index peers =
        std::max(result.hops[i].most_messages_within, result.hops[i].most_messages_between);
    result.crowding[i] =
        crowding_of(pricing.machine.topology, {pricing.ranks, pricing.per_node, peers, of});
  }
  return result;
}

/// Rounds, each when the one before is through. What leaves is put together, and in the end all is
/// brought home.
ExchangeCost cost_of(const Site& site, const Pricing& pricing, const RelayTravel& travel) {
  const State& before = site.before();
  const Index bytes = before.element.bytes();
  const Traffic moved = site.exchange().moved();
  ExchangeCost result;
  result.bytes_between = moved.elements * bytes;
  result.messages_between = moved.messages;
  Setting setting = pricing.setting(pricing.ranks);
  Index put_together = 0;
  for (std::size_t i = 0; i < travel.hops.size(); ++i) {
    const NodeTraffic& hop = travel.hops[i];
    result.bytes_between -= hop.elements_within * bytes;
    result.messages_between -= hop.messages_within;
    result.use_messages(pricing.machine.in_node, hop.most_within * bytes, hop.most_messages_within);
    result.use_messages(pricing.machine.between_nodes, hop.most_between * bytes,
                        hop.most_messages_between);
    setting.crowding = travel.crowding[i];
    result.cost += messages_cost(setting, hop, bytes);
    put_together += hop.most_within + hop.most_between;
  }
  const State& after = site.after();
  result.copied = in_complex(put_together, before.element) +
                  in_complex(after.layout.largest_room(), after.element);
  return result;
}

std::vector<RelayGroup> groups_of(const Site& site) {
  return relay_groups(site.before().layout, site.after().layout, site.plan.ranks());
}

class Bruck final : public Method {
 public:
  [[nodiscard]] bool possible(const Site& site) const override {
    return site.exchange().radix >= least_radix() && has_relays(site.plan, site.exchange());
  }
  [[nodiscard]] Index least_radix() const override { return 2; }
  [[nodiscard]] Traffic traffic(const Site& site) const override {
    return relay_traffic(groups_of(site), site.exchange().radix);
  }
  [[nodiscard]] bool sends_pieces() const override { return false; }
  [[nodiscard]] ExtraRoom extra(const Site& site, Index rank) const override {
    const RelayGroup group(site.before().layout, site.exchange().to, rank);
    return {0, group.room(rank, site.exchange().radix).both()};
  }
  [[nodiscard]] ExtraRoom largest_extra(const Site& site) const override {
    ExtraRoom result;
    // All pieces of a group are listed once, not for each of its ranks.
    for (const RelayGroup& group : groups_of(site)) {
      for (const Index rank : group.members()) {
        result.transit = std::max(result.transit, group.room(rank, site.exchange().radix).both());
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<Hop> hops(const BlockPlacer& at, const Site& site, Area from,
                                      Area to) const override {
    const RelayGroup group(site.before().layout, site.exchange().to, at.rank());
    const Index radix = site.exchange().radix;
    return in_hops(group.hops(at.rank(), radix), group.room(at.rank(), radix),
                   at.packed(site, true, from), at.packed(site, false, to), at.rank());
  }
  [[nodiscard]] ExchangeCost cost(const Site& site, const Pricing& pricing) const override {
    return cost_of(site, pricing, relay_travel(groups_of(site), site.exchange().radix, pricing));
  }
  [[nodiscard]] const char* phase() const override { return "exchange by Bruck's algorithm"; }
};

}  // namespace

std::vector<ExchangeCost> costs_by_radix(const Site& site, const Pricing& pricing,
                                         std::span<const Index> radices) {
  const std::vector<RelayGroup> groups = groups_of(site);
  std::vector<ExchangeCost> result;
  for (const Index radix : radices) {
    result.push_back(cost_of(site, pricing, relay_travel(groups, radix, pricing)));
  }
  return result;
}

const Method& bruck_method() {
  static const Bruck method;
  return method;
}

}  // namespace kallima

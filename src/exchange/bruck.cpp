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
#include "layout/pieces.hpp"
#include "machine/congestion.hpp"
#include "machine/figures.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

std::vector<Round> in_rounds(const std::vector<BruckRound>& forwarded, const BruckSpace& space,
                             const Packed& sent, const Packed& received, Index rank) {
  std::map<std::pair<Index, Index>, MessageSlice> held;  // by sender and taker
  for (const MessageSlice& slice : sent.slices) held[{rank, slice.peer}] = slice;
  const bool real = !sent.slices.empty() ? sent.slices.front().real
                                         : !received.slices.empty() && received.slices.front().real;
  Index arrives = space.out;
  std::vector<Round> rounds;
  for (const BruckRound& relay : forwarded) {
    Round round;
    Index leaves = 0;
    for (const BruckMessage& message : relay.sends) {
      round.sends.push_back({message.peer, Area::transit, leaves, message.size(), real});
      for (const BruckMessage::Load& load : message.loads) {
        const auto piece = held.find({load.sender, load.taker});
        round.kept.push_back(
            {piece->second, {message.peer, Area::transit, leaves, load.size, real}});
        held.erase(piece);
        leaves += load.size;
      }
    }
    for (const BruckMessage& message : relay.receives) {
      round.receives.push_back({message.peer, Area::transit, arrives, message.size(), real});
      for (const BruckMessage::Load& load : message.loads) {
        held[{load.sender, load.taker}] = {message.peer, Area::transit, arrives, load.size, real};
        arrives += load.size;
      }
    }
    rounds.push_back(std::move(round));
  }
  Round home;
  for (const MessageSlice& slice : received.slices) {
    home.kept.push_back({held.at({slice.peer, rank}), slice});
  }
  rounds.push_back(std::move(home));
  return rounds;
}

using ByRank = std::map<Index, std::vector<Sending>>;

Listing listing(const ByRank& moved) {
  return [&](Index rank) {
    const auto found = moved.find(rank);
    return found == moved.end() ? std::vector<Sending>() : found->second;
  };
}

/// How the rounds of an exchange divide.
using BruckTravel = std::vector<Division>;

BruckTravel bruck_travel(const std::vector<BruckGroup>& groups, Index radix,
                         const Pricing& pricing) {
  const std::vector<BruckSent> messages = bruck_messages(groups, radix);
  BruckTravel result;
  for (const NodeTraffic& round : bruck_traffic_by_node(messages, pricing.per_node)) {
    result.push_back({round, {}});
  }
  if (pricing.machine->topology.wiring == Wiring::full) return result;
  std::vector<ByRank> sent(result.size());
  std::vector<ByRank> received(result.size());
  for (const BruckSent& message : messages) {
    sent[message.round][message.sender].push_back({message.taker, message.elements});
    received[message.round][message.taker].push_back({message.sender, message.elements});
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const NodeTraffic& round = result[i].traffic;
    const Index peers = std::max(round.most_messages_within, round.most_messages_between);
    result[i].inner_load = inner_load(
        pricing.machine->topology,
        {pricing.ranks, pricing.per_node, peers, listing(sent[i]), listing(received[i])});
  }
  return result;
}

/// Rounds, each when the one before is through. What leaves is put together, and in the end all is
/// brought home.
ExchangeCost cost_of(const Site& site, const Pricing& pricing, const BruckTravel& travel) {
  const State& before = site.before();
  const Index bytes = before.element.bytes();
  const Traffic moved = site.exchange().message_traffic();
  ExchangeCost result;
  result.bytes_between = moved.elements * bytes;
  result.messages_between = moved.messages;
  Setting setting = pricing.setting(pricing.ranks);
  Index put_together = 0;
  for (const Division& division : travel) {
    const NodeTraffic& round = division.traffic;
    result.bytes_between -= round.elements_within * bytes;
    result.messages_between -= round.messages_within;
    result.use_messages(pricing.machine->in_node, round.most_within * bytes,
                        round.most_messages_within);
    result.use_messages(pricing.machine->between_nodes, round.most_between * bytes,
                        round.most_messages_between);
    setting.inner_load = division.inner_load;
    result.cost += messages_cost(setting, round, bytes);
    put_together += round.most_within + round.most_between;
  }
  const State& after = site.after();
  result.copied = in_complex(put_together, before.element) +
                  in_complex(after.layout.largest_allocated_size(), after.element);
  return result;
}

std::vector<BruckGroup> groups_of(const Site& site) {
  return bruck_groups(site.before().layout, site.after().layout, site.plan.ranks());
}

class Bruck final : public Method {
 public:
  [[nodiscard]] bool possible(const Site& site) const override {
    return site.exchange().radix >= least_radix() && has_bruck(site);
  }
  [[nodiscard]] Index least_radix() const override { return 2; }
  [[nodiscard]] Traffic traffic(const Site& site) const override {
    return bruck_traffic(groups_of(site), site.exchange().radix);
  }
  [[nodiscard]] bool sends_pieces() const override { return false; }
  [[nodiscard]] ExtraMemory extra(const Site& site, Index rank) const override {
    const BruckGroup group(site.before().layout, site.exchange().to, rank);
    return {0, group.allocated_size(rank, site.exchange().radix).both()};
  }
  [[nodiscard]] ExtraMemory largest_extra(const Site& site) const override {
    ExtraMemory result;
    // All pieces of a group are listed once, not for each of its ranks.
    for (const BruckGroup& group : groups_of(site)) {
      for (const Index rank : group.members()) {
        result.transit =
            std::max(result.transit, group.allocated_size(rank, site.exchange().radix).both());
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area from,
                                          Area to) const override {
    const BruckGroup group(site.before().layout, site.exchange().to, at.rank());
    const Index radix = site.exchange().radix;
    return in_rounds(group.rounds(at.rank(), radix), group.allocated_size(at.rank(), radix),
                     at.packed(site, true, from), at.packed(site, false, to), at.rank());
  }
  [[nodiscard]] ExchangeCost cost(const Site& site, const Pricing& pricing) const override {
    return cost_of(site, pricing, bruck_travel(groups_of(site), site.exchange().radix, pricing));
  }
  [[nodiscard]] const char* phase() const override { return "exchange by Bruck's algorithm"; }
};

}  // namespace

std::vector<ExchangeCost> costs_by_radix(const Site& site, const Pricing& pricing,
                                         std::span<const Index> radices) {
  const std::vector<BruckGroup> groups = groups_of(site);
  std::vector<ExchangeCost> result;
  for (const Index radix : radices) {
    result.push_back(cost_of(site, pricing, bruck_travel(groups, radix, pricing)));
  }
  return result;
}

const Method& bruck_method() {
  static const Bruck method;
  return method;
}

}  // namespace kallima

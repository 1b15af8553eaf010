// SPDX-License-Identifier: BSD-3-Clause
//
// What an exchange costs, once it is known how its messages divide between nodes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "exchange/site.hpp"
#include "kallima/cost.hpp"
#include "layout/pieces.hpp"
#include "machine/figures.hpp"

namespace kallima {

/// Where an exchange takes place.
struct Setting {
  const Machine& machine;
  Index ranks = 1;               ///< that take part
  Index per_node = 1;            ///< of them on a node
  double oversubscription = 1.;  ///< so much longer does what a rank does take, for want of cores
  Model model = Model::loggp;
  /// Of congestion.hpp; empty: as if everybody sent as much to everybody else.
  std::optional<double> inner_load = {};
};

/// How an exchange divides; where all ranks share a node, all of it is within. `pairs` as of
/// traffic_by_node().
NodeTraffic divided(const Setting& setting, const Layout& from, const Layout& to,
                    Index pairs = Index{1} << 11);

/// How an exchange by messages divides, and what it loads links inside the network with.
struct Division {
  NodeTraffic traffic;
  std::optional<double> inner_load = {};  ///< as of a Setting
};

/// Divisions of exchanges on one machine and its nodes, remembered: to find one takes looking at
/// thousands of pairs of ranks, and plans that are compared have most of their exchanges in common.
class Divisions {
 public:
  /// What was found for the same layouts and ranks a node, else what find() finds now.
  template <class Find>
  Division of(const Layout& from, const Layout& to, ExchangeMethod method, Index per_node,
              Find find) {
    const auto same = [&](const Known& known) {
      return known.method == method && known.per_node == per_node && known.from == from &&
             known.to == to;
    };
    const auto at = std::find_if(known_.begin(), known_.end(), same);
    if (at != known_.end()) return at->division;
    known_.push_back({from, to, method, per_node, find()});
    return known_.back().division;
  }

 private:
  struct Known {
    Layout from;
    Layout to;
    ExchangeMethod method = ExchangeMethod::point_to_point;
    Index per_node = 1;
    Division division;
  };
  std::vector<Known> known_;
};

/// Latency and bandwidth of messages that divide like this. Those within a node and those between
/// nodes are taken one behind the other; what leaves or reaches a node shares its links, and among
/// many nodes the middle of the network.
Cost messages_cost(const Setting& setting, const NodeTraffic& traffic, Index element_bytes);

/// Of that, seconds for which the exchange keeps a rank's core busy: all that goes on within nodes,
/// and between them what the link says of the time of bytes, and the overhead of each message at
/// both ends, of which there are so many as parts.
double busy_seconds(const Setting& setting, const NodeTraffic& traffic, Index element_bytes,
                    Index parts);

/// Latency of a barrier in shared memory among the ranks of a setting.
Cost barrier_cost(const Setting& setting);

/// What plans are priced with.
struct Pricing {
  const Machine& machine;
  Model model = Model::loggp;
  Index ranks = 1;
  Index per_node = 1;            ///< ranks on a node
  double oversubscription = 1.;  ///< as of a Setting
  Divisions& divisions;

  /// Of an exchange among so many of the ranks.
  [[nodiscard]] Setting setting(Index among) const {
    return {machine, among, per_node, oversubscription, model};
  }
};

/// Messages of an exchange in one round, each in one part.
struct Travel {
  Setting setting;
  NodeTraffic traffic;
  Index bytes = 1;  ///< of an element
};

/// Where an exchange's messages divide as its layouts say. `find` finds that.
template <class Find>
Travel travel_as(const Site& site, const Pricing& pricing, Find find) {
  const Layout& from = site.before().layout;
  const Exchange& exchange = site.exchange();
  Setting setting = pricing.setting(std::max(from.active_ranks(), exchange.to.active_ranks()));
  const Division division =
      pricing.divisions.of(from, exchange.to, exchange.method, pricing.per_node,
                           [&]() -> Division { return find(setting); });
  setting.inner_load = division.inner_load;
  return {setting, division.traffic, site.before().element.bytes()};
}

/// Of messages between ranks, one for each piece.
Division division_by_ranks(const Site& site, const Pricing& pricing, const Setting& setting);

/// As much in so many parts.
NodeTraffic in_parts(NodeTraffic traffic, Index parts);
/// Parts of a message follow each other closely, so their bytes take as long as the message's in
/// one piece; each is started by itself.
Cost cost_in_parts(const Travel& travel, Index parts);
/// Of that, what keeps a core busy.
double busy_in_parts(const Travel& travel, Index parts);

/// A figure of the machine that a price is made of; the machine may not have been measured there.
struct UsedFigure {
  const Curve& curve;
  double argument = 0.;
  const char* what = "";
};

/// What an exchange costs.
struct ExchangeCost {
  Cost cost;                     ///< but for copies
  std::optional<Index> copied;   ///< complex elements that the busiest rank copies beside it
  Index bytes_between = 0;       ///< between nodes, all ranks together
  Index messages_between = 0;    ///< likewise
  double busy = 0.;              ///< seconds for which it keeps a core busy, where it is pipelined
  std::vector<UsedFigure> used;  ///< of the machine

  /// Notes that the time of such messages was looked up.
  void use_messages(const Link& link, Index bytes, Index messages);
};

/// What messages in one round cost.
ExchangeCost messages_cost(const Site& site, const Pricing& pricing, const Travel& travel);

}  // namespace kallima

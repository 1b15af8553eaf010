// SPDX-License-Identifier: BSD-3-Clause
//
// What an exchange costs, once it is known how its messages divide between nodes.
#pragma once

#include <algorithm>
#include <vector>

#include "kallima/pieces.hpp"
#include "kallima/price.hpp"

namespace kallima {

/// Where an exchange takes place.
struct Setting {
  const Machine& machine;
  Index ranks = 1;     ///< that take part
  Index per_node = 1;  ///< of them on a node
  double turns = 1.;   ///< so much longer does what a rank does take, for want of cores
  Model model = Model::loggp;
  double crowding = 0.;  ///< of congestion.hpp; 0: as if everybody sent to everybody else
};

/// How an exchange divides; where all ranks share a node, all of it is within. `pairs` as of
/// traffic_by_node().
NodeTraffic divided(const Setting& setting, const Layout& from, const Layout& to,
                    Index pairs = Index{1} << 12);

/// How an exchange by messages divides, and by how much it takes longer for crowded links.
struct Division {
  NodeTraffic traffic;
  double crowding = 0.;  ///< as of a Setting
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

/// About what it is if the ranks of a node send together: nothing within, and one message for what
/// was one for each pair of ranks.
NodeTraffic together(const NodeTraffic& by_ranks, Index per_node);

/// Latency and bandwidth of messages that divide like this. Those within a node and those between
/// nodes are taken one behind the other; what leaves a node shares its links, and among many nodes
/// the middle of the network.
Cost messages_cost(const Setting& setting, const NodeTraffic& traffic, Index element_bytes);

/// Of that, seconds for which the exchange keeps a rank's core busy: all that goes on within nodes,
/// and between them what the link says of the time of bytes, and the overhead of each message at
/// both ends, of which there are so many as parts.
double busy_seconds(const Setting& setting, const NodeTraffic& traffic, Index element_bytes,
                    Index parts);

/// Latency of meeting at windows.
Cost windows_cost(const Setting& setting);

/// As of kallima/price.hpp, with divisions that are known already or will be asked for again.
PlanCost price(const Plan& plan, const Machine& machine, const PriceOptions& options,
               Divisions& divisions);

}  // namespace kallima

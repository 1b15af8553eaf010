// SPDX-License-Identifier: BSD-3-Clause
//
// What users are told whose plans are priced on links that nobody measured.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kallima/planner.hpp"
#include "session.hpp"

namespace kallima::cli {

/// Links between nodes that are only assumed, and what a short measurement says of them.
struct AssumedLinks {
  std::string taken_for;  ///< "TCP, 10 Gbit/s"
  double rate = 0.;       ///< bytes a second that a node sends here
  double gain = 0.;       ///< expected of planning by that rate, of the time of a transform: 0 to 1
};

/// On the rank that speaks, where links are assumed; elsewhere empty. That rank makes the request,
/// placed on these ranks. Collective; at most a few tenths of a second.
std::optional<AssumedLinks> assumed_links(const Session& session,
                                          const std::function<PlanRequest()>& request);

}  // namespace kallima::cli

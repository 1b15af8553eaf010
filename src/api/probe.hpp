// SPDX-License-Identifier: BSD-3-Clause
//
// What can be measured of links between nodes in less than a second, for those who have not
// calibrated.
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "kallima/planner.hpp"

namespace kallima {

/// True where the price of plans on these ranks is made of links between nodes that were only
/// assumed.
bool assumes_links(const Machine& machine, const comm::Communicator& communicator);

/// Where rank 0's request assumes links, seconds per byte of what a node sends and receives at
/// once: all ranks exchange with ranks half of the communicator away, in messages that grow until
/// they take a twentieth of a second, or of `limit` seconds where that is less and not 0. Otherwise
/// empty. Collective.
std::optional<double> rate_of_assumed_links(const comm::Communicator& communicator,
                                            const PlanRequest& request, double limit = 0.);

/// The machine with links between nodes of that rate.
Machine with_rate(const Machine& machine, double per_byte);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kallima/planner.hpp"

namespace kallima {

/// A plan and those with the same sweeps between the same layouts whose exchanges go by other
/// methods or in other chunks, as far as the request leaves both open: all give the same bits. The
/// plan comes first, then at most `most` - 1 others by their price, of those that are nearly alike
/// the cheapest. `plan` is one that was made for the request.
std::vector<Plan> variants_of(const Plan& plan, const PlanRequest& request, std::size_t most);

/// Plans that are worth being timed, at most so many: of those that the planner compares, of the
/// variants of its choice, which comes first, and its choice with kernels in all sweeps and in
/// none. None is priced above 1 + `within` of the choice, but variants in chunks and in one piece
/// are there whatever they are priced at: how much a network moves while ranks compute is what is
/// known least.
std::vector<NamedPlan> plans_to_time(const PlanRequest& request, double within, std::size_t most);

}  // namespace kallima

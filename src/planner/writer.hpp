// SPDX-License-Identifier: BSD-3-Clause
//
// From a path to the steps of a plan: which axes are swept at which stop, in what tiles, and which
// sweeps share a pass.
#pragma once

#include <optional>
#include <vector>

#include "exchange/method.hpp"
#include "planner/search.hpp"

namespace kallima {

/// What may differ between plans along one path.
struct Manner {
  ExchangeMethod method = fallback_method;
  bool joins = true;  ///< two sweeps share a pass where their plane fits the cache
};

/// The plan along a path.
Plan plan_along(const PlanRequest& request, const Path& path, const Manner& manner);

/// One long line on one rank is split too: it is split so that each sweep's
/// lines stay in the cache. Empty where that is not what is asked for.
std::optional<Plan> plan_alone(const PlanRequest& request, const Manner& manner);

/// One axis that cannot be split over the ranks, by Bluestein's algorithm: as a convolution over a
/// length that can, on so many of them. Empty where that is not what is asked for.
std::optional<Plan> plan_convolution(const PlanRequest& request, const Manner& manner, Index procs);

/// Numbers of ranks that are worth planning a convolution for, at most three; none where there is
/// nothing to be convolved.
std::vector<Index> convolution_procs(const PlanRequest& request);

/// One axis of reals is split as complex ones are, with half of the first digit's frequencies
/// kept, and what that leaves on the wrong side of n/2 is exchanged in the end. Empty where that is
/// not what is asked for.
std::optional<Plan> plan_real_line(const PlanRequest& request, const Manner& manner);

}  // namespace kallima

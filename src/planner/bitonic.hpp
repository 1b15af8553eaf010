// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// Ranks that sort n keys: the largest power of two among `ranks` whose square is at most n.
Index sorting_ranks(Index n, Index ranks);

/// The steps of a bitonic sort of request.problem.shape[0] keys, a power of two, that begin and end
/// in blocks over sorting_ranks(); see bitonic.cpp.
Plan bitonic_plan(const PlanRequest& request);

}  // namespace kallima

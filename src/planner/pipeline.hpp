// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "exchange/cost.hpp"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"

namespace kallima {

/// Chunks are not worth their while beyond this.
inline constexpr Index most_chunks = 64;

/// The plan with its exchanges by messages cut into so many chunks each way, as far as they can be;
/// for 0 into as many as is cheapest on the machine. Empty where nothing is cut, or for 0 where
/// that gains too little.
std::optional<Plan> pipelined(const Plan& plan, const Machine& machine, Index chunks,
                              Divisions& divisions);
/// The same, of one plan.
inline std::optional<Plan> pipelined(const Plan& plan, const Machine& machine, Index chunks) {
  Divisions none;
  return pipelined(plan, machine, chunks, none);
}

}  // namespace kallima

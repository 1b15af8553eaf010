// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "exchange/cost.hpp"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"

namespace kallima {

/// The plan with those of its exchanges by messages that are cheaper by Bruck's algorithm: each
/// whose messages take longer to start than to carry, with the radix that is cheapest on the
/// machine. Where Bruck's algorithm is `asked` for, all exchanges that can, with the cheapest radix
/// below their peers. Empty where there are none.
std::optional<Plan> forwarded(const Plan& plan, const Machine& machine, bool asked,
                              Divisions& divisions);

/// The same steps, with all exchanges that can by Bruck's algorithm with this radix, the others
/// point-to-point.
Plan by_bruck(const Plan& plan, Index radix);

}  // namespace kallima

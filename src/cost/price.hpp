// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/cost.hpp"
#include "kallima/price.hpp"

namespace kallima {

/// As of kallima/price.hpp, with divisions that are known already or will be asked for again.
PlanCost price(const Plan& plan, const Machine& machine, const PriceOptions& options,
               Divisions& divisions);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Prices beside measurements, for people.
#pragma once

#include <string>

#include "kallima/price.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// A table with a line for each stage: priced, measured, their ratio, and what binds.
std::string explained(const Machine& machine, const PlanCost& cost, const Timings& took);

}  // namespace kallima

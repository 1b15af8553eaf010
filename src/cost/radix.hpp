// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "exchange/cost.hpp"
#include "kallima/price.hpp"

namespace kallima {

/// What the exchange at `step` takes as the plan has it, then by Bruck's algorithm with each radix.
std::vector<double> seconds_by_radix(const Plan& plan, const Machine& machine, std::size_t step,
                                     std::span<const Index> radices, Divisions& divisions);

/// True where the bytes of an exchange's messages, in the mean, take less time than starting them:
/// messages below alpha B.
bool starts_bind(const Plan& plan, const Machine& machine, std::size_t step);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "exchange/cost.hpp"
#include "exchange/site.hpp"

namespace kallima {

/// What an exchange, whatever its method is, would cost by Bruck's algorithm with each radix.
std::vector<ExchangeCost> costs_by_radix(const Site& site, const Pricing& pricing,
                                         std::span<const Index> radices);

}  // namespace kallima

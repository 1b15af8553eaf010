// SPDX-License-Identifier: BSD-3-Clause
//
// The choice between few messages and short ones: an all-to-all's radix by price, from radix 2, the
// butterfly's, to as many as there are peers, which is to send straight to them.
#include "planner/radix.hpp"

#include <algorithm>
#include <vector>

#include "cost/radix.hpp"
#include "exchange/bruck_rounds.hpp"
#include "exchange/method.hpp"

namespace kallima {

namespace {

/// What Bruck's algorithm must gain: it takes more memory, and each round waits for the slowest
/// rank.
constexpr double least_gain = 0.25;

/// Radices worth a price: all small ones, then powers of two and half as much more.
std::vector<Index> radices_below(Index peers) {
  constexpr Index each = 8;
  std::vector<Index> result;
  for (Index radix = 2; radix < std::min(peers, each); ++radix) result.push_back(radix);
  for (Index radix = each; radix < peers; radix *= 2) {
    result.push_back(radix);
    if (radix / 2 * 3 < peers) result.push_back(radix / 2 * 3);
  }
  if (result.empty()) result.push_back(2);
  return result;
}

}  // namespace

std::optional<Plan> forwarded(const Plan& plan, const Machine& machine, bool asked,
                              Divisions& divisions) {
  Plan result = plan;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const auto* const exchange = std::get_if<Exchange>(&plan.steps()[step]);
    if (exchange == nullptr || exchange->method != fallback_method) continue;
    if (!has_bruck({plan, step})) continue;
    const Index peers = exchange->traffic.most_messages() + 1;
    constexpr Index fewest = 4;  // of fewer, none is saved a message
    if (!asked && (peers < fewest || !starts_bind(plan, machine, step))) continue;
    const std::vector<Index> radices = radices_below(peers);
    const std::vector<double> seconds = seconds_by_radix(plan, machine, step, radices, divisions);
    const auto best = std::min_element(seconds.begin() + 1, seconds.end());
    if (!asked && *best > (1. - least_gain) * seconds.front()) continue;
    const auto number = static_cast<std::size_t>(best - seconds.begin()) - 1;
    result = result.with_radix(step, radices[number]);
  }
  if (result == plan) return std::nullopt;
  return result;
}

Plan by_bruck(const Plan& plan, Index radix) {
  Plan result = plan.with_method(fallback_method);
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Exchange* const exchange = plan.exchange_at(step);
    if (exchange != nullptr && has_bruck({plan, step})) result = result.with_radix(step, radix);
  }
  return result;
}

}  // namespace kallima

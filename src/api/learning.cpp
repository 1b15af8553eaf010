// SPDX-License-Identifier: BSD-3-Clause
#include "api/learning.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kallima {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

/// Slower than the best by more than that in a round, a candidate is left out.
constexpr double far_behind = 1.25;

/// The planner's choice stays unless another one gains more than that.
constexpr double least_gain = 0.02;

}  // namespace

Learning::Learning(std::size_t candidates)
    : left_(candidates),
      order_(candidates),
      round_(candidates, unknown),
      least_(candidates, unknown),
      rounds_(1),
      done_(candidates < 2) {
  std::iota(left_.begin(), left_.end(), std::size_t{0});
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

void Learning::begin_round() {
  std::copy(left_.begin(), left_.end(), order_.begin());
  order_.resize(left_.size());
  if (rounds_ % 2 == 1) std::reverse(order_.begin(), order_.end());
  std::fill(round_.begin(), round_.end(), unknown);
  turn_ = 0;
  ++rounds_;
}

void Learning::add(std::optional<double> seconds) {
  if (done_) return;
  constexpr double nano = 1e9;
  ++runs_;
  if (seconds) round_[order_[turn_]] = static_cast<std::int64_t>(*seconds * nano);
  if (++turn_ == order_.size() && rounds_ == 1) begin_round();  // that was to warm up
}

void Learning::decide() {
  std::int64_t best = unknown;
  for (const std::size_t candidate : left_) {
    least_[candidate] = std::min(least_[candidate], round_[candidate]);
    best = std::min(best, least_[candidate]);
  }
  const auto behind = [&](std::size_t candidate) {
    return static_cast<double>(least_[candidate]) > far_behind * static_cast<double>(best);
  };
  left_.erase(std::remove_if(left_.begin(), left_.end(), behind), left_.end());
  done_ = left_.size() < 2 || runs_ + static_cast<Index>(left_.size()) > most_runs;
  if (!done_) {
    begin_round();
    return;
  }
  const auto fastest =
      static_cast<std::size_t>(std::min_element(least_.begin(), least_.end()) - least_.begin());
  const bool gains = static_cast<double>(least_[fastest]) <
                     (1. - least_gain) * static_cast<double>(least_.front());
  chosen_ = gains ? fastest : 0;
}

double Learning::seconds(std::size_t candidate) const {
  return least_[candidate] == unknown ? 0. : 1e-9 * static_cast<double>(least_[candidate]);
}

}  // namespace kallima

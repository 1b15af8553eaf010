// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "machine/figures.hpp"

namespace kallima {

/// Ranks that share a node where so many are asked for, 0 for the machine's own number; never more
/// than there are.
inline Index ranks_on_a_node(Index asked, const Machine& machine, Index ranks) {
  return std::clamp<Index>(asked > 0 ? asked : machine->node.ranks, 1, ranks);
}

/// Figures of a machine for so many active ranks a node: between those that were measured a
/// straight line in the logarithms; beyond the last, ranks take turns.
class RateInterpolation {
 public:
  RateInterpolation(const Machine& machine, Index active) {
    const std::vector<Speed>& speeds = machine->speeds;
    std::size_t above = 0;
    while (above < speeds.size() && speeds[above].active < active) ++above;
    if (above == speeds.size()) {
      low_ = high_ = &speeds.back();
      const Index most = std::max(machine->node.cores, low_->active);
      oversubscription_ = std::max(1., static_cast<double>(active) / static_cast<double>(most));
      return;
    }
    high_ = &speeds[above];
    low_ = above == 0 ? high_ : &speeds[above - 1];
    if (low_ == high_) return;
    part_ = std::log(static_cast<double>(active) / static_cast<double>(low_->active)) /
            std::log(static_cast<double>(high_->active) / static_cast<double>(low_->active));
  }

  /// A figure, given as a function of a Speed.
  template <class Figure>
  [[nodiscard]] double operator()(Figure figure) const {
    const double low = figure(*low_);
    const double high = figure(*high_);
    return oversubscription_ * (low + part_ * (high - low));
  }

  [[nodiscard]] const Speed& nearest() const { return *high_; }
  [[nodiscard]] double oversubscription() const { return oversubscription_; }

 private:
  const Speed* low_ = nullptr;
  const Speed* high_ = nullptr;
  double part_ = 0.;
  double oversubscription_ = 1.;
};

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// How long something took of late. Kept in place: adding to it allocates nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::exec {

/// The last durations of one thing, in seconds.
class RollingMedian {
 public:
  void add(double seconds) {
    kept_[static_cast<std::size_t>(count_ % most)] = static_cast<float>(seconds);
    ++count_;
  }

  /// How often it was added to.
  [[nodiscard]] Index count() const { return count_; }

  /// The middle one of those kept; 0 where there is none.
  [[nodiscard]] double median() const {
    const auto size = static_cast<std::ptrdiff_t>(std::min(count_, most));
    if (size == 0) return 0.;
    std::vector<float> sorted(kept_.begin(), kept_.begin() + size);
    std::nth_element(sorted.begin(), sorted.begin() + size / 2, sorted.end());
    return sorted[static_cast<std::size_t>(size / 2)];
  }

 private:
  static constexpr Index most = 64;
  std::array<float, static_cast<std::size_t>(most)> kept_{};
  Index count_ = 0;
};

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "kallima/index.hpp"

namespace kallima {

/// The i-th of those that are looked at in place of all `count`. However many are looked at, they
/// are spread evenly and keep step with no row or column of a grid: multiples of the golden ratio
/// (Knuth, The Art of Computer Programming, volume 3, section 6.4, theorem S).
inline Index sampled(Index i, Index count) {
  constexpr double golden_ratio = 0.6180339887498949;
  const double turns = static_cast<double>(i) * golden_ratio;
  const auto at = static_cast<Index>((turns - std::floor(turns)) * static_cast<double>(count));
  return std::min(at, count - 1);
}

}  // namespace kallima

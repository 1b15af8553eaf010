// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

namespace kallima {

/// The middle one, or between the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// The least; 0 of none. Of bursts far apart in time: neighbours on a shared machine only make runs
/// longer, and a figure of microseconds and a transform of seconds agree only on what it does when
/// it is left alone.
inline double least(const std::vector<double>& values) {
  return values.empty() ? 0. : *std::min_element(values.begin(), values.end());
}

}  // namespace kallima

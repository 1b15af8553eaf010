// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace kallima {

/// The middle one, or between the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Mean without a tenth of them at either end, of three and more without one at least; 0 of none.
/// Where neighbours take a part of a core for seconds, times come in two heaps: a median falls into
/// one of them by chance, and only means of short and of long runs are of the same mixture.
inline double middle_mean(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t least = values.size() < 3 ? 0 : 1;
  const auto out = static_cast<std::ptrdiff_t>(std::max(least, values.size() / 10));
  const double sum = std::accumulate(values.begin() + out, values.end() - out, 0.);
  return sum / static_cast<double>(values.size() - 2 * static_cast<std::size_t>(out));
}

}  // namespace kallima

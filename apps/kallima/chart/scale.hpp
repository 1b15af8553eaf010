// SPDX-License-Identifier: BSD-3-Clause
//
// From values to places on an axis, and the round values that are written beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kallima::cli::chart {

/// How an axis counts.
enum class Count {
  linear,
  decades,  ///< logarithmic, labels at powers of ten
  octaves   ///< logarithmic, labels at powers of two
};

/// A range of values along an axis.
struct Scale {
  Count count = Count::linear;
  double low = 0.0;
  double high = 1.0;

  /// True where a value has a place: it is finite, and positive on a logarithmic axis.
  [[nodiscard]] bool takes(double value) const;
  /// 0 at the low end, 1 at the high end.
  [[nodiscard]] double place(double value) const;
};

/// A value to be marked; without a label only a thin line.
struct Tick {
  double at = 0.0;
  std::string label;
};

/// A scale that shows all values it can take; some range where there are none or one.
/// `padding` is the share left free at each end. Linear scales start at 0 where that is not far.
Scale scale_for(Count count, std::span<const double> values, double padding);

/// True where there are values and all that are finite and positive are powers of two.
bool powers_of_two(std::span<const double> values);

/// Round values inside a scale, in order, at most about `most` of them with labels.
std::vector<Tick> ticks(const Scale& scale, int most);

/// A round value in few characters: 0.5, 10, 2k, 1M, 1e-5.
std::string short_number(double value);

}  // namespace kallima::cli::chart

// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kallima/error.hpp"
#include "machine/figures.hpp"

namespace kallima {

Curve::Curve(std::vector<Point> points) : points_(std::move(points)) {
  double before = 0.;
  for (const auto& [argument, value] : points_) {
    if (!(argument > before) || !std::isfinite(argument)) {
      throw InvalidOption(fmt::format(
          "a curve's argument {} behind {}; arguments are positive and grow", argument, before));
    }
    if (!(value >= 0.) || !std::isfinite(value)) {
      throw InvalidOption(
          fmt::format("a curve's value {} at {}; values are not negative", value, argument));
    }
    before = argument;
  }
}

double Curve::at(double argument) const {
  if (points_.empty()) return 0.;
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), argument,
                       [](double wanted, const Point& point) { return wanted < point.first; });
  if (above == points_.begin()) return above->second;
  if (above == points_.end()) return points_.back().second;
  const Point& low = *(above - 1);
  const Point& high = *above;
  const double part = std::log(argument / low.first) / std::log(high.first / low.first);
  // A value of zero has no logarithm.
  if (low.second <= 0. || high.second <= 0.) {
    return low.second + part * (high.second - low.second);
  }
  return low.second * std::pow(high.second / low.second, part);
}

bool Curve::covers(double argument) const {
  if (points_.size() < 2) return true;
  return argument >= points_.front().first && argument <= points_.back().first;
}

Curve Curve::scaled(double by) const {
  Curve result = *this;
  for (Point& point : result.points_) point.second *= by;
  return result;
}

}  // namespace kallima

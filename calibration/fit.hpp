// SPDX-License-Identifier: BSD-3-Clause
//
// From measurements to the figures of a machine. Pure.
#pragma once

#include <vector>

#include "base/median.hpp"
#include "kallima/price.hpp"
#include "machine/figures.hpp"

namespace kallima::calibration {

/// One exchange as it was measured: every rank sends and receives so many messages.
struct ExchangeSample {
  Index messages = 1;
  Index bytes = 0;  ///< of each message
  double seconds = 0.;
  bool in_plan = false;  ///< taken from a transform, not from exchanges in a row
};

/// What single messages cost, besides the samples.
struct MessageTimes {
  double one = 0.;       ///< seconds of an exchange of one short message
  double overhead = 0.;  ///< seconds of starting to send one
  double row = 0.;       ///< seconds of an exchange of `in_row` short messages
  Index in_row = 2;
};

/// LogGP's parameters and those of the other models. Of messages as large as transforms were
/// measured with, transforms alone count: what they send is seldom in the caches.
Link fit_link(const MessageTimes& times, const std::vector<ExchangeSample>& all);

/// How well a model of a link explains samples: median of |modelled / measured - 1|.
double residual(Model model, const Link& link, const std::vector<ExchangeSample>& samples);

/// x and y >= 0 that minimise the sum of ((a x + b y) / c - 1)^2 over rows (a, b, c).
struct Row {
  double a = 0.;
  double b = 0.;
  double c = 1.;
};
struct Solution {
  double x = 0.;
  double y = 0.;
};
Solution least_squares(const std::vector<Row>& rows);

/// The nearest curve that never falls, least squares by pooling neighbours: more bytes are not
/// cheaper each, so where a measurement says so it errs.
std::vector<Curve::Point> rising(const std::vector<Curve::Point>& points);

/// By how much the three least of the values differ, relative to the least.
double apart(std::vector<double> values);

}  // namespace kallima::calibration

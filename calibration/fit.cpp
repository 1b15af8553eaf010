// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "machine/figures.hpp"
#include "machine/link_models.hpp"

namespace kallima::calibration {

namespace {

double total_bytes(const ExchangeSample& sample) {
  return static_cast<double>(sample.messages) * static_cast<double>(sample.bytes);
}

/// Seconds per byte, by the size of messages: what is left of a sample when LogGP's other terms are
/// taken off. Samples of one size agree on the middle one.
Curve gap_per_byte(const Link& link, const std::vector<ExchangeSample>& samples) {
  std::map<Index, std::vector<double>> by_size;
  for (const ExchangeSample& sample : samples) {
    const double rest = sample.seconds - latency_seconds(Model::loggp, link, sample.messages);
    by_size[sample.bytes].push_back(std::max(0., rest) / total_bytes(sample));
  }
  std::vector<Curve::Point> points;
  for (const auto& [size, values] : by_size) {
    points.emplace_back(static_cast<double>(size), median(values));
  }
  if (points.front().first > 1.) points.insert(points.begin(), {1., points.front().second});
  return Curve(std::move(points));
}

}  // namespace

double apart(std::vector<double> values) {
  if (values.empty()) return 0.;
  std::sort(values.begin(), values.end());
  const std::size_t third = std::min<std::size_t>(2, values.size() - 1);
  return values.front() > 0. ? values[third] / values.front() - 1. : 0.;
}

Solution least_squares(const std::vector<Row>& rows) {
  // Normal equations of the rows divided by c, whose right-hand sides are 1.
  double aa = 0.;
  double ab = 0.;
  double bb = 0.;
  double a1 = 0.;
  double b1 = 0.;
  for (const Row& row : rows) {
    const double a = row.a / row.c;
    const double b = row.b / row.c;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  Solution best;
  if (determinant > 0.)
    best = {(a1 * bb - b1 * ab) / determinant, (aa * b1 - ab * a1) / determinant};
  // Where one would be negative, the best without it.
  if (best.x < 0. || determinant <= 0.) best = {0., bb > 0. ? b1 / bb : 0.};
  if (best.y < 0.) best = {aa > 0. ? a1 / aa : 0., 0.};
  return best;
}

std::vector<Curve::Point> rising(const std::vector<Curve::Point>& points) {
  struct Pool {
    double sum = 0.;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const auto& [argument, value] : points) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<Curve::Point> result;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      result.emplace_back(points[result.size()].first, pool.mean());
    }
  }
  return result;
}

namespace {

/// Without the samples of exchanges in a row that are as large as those of transforms.
std::vector<ExchangeSample> that_count(const std::vector<ExchangeSample>& samples) {
  Index smallest = std::numeric_limits<Index>::max();
  for (const ExchangeSample& sample : samples) {
    if (sample.in_plan) smallest = std::min(smallest, sample.bytes);
  }
  std::vector<ExchangeSample> result;
  for (const ExchangeSample& sample : samples) {
    if (sample.in_plan || sample.bytes < smallest) result.push_back(sample);
  }
  return result;
}

}  // namespace

Link fit_link(const MessageTimes& times, const std::vector<ExchangeSample>& all) {
  const std::vector<ExchangeSample> samples = that_count(all);
  Link link;
  link.overhead = std::min(times.overhead, 0.5 * times.one);
  link.latency = times.one - 2 * link.overhead;
  link.gap = std::max(0., times.row - times.one) / static_cast<double>(times.in_row - 1);
  link.per_byte = gap_per_byte(link, samples);
  std::vector<Row> alpha_beta;
  std::vector<Row> bsp;
  std::vector<Row> logp;
  constexpr double datum = 4096.;
  for (const ExchangeSample& sample : samples) {
    const auto messages = static_cast<double>(sample.messages);
    const double bytes = total_bytes(sample);
    alpha_beta.push_back({messages, bytes, sample.seconds});
    bsp.push_back({bytes, 1., sample.seconds});
    const double data =
        messages * std::max(1., std::ceil(static_cast<double>(sample.bytes) / datum));
    const double rest = sample.seconds - link.latency - 2 * link.overhead;
    if (data > 1. && rest > 0.) logp.push_back({data - 1., 0., rest});
  }
  const Solution by_message = least_squares(alpha_beta);
  const Solution by_step = least_squares(bsp);
  link.fits = {by_message.x, by_message.y, least_squares(logp).x, datum, by_step.x, by_step.y};
  return link;
}

double residual(Model model, const Link& link, const std::vector<ExchangeSample>& samples) {
  std::vector<double> distances;
  for (const ExchangeSample& sample : samples) {
    const double modelled =
        exchange_seconds(model, link, sample.messages, sample.messages * sample.bytes);
    distances.push_back(std::abs(modelled / sample.seconds - 1.));
  }
  return median(std::move(distances));
}

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
#include "scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kallima::cli::chart {

namespace {

double base_of(Count count) { return count == Count::octaves ? 2.0 : 10.0; }

/// Makes room at both ends, and a range of what is a single value.
void widen(Scale& scale, double padding) {
  if (scale.count == Count::linear) {
    const double span = scale.high - scale.low;
    if (span <= 1e-12 * std::max(std::abs(scale.low), std::abs(scale.high))) {
      const double around = scale.high == 0.0 ? 1.0 : 0.5 * std::abs(scale.high);
      scale.low -= around;
      scale.high += around;
      return;
    }
    const bool from_zero = scale.low >= 0.0 && scale.low < 0.5 * scale.high;
    scale.low = from_zero ? 0.0 : scale.low - padding * span;
    scale.high += padding * span;
    return;
  }
  const double factor = std::max(std::pow(scale.high / scale.low, padding), 1.05);
  scale.low /= factor;
  scale.high *= factor;
  if (scale.high / scale.low < 2.0) {
    scale.low /= 1.5;
    scale.high *= 1.5;
  }
}

/// 1, 2 or 5 times a power of ten, so that at most `most` steps make up `span`.
double round_step(double span, int most) {
  const double least = span / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  }
  return 10.0 * power;
}

std::vector<Tick> linear_ticks(const Scale& scale, int most) {
  const double step = round_step(scale.high - scale.low, most);
  std::vector<Tick> result;
  const double first = std::ceil(scale.low / step - 1e-9);
  const int count = static_cast<int>(std::floor(scale.high / step + 1e-9) - first) + 1;
  for (int i = 0; i < count; ++i) {
    const double at = (first + i) * step + 0.0;  // no negative zero
    result.push_back({at, short_number(at)});
  }
  return result;
}

std::string power_label(Count count, int exponent) {
  if (count == Count::decades) return short_number(std::pow(10.0, exponent));
  if (exponent < -10 || exponent > 13) return fmt::format("2^{}", exponent);
  return exponent >= 0 ? fmt::format("{}", 1 << exponent) : fmt::format("1/{}", 1 << -exponent);
}

/// Between two powers of ten: 2 and 5 with labels where there are few powers, others without.
void add_between(std::vector<Tick>& result, const Scale& scale, double power, bool labels) {
  for (int digit = 2; digit < 10; ++digit) {
    const double at = digit * power;
    if (at < scale.low || at > scale.high) continue;
    const bool labelled = labels && (digit == 2 || digit == 5);
    result.push_back({at, labelled ? short_number(at) : std::string()});
  }
}

/// Every how many powers there is a label. Octaves double it: 1, 4, 16 reads better than 1, 8, 64.
int stride_of(int powers, int most, bool tens) {
  int stride = 1;
  while ((powers + stride - 1) / stride > most) stride = tens ? stride + 1 : 2 * stride;
  return stride;
}

std::vector<Tick> log_ticks(const Scale& scale, int most) {
  const double base = base_of(scale.count);
  const double unit = std::log10(base);
  const int first = static_cast<int>(std::floor(std::log10(scale.low) / unit + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(scale.high) / unit + 1e-9));
  const bool tens = scale.count == Count::decades;
  const int inside = last - static_cast<int>(std::ceil(std::log10(scale.low) / unit - 1e-9)) + 1;
  const int stride = stride_of(inside, most, tens);
  std::vector<Tick> result;
  for (int e = first; e <= last; ++e) {
    const double power = std::pow(base, e);
    if (power >= scale.low * (1 - 1e-9) && e % stride == 0) {
      result.push_back({power, power_label(scale.count, e)});
    }
    if (tens && inside <= 5) add_between(result, scale, power, 3 * (inside - 1) <= most);
  }
  return result;
}

}  // namespace

bool Scale::takes(double value) const {
  return std::isfinite(value) && (count == Count::linear || value > 0.0);
}

double Scale::place(double value) const {
  if (count == Count::linear) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

Scale scale_for(Count count, std::span<const double> values, double padding) {
  Scale scale{count, 0.0, 0.0};
  bool any = false;
  for (const double value : values) {
    if (!scale.takes(value)) continue;
    scale.low = any ? std::min(scale.low, value) : value;
    scale.high = any ? std::max(scale.high, value) : value;
    any = true;
  }
  if (!any) return {count, count == Count::linear ? 0.0 : 1.0, count == Count::linear ? 1.0 : 10.0};
  widen(scale, padding);
  return scale;
}

bool powers_of_two(std::span<const double> values) {
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0.0) continue;
    int exponent = 0;
    if (std::frexp(value, &exponent) != 0.5) return false;
    any = true;
  }
  return any;
}

std::vector<Tick> ticks(const Scale& scale, int most) {
  if (scale.count == Count::linear) return linear_ticks(scale, most);
  std::vector<Tick> result = log_ticks(scale, most);
  const auto labels = std::count_if(result.begin(), result.end(),
                                    [](const Tick& tick) { return !tick.label.empty(); });
  // Less than an octave or a decade: round steps say more than one power.
  return labels >= 2 ? result : linear_ticks(scale, most);
}

std::string short_number(double value) {
  constexpr std::array<const char*, 5> names = {"", "k", "M", "G", "T"};
  const double size = std::abs(value);
  if (size != 0.0 && (size < 0.999e-3 || size >= 0.999e15)) {
    std::string text = fmt::format("{:.3g}", value);
    // 1e-05 as 1e-5.
    const std::size_t e = text.find('e');
    if (e != std::string::npos && text[e + 2] == '0') text.erase(e + 2, 1);
    if (e != std::string::npos && text[e + 1] == '+') text.erase(e + 1, 1);
    return text;
  }
  std::size_t thousands = 0;
  for (double rest = size; rest >= 999.95 && thousands + 1 < names.size(); rest /= 1e3) ++thousands;
  return fmt::format("{:.4g}{}", value / std::pow(1e3, static_cast<double>(thousands)),
                     names[thousands]);
}

}  // namespace kallima::cli::chart

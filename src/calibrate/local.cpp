// SPDX-License-Identifier: BSD-3-Clause
//
// In cache a sweep costs so much per element, by the length of its lines. What it costs in addition
// when the arrays do not stay there is measured at one length and taken to be the same at all.
#include "calibrate/local.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "calibrate/fit.hpp"

namespace kallima::calibrate {

namespace {

constexpr Index base_length = 256;
constexpr Index small_elements = 8192;
constexpr Index longest = Index{1} << 16;
constexpr Index single_from = Index{1}
                              << 24;  // bytes: what memory adds is seen best in large arrays

/// Lengths by their largest prime, in about the sizes that axes have.
const std::map<Index, std::vector<Index>> odd_lengths = {{3, {12, 48, 96, 243, 768}},
                                                         {5, {20, 100, 125, 320, 1000}},
                                                         {7, {28, 49, 112, 448}},
                                                         {11, {44, 121, 352}},
                                                         {13, {52, 169, 416}},
                                                         {31, {31, 124, 496}},
                                                         {127, {127, 508}},
                                                         {257, {257}},
                                                         {1021, {1021}}};

bool power_of_two(Index n) { return (n & (n - 1)) == 0; }

double per_element(const Work& work, double seconds) {
  return seconds / static_cast<double>(work.elements());
}

/// Enough lines for several tiles, in cache where lines are short.
Index few_lines(Index length, bool across) {
  return std::max<Index>(across ? 32 : 4, small_elements / length);
}

double element_bytes(const Work& work) {
  return static_cast<double>(Element{true, work.precision}.bytes());
}

const Curve& beyond(const Speed& speed, const Work& work) {
  return work.across ? speed.interleaved : speed.lines;
}

bool is_length(const Work& work) {
  return work.kernel == Kernel::fourier && !work.twiddles &&
         work.lines == few_lines(work.length, work.across);
}

}  // namespace

LocalWork::LocalWork(Index most_bytes) {
  add_lengths();
  add_sizes(most_bytes);
  add_checks(most_bytes);
}

void LocalWork::add_lengths() {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const bool across : {false, true}) {
      for (Index n = 2; n <= longest; n *= 2) {
        add({precision, n, few_lines(n, across), across, Kernel::fourier, false});
      }
      for (const auto& [prime, lengths] : odd_lengths) {
        for (const Index n : lengths) {
          add({precision, n, few_lines(n, across), across, Kernel::fourier, false});
        }
      }
    }
    for (const Index n : {Index{64}, base_length, Index{1024}}) {
      add({precision, n, few_lines(n, false), false, Kernel::real, false});
    }
    add({precision, base_length, few_lines(base_length, true), true, Kernel::fourier, true});
  }
}

void LocalWork::add_sizes(Index most_bytes) {
  constexpr Index element = 16;
  for (Index bytes = Index{1} << 19; bytes <= most_bytes; bytes *= 2) {
    const Index lines = bytes / 2 / element / base_length;
    add({Precision::f64, base_length, lines, false, Kernel::none, false});
    add({Precision::f64, base_length, lines, false, Kernel::fourier, false});
    add({Precision::f64, base_length, lines, true, Kernel::fourier, false});
    if (bytes < single_from) continue;
    add({Precision::f32, base_length, 2 * lines, false, Kernel::fourier, false});
    add({Precision::f32, base_length, 2 * lines, true, Kernel::fourier, false});
  }
}

void LocalWork::add_checks(Index most_bytes) {
  checks_ = works_.size();
  for (const Index bytes : {Index{3} << 20, Index{3} << 23, Index{3} << 26}) {
    if (bytes > most_bytes) continue;
    for (const Index n : {Index{48}, Index{128}, Index{512}, Index{2048}}) {
      for (const bool across : {false, true}) {
        add({Precision::f64, n, bytes / 32 / n, across, Kernel::fourier, false});
      }
    }
  }
}

Index LocalWork::array_bytes() const {
  Index most = 0;
  for (const Work& work : works_) {
    const Index side = work.lines * (halved_extent(work.length) + work.length) *
                       Element{true, work.precision}.bytes();
    most = std::max(most, work.kernel == Kernel::real ? side : work.bytes() / 2);
  }
  return most;
}

Speed LocalWork::speed(Index active, const std::vector<double>& seconds) const {
  Speed speed;
  speed.active = active;
  // What memory adds, at the base length.
  std::array<double, 2> in_cache{};
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (is_length(work) && work.length == base_length && work.precision == Precision::f64) {
      in_cache[work.across ? 1 : 0] = per_element(work, seconds[i]);
    }
  }
  const auto small = static_cast<double>(small_elements * 32);
  std::vector<Curve::Point> copy;
  std::array<std::vector<Curve::Point>, 2> more = {
      {{{1., 0.}, {small, 0.}}, {{1., 0.}, {small, 0.}}}};
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    const double each = per_element(work, seconds[i]) / element_bytes(work);
    const auto bytes = static_cast<double>(work.bytes());
    if (work.kernel == Kernel::none) {
      copy.emplace_back(bytes, each);
    } else if (work.kernel == Kernel::fourier && !work.twiddles && bytes > small &&
               work.length == base_length && work.precision == Precision::f64) {
      const std::size_t form = work.across ? 1 : 0;
      more[form].emplace_back(bytes, std::max(0., each - in_cache[form] / element_bytes(work)));
    }
  }
  // What is smaller is in cache too.
  copy = rising(copy);
  copy.insert(copy.begin(), {1., copy.front().second});
  speed.copy = Curve(std::move(copy));
  speed.lines = Curve(rising(more[0]));
  speed.interleaved = Curve(rising(more[1]));

  for (const Precision precision : {Precision::f32, Precision::f64}) {
    FftRates& rates = precision == Precision::f32 ? speed.f32 : speed.f64;
    std::array<std::vector<Curve::Point>, 2> lengths;
    std::map<Index, std::vector<double>> ratios;
    const auto rest = [&](std::size_t i) {
      const Work& work = works_[i];
      const double memory =
          beyond(speed, work).at(static_cast<double>(work.bytes())) * element_bytes(work);
      return std::max(per_element(work, seconds[i]) - memory, 1e-12);
    };
    for (std::size_t i = 0; i < checks_; ++i) {
      const Work& work = works_[i];
      if (is_length(work) && work.precision == precision && power_of_two(work.length)) {
        lengths[work.across ? 1 : 0].emplace_back(static_cast<double>(work.length), rest(i));
      }
    }
    rates.lines = Curve(std::move(lengths[0]));
    rates.interleaved = Curve(std::move(lengths[1]));
    const auto smooth = [&](const Work& work) {
      return (work.across ? rates.interleaved : rates.lines).at(static_cast<double>(work.length));
    };
    std::vector<double> real;
    for (std::size_t i = 0; i < checks_; ++i) {
      const Work& work = works_[i];
      if (work.precision != precision) continue;
      if (work.kernel == Kernel::real) real.push_back(per_element(work, seconds[i]) / smooth(work));
      if (work.twiddles) rates.twiddle = std::max(0., rest(i) - smooth(work));
      if (!is_length(work) || power_of_two(work.length)) continue;
      for (const auto& [prime, all] : odd_lengths) {
        if (std::find(all.begin(), all.end(), work.length) != all.end()) {
          ratios[prime].push_back(rest(i) / smooth(work));
        }
      }
    }
    rates.real = median(real);
    rates.memory = memory_factor(precision, rates, speed, seconds);
    std::vector<Curve::Point> primes = {{2., 1.}};
    for (const auto& [prime, values] : ratios) {
      primes.emplace_back(static_cast<double>(prime), median(values));
    }
    rates.primes = Curve(std::move(primes));
  }
  return speed;
}

double LocalWork::memory_factor(Precision precision, const FftRates& rates, const Speed& speed,
                                const std::vector<double>& seconds) const {
  std::vector<double> factors;
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.precision != precision || work.precision == Precision::f64 ||
        work.kernel != Kernel::fourier || work.bytes() < single_from ||
        work.length != base_length) {
      continue;
    }
    const double in_cache =
        (work.across ? rates.interleaved : rates.lines).at(static_cast<double>(work.length));
    const double curve =
        beyond(speed, work).at(static_cast<double>(work.bytes())) * element_bytes(work);
    if (curve > 0.) {
      factors.push_back(std::max(0., per_element(work, seconds[i]) - in_cache) / curve);
    }
  }
  return factors.empty() ? 1. : median(std::move(factors));
}

double modelled(const Speed& speed, const Work& work) {
  const FftRates& rates = speed.rates(work.precision);
  const auto length = static_cast<double>(work.length);
  Index prime = 2;
  for (const auto& [odd, all] : odd_lengths) {
    if (std::find(all.begin(), all.end(), work.length) != all.end()) prime = odd;
  }
  const double each = (work.across ? rates.interleaved : rates.lines).at(length) *
                      rates.primes.at(static_cast<double>(prime));
  const double memory = beyond(speed, work).at(static_cast<double>(work.bytes())) *
                        element_bytes(work) * rates.memory;
  return static_cast<double>(work.elements()) * (each + memory);
}

double LocalWork::residual(const Speed& speed, const std::vector<double>& seconds) const {
  std::vector<double> distances;
  for (std::size_t i = checks_; i < works_.size(); ++i) {
    distances.push_back(std::abs(modelled(speed, works_[i]) / seconds[i] - 1.));
  }
  return median(std::move(distances));
}

}  // namespace kallima::calibrate

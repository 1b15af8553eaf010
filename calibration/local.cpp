// SPDX-License-Identifier: BSD-3-Clause
//
// In cache a sweep costs so much per element, by the length of its lines. What it costs in addition
// when the arrays do not stay there is measured at one length over all sizes, and at one size over
// some lengths.
#include "calibration/local.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "calibration/fit.hpp"
#include "machine/figures.hpp"
#include "machine/rates.hpp"

namespace kallima::calibration {

namespace {

constexpr Index base_length = 256;
constexpr Index small_elements = 8192;
constexpr Index longest = Index{1} << 16;
constexpr Index most_common = 1024;
constexpr Index reach_bytes = Index{1} << 27;  // where lengths are compared beyond cache
constexpr std::array<Index, 6> reach_lengths = {16, 64, 1024, 4096, 16384, longest};

/// Lengths of other primes, and without 2.
constexpr std::array<Index, 20> rare_lengths = {28,  31,  44,  49,  52,  112, 121, 124, 125, 127,
                                                169, 243, 257, 352, 416, 448, 496, 508, 729, 1021};

/// Even lengths of the primes 2, 3 and 5, which most axes have.
std::vector<Index> common_lengths() {
  std::vector<Index> lengths;
  constexpr Index shortest = 12;
  for (Index n = shortest; n <= most_common; n += 2) {
    if (largest_prime(n) <= 5) lengths.push_back(n);
  }
  return lengths;
}

bool power_of_two(Index n) { return (n & (n - 1)) == 0; }

std::vector<Index> all_lengths() {
  std::vector<Index> lengths;
  for (Index n = 2; n <= longest; n *= 2) lengths.push_back(n);
  for (const Index n : common_lengths()) {
    if (!power_of_two(n)) lengths.push_back(n);
  }
  lengths.insert(lengths.end(), rare_lengths.begin(), rare_lengths.end());
  return lengths;
}

/// Powers of two, two of each small prime by itself, and some that grids often have. Every
/// power of two from 64 to 1024 is there, as measured lengths hold for themselves alone.
std::vector<Index> few_lengths() {
  return {2,    8,       32,  64,   128, 256, 512, 1024, 2048,
          8192, longest, 24,  96,   192, 243, 384, 768,  // 3
          40,   125,     160, 320,  640,                 // 5
          49,   448,     121, 352,  169, 416,            // 7, 11, 13
          31,   127,     508, 1021,                      // larger
          60,   100,     120, 240,  360, 480, 720, 1000};
}

double per_element(const Work& work, double seconds) {
  return seconds / static_cast<double>(work.elements());
}

/// Enough lines for several tiles, in cache where lines are short. Across memory they come in whole
/// tiles, whose rows begin where cache lines do.
Index few_lines(Index length, bool across) {
  constexpr Index tile = 32;
  const Index lines = small_elements / length;
  return across ? std::max<Index>(1, lines / tile) * tile : std::max<Index>(4, lines);
}

double element_bytes(const Work& work) {
  return static_cast<double>(Element{true, work.precision}.bytes());
}

/// Seconds per element that memory adds.
double added(const SweepRates& rates, const Work& work) {
  return rates.beyond.at(static_cast<double>(work.bytes())) *
         rates.reach.at(static_cast<double>(work.length)) * element_bytes(work);
}

bool is_length(const Work& work) {
  return work.kernel == Kernel::fourier && !work.twiddles &&
         work.lines == few_lines(work.length, work.across);
}

}  // namespace

LocalWork::LocalWork(Index most_bytes, bool few) : few_(few) {
  add_lengths();
  add_sizes(most_bytes);
  add_checks(most_bytes);
}

void LocalWork::add_lengths() {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const bool across : {false, true}) {
      for (const Index n : few_ ? few_lengths() : all_lengths()) {
        add({precision, n, few_lines(n, across), across, Kernel::fourier, false});
      }
    }
    for (const Index n : {Index{64}, base_length, Index{1024}}) {
      add({precision, n, few_lines(n, false), false, Kernel::real, false});
    }
    add({precision, base_length, few_lines(base_length, true), true, Kernel::fourier, true});
  }
}

void LocalWork::add_sizes(Index most_bytes) {
  largest_ = std::min(most_bytes, reach_bytes);
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Index both = 2 * Element{true, precision}.bytes();
    for (Index bytes = Index{1} << 19; bytes <= most_bytes; bytes *= few_ ? 4 : 2) {
      const Index lines = bytes / both / base_length;
      if (precision == Precision::f64) {
        add({precision, base_length, lines, false, Kernel::none, false});
      }
      for (const bool across : {false, true}) {
        add({precision, base_length, lines, across, Kernel::fourier, false});
      }
    }
    for (const Index n : reach_lengths) {
      if (few_ && n != 64 && n != 1024 && n != longest) continue;
      for (const bool across : {false, true}) {
        const Index lines = largest_ / both / n;
        if (lines <= few_lines(n, across)) continue;
        add({precision, n, lines, across, Kernel::fourier, false});
      }
    }
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
    const Index side = work.lines * (half_extent(work.length) + work.length) *
                       Element{true, work.precision}.bytes();
    most = std::max(most, work.kernel == Kernel::real ? side : work.bytes() / 2);
  }
  return most;
}

Speed LocalWork::speed(Index active, const std::vector<double>& seconds) const {
  Speed speed;
  speed.active = active;
  std::vector<Curve::Point> copy;
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.kernel != Kernel::none) continue;
    copy.emplace_back(static_cast<double>(work.bytes()),
                      per_element(work, seconds[i]) / element_bytes(work));
  }
  copy = rising(copy);
  copy.insert(copy.begin(), {1., copy.front().second});  // what is smaller is in cache too
  speed.copy = Curve(std::move(copy));
  speed.f32 = rates(Precision::f32, seconds);
  speed.f64 = rates(Precision::f64, seconds);
  return speed;
}

FftRates LocalWork::rates(Precision precision, const std::vector<double>& seconds) const {
  FftRates rates;
  rates.lines = sweeps(precision, false, seconds);
  rates.interleaved = sweeps(precision, true, seconds);
  // In its part s of log n a prime takes c times as long: (1 - s) + s c of a power of two's time.
  std::map<Index, std::vector<double>> slower;
  std::vector<double> real;
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.precision != precision) continue;
    const SweepRates& form = rates.form(work.across);
    const double smooth = through_powers_of_two(form, work.length);
    const double rest = std::max(per_element(work, seconds[i]) - added(form, work), 1e-12);
    if (work.kernel == Kernel::real) real.push_back(per_element(work, seconds[i]) / smooth);
    if (work.twiddles) rates.twiddle = std::max(0., rest - smooth);
    if (!is_length(work) || power_of_two(work.length)) continue;
    const Index prime = largest_prime(work.length);
    Index others = work.length;
    while (others % 2 == 0) others /= 2;
    while (others % prime == 0) others /= prime;
    if (others > 1) continue;
    slower[prime].push_back(1. + (rest / smooth - 1.) / odd_part(work.length));
  }
  rates.real = median(real);
  std::vector<Curve::Point> primes = {{2., 1.}};
  for (const auto& [prime, values] : slower) {
    primes.emplace_back(static_cast<double>(prime), std::max(0.1, median(values)));
  }
  rates.primes = Curve(std::move(primes));
  return rates;
}

SweepRates LocalWork::sweeps(Precision precision, bool across,
                             const std::vector<double>& seconds) const {
  // Seconds per element of all lengths in few lines, of some in arrays that are large, and of the
  // base length over all sizes.
  std::map<Index, double> few;
  std::map<Index, double> large;
  std::vector<Curve::Point> sizes;
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.kernel != Kernel::fourier || work.twiddles || work.precision != precision ||
        work.across != across) {
      continue;
    }
    const double each = per_element(work, seconds[i]);
    if (is_length(work)) {
      few[work.length] = each;
    } else {
      if (work.length == base_length) sizes.emplace_back(static_cast<double>(work.bytes()), each);
      if (work.bytes() == largest_) large[work.length] = each;
    }
  }
  const auto element = static_cast<double>(Element{true, precision}.bytes());
  const auto bytes_of_few = [&](Index n) {
    return 2. * element * static_cast<double>(n * few_lines(n, across));
  };
  SweepRates result;
  std::vector<Curve::Point> beyond = {{1., 0.}, {bytes_of_few(base_length), 0.}};
  for (const auto& [bytes, each] : sizes) {
    beyond.emplace_back(bytes, std::max(0., each - few[base_length]) / element);
  }
  result.beyond = Curve(rising(beyond));
  // Each length agrees with its two measurements, where they lie far enough apart to tell.
  const double most = result.beyond.at(static_cast<double>(largest_));
  std::vector<Curve::Point> reach;
  for (const auto& [n, each] : large) {
    const double apart = most - result.beyond.at(bytes_of_few(n));
    if (apart <= 0.5 * most) continue;
    constexpr double least = 0.25;
    constexpr double farthest = 8.;
    const double factor = (each - few[n]) / (apart * element);
    reach.emplace_back(static_cast<double>(n), std::clamp(factor, least, farthest));
  }
  if (!reach.empty()) result.reach = Curve(std::move(reach));
  std::vector<Curve::Point> in_cache;
  for (const auto& [n, each] : few) {
    const double memory =
        result.beyond.at(bytes_of_few(n)) * result.reach.at(static_cast<double>(n)) * element;
    in_cache.emplace_back(static_cast<double>(n), std::max(each - memory, 1e-12));
  }
  result.in_cache = Curve(std::move(in_cache));
  return result;
}

double modelled(const Speed& speed, const Work& work) {
  const FftRates& rates = speed.rates(work.precision);
  const SweepRates& form = rates.form(work.across);
  const double each = in_cache_rate(form, rates.primes, work.length);
  return static_cast<double>(work.elements()) * (each + added(form, work));
}

double LocalWork::residual(const Speed& speed, const std::vector<double>& seconds) const {
  std::vector<double> distances;
  for (std::size_t i = checks_; i < works_.size(); ++i) {
    distances.push_back(std::abs(modelled(speed, works_[i]) / seconds[i] - 1.));
  }
  return median(std::move(distances));
}

}  // namespace kallima::calibration

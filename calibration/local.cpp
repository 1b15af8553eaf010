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

#include "base/line_kernel.hpp"
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
constexpr Index even_row = 64;                 // lines that follow each other in memory
constexpr Index ragged_row = 65;
constexpr Index ragged_length = 128;
constexpr Index ragged_rows_beyond = 64;  // some 16 MiB
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

/// Powers of two and some of each prime by itself. Every power of two from 64 to 1024 is there, as
/// measured lengths hold for themselves alone.
std::vector<Index> few_lengths() {
  return {2,   8,   32,  64,  128, 256, 512, 1024, 2048, 8192, longest, 96, 243, 768,  // 3
          125, 160, 640,                                                               // 5
          49,  448, 121, 169,                                                          // 7, 11, 13
          31,  127, 508, 1021};                                                        // larger
}

/// Likewise, and some that grids often have.
std::vector<Index> few_kernel_lengths() {
  return {2,  8,   32,  64,  128, 256, 512, 1024, 2048, longest_kernel_line,
          24, 96,  192, 243, 384, 768,  // 3
          40, 125, 160, 320, 640,       // 5
          49, 448, 121, 169, 416,       // 7, 11, 13
          60, 100, 120, 240, 360, 480, 720, 1000};
}

std::vector<Index> lengths_of(LineEngine engine, bool few) {
  const bool kernels = engine == LineEngine::kernels;
  if (few) return kernels ? few_kernel_lengths() : few_lengths();
  std::vector<Index> lengths = all_lengths();
  if (kernels) std::erase_if(lengths, [](Index n) { return !has_kernel(n); });
  return lengths;
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
  return work.kernel == Kernel::fourier && !work.twiddles && work.row == 0 &&
         work.lines == few_lines(work.length, work.across);
}

}  // namespace

LocalWork::LocalWork(Index most_bytes, bool few, bool kernels)
    : engines_{LineEngine::fftw}, few_(few) {
  if (kernels) engines_.push_back(LineEngine::kernels);
  for (const LineEngine engine : engines_) add_lengths(engine);
  add_sizes(most_bytes);
  add_checks(most_bytes);
}

void LocalWork::add_lengths(LineEngine engine) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const bool across : {false, true}) {
      for (const Index n : lengths_of(engine, few_)) {
        add({precision, n, few_lines(n, across), across, Kernel::fourier, false, engine});
      }
    }
    for (const Index n : {Index{32}, Index{64}, Index{128}, base_length, Index{1024}}) {
      add({precision, n, few_lines(n, false), false, Kernel::real, false, engine});
    }
    add({precision, base_length, few_lines(base_length, true), true, Kernel::fourier, true,
         engine});
    for (const Index lines : {2 * ragged_row, ragged_rows_beyond * ragged_row}) {
      for (const Index row : {even_row, ragged_row}) {
        add({precision, ragged_length, lines / ragged_row * row, true, Kernel::fourier, false,
             engine, row});
      }
    }
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
      for (const LineEngine engine : engines_) {
        for (const bool across : {false, true}) {
          add({precision, base_length, lines, across, Kernel::fourier, false, engine});
        }
      }
    }
    for (const Index n : reach_lengths) {
      if (few_ && n != 64 && n != 1024 && n != longest) continue;
      for (const LineEngine engine : engines_) {
        if (engine == LineEngine::kernels && !has_kernel(n)) continue;
        for (const bool across : {false, true}) {
          const Index lines = largest_ / both / n;
          if (lines <= few_lines(n, across)) continue;
          add({precision, n, lines, across, Kernel::fourier, false, engine});
        }
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
        add({Precision::f64, n, bytes / 32 / n, across, Kernel::fourier, false, engines_.back()});
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
  speed.f32 = rates(LineEngine::fftw, Precision::f32, seconds);
  speed.f64 = rates(LineEngine::fftw, Precision::f64, seconds);
  if (engines_.back() == LineEngine::kernels) {
    speed.kernels_f32 = rates(LineEngine::kernels, Precision::f32, seconds);
    speed.kernels_f64 = rates(LineEngine::kernels, Precision::f64, seconds);
  }
  return speed;
}

FftRates LocalWork::rates(LineEngine engine, Precision precision,
                          const std::vector<double>& seconds) const {
  FftRates rates;
  rates.lines = sweeps(engine, precision, false, seconds);
  rates.interleaved = sweeps(engine, precision, true, seconds);
  // In its part s of log n a prime takes c times as long: (1 - s) + s c of a power of two's time.
  std::map<Index, std::vector<double>> slower;
  std::vector<Curve::Point> real;
  std::vector<double> ragged;
  double even = 0.;  // seconds per element of the work before, whose rows begin on cache lines
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.precision != precision || work.engine != engine) continue;
    if (work.row == even_row) even = per_element(work, seconds[i]);
    if (work.row == ragged_row) ragged.push_back(per_element(work, seconds[i]) / even);
    const SweepRates& form = rates.form(work.across);
    const double smooth = through_powers_of_two(form, work.length);
    const double rest = std::max(per_element(work, seconds[i]) - added(form, work), 1e-12);
    if (work.kernel == Kernel::real) {
      real.emplace_back(static_cast<double>(work.length), per_element(work, seconds[i]) / smooth);
    }
    if (work.twiddles) rates.twiddle = std::max(0., rest - smooth);
    if (!is_length(work) || power_of_two(work.length)) continue;
    const Index prime = largest_prime(work.length);
    Index others = work.length;
    while (others % 2 == 0) others /= 2;
    while (others % prime == 0) others /= prime;
    if (others > 1) continue;
    slower[prime].push_back(1. + (rest / smooth - 1.) / odd_part(work.length));
  }
  rates.real = Curve(std::move(real));
  rates.ragged = std::max(1., median(ragged));
  std::vector<Curve::Point> primes = {{2., 1.}};
  for (const auto& [prime, values] : slower) {
    primes.emplace_back(static_cast<double>(prime), std::max(0.1, median(values)));
  }
  rates.primes = Curve(std::move(primes));
  return rates;
}

SweepRates LocalWork::sweeps(LineEngine engine, Precision precision, bool across,
                             const std::vector<double>& seconds) const {
  // Seconds per element of all lengths in few lines, of some in arrays that are large, and of the
  // base length over all sizes.
  std::map<Index, double> few;
  std::map<Index, double> large;
  std::vector<Curve::Point> sizes;
  for (std::size_t i = 0; i < checks_; ++i) {
    const Work& work = works_[i];
    if (work.kernel != Kernel::fourier || work.twiddles || work.row > 0 || work.engine != engine ||
        work.precision != precision || work.across != across) {
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
    // Long lines across memory fill the second cache, where what they add is not that of large
    // arrays.
    constexpr double least_part = 0.6;
    in_cache.emplace_back(static_cast<double>(n), std::max(each - memory, least_part * each));
  }
  result.in_cache = Curve(std::move(in_cache));
  return result;
}

double modelled(const Speed& speed, const Work& work) {
  const FftRates& rates = speed.rates(work.precision, work.engine);
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

// SPDX-License-Identifier: BSD-3-Clause
//
// What a sweep takes in cache. Engines choose their algorithm by the length, and not always well:
// 192 can take twice what 160 takes. So lengths that were measured are taken as they are, others by
// their primes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "machine/figures.hpp"

namespace kallima {

/// Calls visit(prime, times) for the primes of n, the smallest first. O(sqrt(n)).
template <class Visit>
void for_primes(Index n, Visit visit) {
  for (Index p = 2; p * p <= n; ++p) {
    int times = 0;
    for (; n % p == 0; n /= p) ++times;
    if (times > 0) visit(p, times);
  }
  if (n > 1) visit(n, 1);
}

inline Index largest_prime(Index n) {
  Index largest = 1;
  for_primes(n, [&](Index prime, int) { largest = prime; });
  return largest;
}

/// The part that the odd primes of n have in log n.
inline double odd_part(Index n) {
  const Index twos = n & -n;
  return n > 1 ? 1. - std::log(static_cast<double>(twos)) / std::log(static_cast<double>(n)) : 0.;
}

/// By what lines of n take longer than a power of two about as long: a transform makes log n
/// passes, of which each prime p has a part, and in that part takes `primes` at p times as long.
inline double prime_factor(const Curve& primes, Index n) {
  if (n <= 1) return 1.;
  double sum = 0.;
  for_primes(n, [&](Index prime, int times) {
    sum += times * std::log(static_cast<double>(prime)) * primes.at(static_cast<double>(prime));
  });
  return sum / std::log(static_cast<double>(n));
}

/// Seconds per element on the line through powers of two.
inline double through_powers_of_two(const SweepRates& rates, Index n) {
  const auto length = static_cast<double>(n);
  const Curve::Point* below = nullptr;
  const Curve::Point* above = nullptr;
  for (const Curve::Point& point : rates.in_cache.points()) {
    if (std::exp2(std::round(std::log2(point.first))) != point.first) continue;
    if (point.first <= length) below = &point;
    if (point.first >= length && above == nullptr) above = &point;
  }
  if (below == nullptr) below = above;
  if (above == nullptr) above = below;
  if (below == nullptr) return rates.in_cache.at(length);
  return below == above ? below->second : Curve({*below, *above}).at(length);
}

/// Seconds per element of lines of n: as measured where that length was, a point of the curve.
inline double in_cache_rate(const SweepRates& rates, const Curve& primes, Index n) {
  const std::vector<Curve::Point>& points = rates.in_cache.points();
  const auto length = static_cast<double>(n);
  const auto at = std::lower_bound(points.begin(), points.end(), Curve::Point{length, 0.});
  if (at != points.end() && at->first == length) return at->second;
  return through_powers_of_two(rates, n) * prime_factor(primes, n);
}

/// Of a transform of reals, what part of that of as many complex numbers it takes. Engines have no
/// algorithm for half of a large prime: measured with FFTW 3.3.10, primes from 1009 to 1000003 take
/// 0.95 to 1.5 of the complex transform.
inline double real_factor(const FftRates& rates, Index n) {
  constexpr Index large_prime = 128;
  const double real = rates.real.at(static_cast<double>(n));
  return largest_prime(n) > large_prime ? std::max(real, 1.2) : real;
}

}  // namespace kallima

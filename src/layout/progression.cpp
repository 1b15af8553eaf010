// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/progression.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"

namespace kallima {

namespace {

/// x with a * x = 1 modulo m, for coprime a and m, 0 <= x < m; 0 where m is 1.
Index inverse(Index a, Index m) {
  Index r0 = m;
  Index r1 = a % m;
  Index x0 = 0;
  Index x1 = 1;
  while (r1 > 1) {
    const Index quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    x0 = std::exchange(x1, x0 - quotient * x1);
  }
  if (m == 1) return 0;
  return x1 < 0 ? x1 + m : x1;
}

}  // namespace

Progression intersect(const Progression& a, const Progression& b) {
  if (a.empty() || b.empty()) return {};
  const Index low = std::max(a.first, b.first);
  const Index high = std::min(a.last(), b.last());
  if (low > high) return {};
  if (a.step == 1 || b.step == 1) {
    const Progression& wider = a.step == 1 ? b : a;
    const Index skipped = ceil_div(low - wider.first, wider.step);
    const Index first = wider.first + skipped * wider.step;
    return Progression::make(first, wider.step, first > high ? 0 : (high - first) / wider.step + 1);
  }

  // Chinese remainders: index = a.first + a.step * t, with t fixed modulo b.step / common.
  const Index common = std::gcd(a.step, b.step);
  const Index distance = b.first - a.first;
  if (distance % common != 0) return {};
  const Index modulus = b.step / common;
  const Index wanted = ((distance / common) % modulus + modulus) % modulus;
  const Index t = wanted * inverse(a.step / common, modulus) % modulus;
  const Index step = a.step * modulus;
  Index first = a.first + a.step * t;
  if (first < low) first += ceil_div(low - first, step) * step;
  if (first > high) return {};
  return Progression::make(first, step, (high - first) / step + 1);
}

Progression places(const Progression& set, const Progression& subset) {
  if (subset.empty()) return {};
  return Progression::make(set.place(subset.first), std::max<Index>(1, subset.step / set.step),
                           subset.count);
}

}  // namespace kallima

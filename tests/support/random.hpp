// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers from a seed, the same on every rank, machine and compiler (the standard library's
// distributions are not).
#pragma once

#include <cstdint>
#include <vector>

namespace kallima::test {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  Random(std::uint64_t seed, std::uint64_t stream)
      : state_(seed ^ (stream * 0xD1342543DE82EF95ULL)) {
    next();
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  /// low <= result <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class V>
  const V& pick(const std::vector<V>& values) {
    return values[static_cast<std::size_t>(
        between(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  /// In [-1, 1).
  double real() { return static_cast<double>(next() >> 11U) * 0x1.0p-52 - 1.0; }

 private:
  std::uint64_t state_;
};

}  // namespace kallima::test

// SPDX-License-Identifier: BSD-3-Clause
//
// One integer type for everything that counts elements, bytes or ranks, and arithmetic on it that
// says so when a result does not fit. Distributed FFTs have a long record of int counts that
// overflowed at 2048 x 1024 x 1024; here no count is narrowed unchecked.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "kallima/error.hpp"

namespace kallima {

/// Counts of elements, bytes, ranks, and indices into them.
using Index = std::int64_t;

/// a * b, or Overflow naming `what`.
inline Index checked_mul(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw Overflow(std::string(what) + ": " + std::to_string(a) + " x " + std::to_string(b) +
                   " does not fit 64 bits; use a smaller shape");
  }
  return result;
}

/// a + b, or Overflow naming `what`.
inline Index checked_add(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    throw Overflow(std::string(what) + ": " + std::to_string(a) + " + " + std::to_string(b) +
                   " does not fit 64 bits; use a smaller shape");
  }
  return result;
}

/// `value` as a To, or Overflow naming `what`.
template <class To, class From>
To narrow(From value, const char* what) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  if (!std::in_range<To>(value)) {
    throw Overflow(std::string(what) + ": " + std::to_string(value) + " does not fit " +
                   std::to_string(8 * sizeof(To)) + " bits");
  }
  return static_cast<To>(value);
}

/// a / b rounded up, for a >= 0 and b > 0.
constexpr Index ceil_div(Index a, Index b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace kallima

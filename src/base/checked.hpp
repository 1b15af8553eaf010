// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic on counts that says so when a result does not fit.
#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "kallima/error.hpp"
#include "kallima/index.hpp"

namespace kallima {

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

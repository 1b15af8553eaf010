// SPDX-License-Identifier: BSD-3-Clause
//
// What is to be transformed: kind, shape, precision; no ranks, no layouts.
//
// Text form, as the command line takes it:
//
//     c2c:512x512x512        complex to complex, double precision
//     c2c:256^3:f32          three axes of 256, single precision
//     c2c:2^30               one axis of 2^30 (base 2 is a power; any other base repeats the axis)
//     c2c:2^10x48            two axes, 1024 and 48
//     c2c:2^10^3             three axes of 1024
#pragma once

#include <complex>
#include <string>
#include <string_view>

#include "kallima/export.h"
#include "kallima/layout.hpp"

namespace kallima {

/// Floating-point format of an element's parts.
enum class Precision : std::uint8_t { f32, f64 };

/// The precision of a floating-point type.
template <class T>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::f32 : Precision::f64;

/// What one element of an array is.
struct Element {
  bool complex = true;                   ///< two parts or one
  Precision precision = Precision::f64;  ///< format of a part

  /// Size in memory.
  [[nodiscard]] Index bytes() const {
    return (precision == Precision::f32 ? 4 : 8) * (complex ? 2 : 1);
  }

  friend bool operator==(const Element&, const Element&) = default;
};

/// A transform to be planned.
struct KALLIMA_API Problem {
  Shape shape;                           ///< extents, slowest axis of a C array first
  Precision precision = Precision::f64;  ///< of input, output and all arithmetic

  /// Reads the text form and validates the shape. ParseError, InvalidShape, Overflow.
  static Problem parse(std::string_view line);
  /// The text form.
  [[nodiscard]] std::string to_text() const;
  /// Elements of the whole array.
  [[nodiscard]] Index elements() const { return volume(shape); }

  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace kallima

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
//     r2c:512^3              real to complex: of the last axis half the frequencies are kept
//     r2c/z:64x48x32         the same, of the first axis
//     ntt:2^20               number-theoretic transform, of residues
//     walsh:2^10x16          Walsh-Hadamard transform
//     sort:2^20              keys, put in order
//
// Elements of the last three have 64 bits, and their extents are powers of two; the command line
// does not take them.
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

/// What is transformed into what, forward.
enum class Kind : std::uint8_t {
  c2c,    ///< complex to complex
  r2c,    ///< real to complex: frequencies k and -k are conjugates, so along one axis half are kept
  ntt,    ///< residues to residues: kallima/ntt.hpp
  walsh,  ///< doubles to doubles: kallima/walsh_hadamard.hpp
  sort    ///< keys to keys in order: kallima/sort.hpp
};

/// Extent of an r2c axis: frequencies 0 .. n/2.
inline Index half_extent(Index n) { return n / 2 + 1; }

/// A transform to be planned.
struct KALLIMA_API Problem {
  Shape shape;                           ///< extents, slowest axis of a C array first
  Precision precision = Precision::f64;  ///< of input, output and all arithmetic; f32 of numbers of
                                         ///< 64 bits, which have the size of such complex ones
  Kind kind = Kind::c2c;                 ///< of input and output
  int r2c_axis = -1;  ///< r2c: axis of which half the frequencies are kept; negative: the last

  /// Reads the text form and validates. ParseError, InvalidShape, Overflow.
  static Problem parse(std::string_view line);
  /// Throws where a shape cannot be transformed so: InvalidShape, Overflow; InvalidOption for
  /// another precision of numbers of 64 bits than f32.
  void validate() const;
  /// The text form.
  [[nodiscard]] std::string to_text() const;
  /// Elements of the whole array of positions.
  [[nodiscard]] Index elements() const { return volume(shape); }
  /// True where elements are numbers of 64 bits.
  [[nodiscard]] bool of_words() const {
    return kind == Kind::ntt || kind == Kind::walsh || kind == Kind::sort;
  }
  /// True where positions are real.
  [[nodiscard]] bool real() const { return kind == Kind::r2c; }
  /// The r2c axis, whose redundant half of frequencies is not stored.
  [[nodiscard]] std::size_t r2c_axis_index() const {
    return r2c_axis < 0 ? shape.size() - 1 : static_cast<std::size_t>(r2c_axis);
  }
  /// Extents of the array of frequencies.
  [[nodiscard]] Shape frequency_shape() const {
    Shape result = shape;
    if (real()) result[r2c_axis_index()] = half_extent(shape[r2c_axis_index()]);
    return result;
  }

  friend bool operator==(const Problem& a, const Problem& b) {
    return a.shape == b.shape && a.precision == b.precision && a.kind == b.kind &&
           (!a.real() || a.r2c_axis_index() == b.r2c_axis_index());
  }
};

}  // namespace kallima

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
//     c2c/x=cosine-1:64x65   a kind for one axis: a cosine transform along x, Fourier along y
//     c2c/z=none:8x64x64     nothing is transformed along z
//     r2r/cosine-2:64^3      real to real, all axes of one kind
//     r2r/sine-1,x=none:9x7  the same, but for x
//     r2c/z,x=cosine-1:8x9x5 the r2c axis is z, along x it is a cosine transform
//     r2c/k=85:256^3         of each axis, frequencies |k| <= 85 are kept
//     c2c/kz=5,kx=9:16^3     of z those up to 5, of x up to 9, of y all
//     c2c:256^3*8            a batch of 8: a slowest axis, held whole by every rank
//     c2c/none:256^3         nothing is transformed: elements go from one layout to another
//     c2c/none:256^3:u8      the same, of bytes
//     ntt:2^20               number-theoretic transform, of residues
//     walsh:2^10x16          Walsh-Hadamard transform
//     sort:2^20              keys, put in order
//
// Elements of the last three have 64 bits, and their extents are powers of two; the command line
// takes neither them nor bytes.
#pragma once

#include <algorithm>
#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/export.h"
#include "kallima/layout.hpp"

namespace kallima {

/// Format of an element's parts.
enum class Precision : std::uint8_t {
  f32,  ///< single precision
  f64,  ///< double precision
  u8    ///< bytes, one per element, which are moved and not computed with
};

/// The precision of a floating-point type.
template <class T>
inline constexpr Precision precision_of = sizeof(T) == 4 ? Precision::f32 : Precision::f64;

/// What one element of an array is.
struct Element {
  bool complex = true;                   ///< two parts or one
  Precision precision = Precision::f64;  ///< format of a part

  /// Size in memory.
  [[nodiscard]] Index bytes() const {
    if (precision == Precision::u8) return 1;
    return (precision == Precision::f32 ? 4 : 8) * (complex ? 2 : 1);
  }

  friend bool operator==(const Element&, const Element&) = default;
};

/// What is transformed into what, forward.
enum class Kind : std::uint8_t {
  c2c,    ///< complex to complex
  r2c,    ///< real to complex: frequencies k and -k are conjugates, so along one axis half are kept
  r2r,    ///< real to real: along every axis a cosine or sine transform, or nothing
  ntt,    ///< residues to residues: kallima/ntt.hpp
  walsh,  ///< doubles to doubles: kallima/walsh_hadamard.hpp
  sort    ///< keys to keys in order: kallima/sort.hpp
};

/// Extent of an r2c axis: frequencies 0 .. n/2.
inline Index half_extent(Index n) { return n / 2 + 1; }

/// What is done along one axis. Cosine and sine transforms are FFTW's, unscaled: cosine_1 to
/// cosine_4 are its REDFT00, REDFT10, REDFT01 and REDFT11, sine_1 to sine_4 its RODFT00, RODFT10,
/// RODFT01 and RODFT11. Of types 1 and 4 each is its own inverse, of types 2 and 3 each is the
/// other's.
enum class AxisKind : std::uint8_t {
  fourier,   ///< the discrete Fourier transform
  real,      ///< the same, of reals: the r2c axis
  cosine_1,  ///< even about the first and the last element; at least two
  cosine_2,  ///< even about half an element before the first and behind the last: "the" DCT
  cosine_3,  ///< its inverse
  cosine_4,  ///< even about the left end, odd about the right one
  sine_1,    ///< odd about one element before the first and one behind the last
  sine_2,    ///< odd about half an element before the first and behind the last
  sine_3,    ///< its inverse
  sine_4,    ///< odd about the left end, even about the right one
  none,      ///< nothing
  batch      ///< nothing, and where the planner chooses a layout, every rank holds all of it
};

/// "fourier", "cosine-1", ...
KALLIMA_API std::string_view name_of(AxisKind kind);

/// True for cosine and sine transforms.
inline bool is_trigonometric(AxisKind kind) {
  return kind >= AxisKind::cosine_1 && kind <= AxisKind::sine_4;
}

/// A transform to be planned.
struct KALLIMA_API Problem {
  Shape shape;                           ///< extents, slowest axis of a C array first
  Precision precision = Precision::f64;  ///< of input, output and all arithmetic; f32 of numbers of
                                         ///< 64 bits, which have the size of such complex ones
  Kind kind = Kind::c2c;                 ///< of input and output
  int r2c_axis = -1;  ///< r2c: axis of which half the frequencies are kept; negative: the last
  std::vector<AxisKind> axes = {};  ///< what is done along each, but for the r2c axis; empty:
                                    ///< Fourier along all
  std::vector<Index> keep = {};  ///< per Fourier axis, the largest |k| of the frequencies that are
                                 ///< kept; negative: all. Empty: all of all axes

  /// Reads the text form and validates. ParseError, InvalidShape, Overflow.
  static Problem parse(std::string_view line);
  /// Throws where a shape cannot be transformed so: InvalidShape, Overflow; InvalidOption for kinds
  /// of axes that do not go together, and for another precision of numbers of 64 bits than f32.
  void validate() const;
  /// The text form.
  [[nodiscard]] std::string to_text() const;
  /// Elements of the whole array of positions.
  [[nodiscard]] Index elements() const { return volume(shape); }
  /// True where elements are numbers of 64 bits.
  [[nodiscard]] bool of_words() const {
    return kind == Kind::ntt || kind == Kind::walsh || kind == Kind::sort;
  }
  /// True where there is an r2c axis.
  [[nodiscard]] bool real() const { return kind == Kind::r2c; }
  /// True where positions are complex.
  [[nodiscard]] bool complex_positions() const { return !real() && kind != Kind::r2r; }
  /// True where frequencies are complex.
  [[nodiscard]] bool complex_frequencies() const { return kind != Kind::r2r; }
  /// What is done along an axis.
  [[nodiscard]] AxisKind axis_kind(std::size_t a) const {
    if (real() && a == r2c_axis_index()) return AxisKind::real;
    return axes.empty() ? AxisKind::fourier : axes[a];
  }
  /// True where positions along an axis are frequencies, too: nothing is done along it, or it has
  /// one element that Fourier transforms leave as it is. (Cosines and sines do not.)
  [[nodiscard]] bool idle(std::size_t a) const {
    const AxisKind its = axis_kind(a);
    return its == AxisKind::none || its == AxisKind::batch ||
           (shape[a] == 1 && !is_trigonometric(its));
  }
  /// True where nothing is transformed along any axis: elements go from one layout to another.
  [[nodiscard]] bool moves_only() const {
    return !axes.empty() && !real() && std::all_of(axes.begin(), axes.end(), [](AxisKind its) {
      return its == AxisKind::none || its == AxisKind::batch;
    });
  }
  /// What forward and back multiplies by: the product of FFTW's logical sizes of what is
  /// transformed. Overflow.
  [[nodiscard]] Index logical_size() const;
  /// The r2c axis, whose redundant half of frequencies is not stored.
  [[nodiscard]] std::size_t r2c_axis_index() const {
    return r2c_axis < 0 ? shape.size() - 1 : static_cast<std::size_t>(r2c_axis);
  }
  /// Frequencies that a line along an axis has, kept or not: half of an r2c axis.
  [[nodiscard]] Index frequencies_of_line(std::size_t a) const {
    return axis_kind(a) == AxisKind::real ? half_extent(shape[a]) : shape[a];
  }
  /// Those that are kept: 0 .. K and, but for an r2c axis, -K .. -1 behind them.
  [[nodiscard]] Index frequencies_along(std::size_t a) const {
    const Index all = frequencies_of_line(a);
    const Index most = a < keep.size() ? keep[a] : -1;
    if (most < 0 || most >= shape[a] / 2) return all;
    return axis_kind(a) == AxisKind::real ? most + 1 : 2 * most + 1;
  }
  /// True where not all frequencies along an axis are kept.
  [[nodiscard]] bool truncated(std::size_t a) const {
    return frequencies_along(a) < frequencies_of_line(a);
  }
  /// True where there are fewer frequencies than positions along an axis: half, or those kept.
  [[nodiscard]] bool shrinks(std::size_t a) const {
    return axis_kind(a) == AxisKind::real || truncated(a);
  }
  /// True where not all frequencies are kept.
  [[nodiscard]] bool truncated() const {
    for (std::size_t a = 0; a < shape.size() && !keep.empty(); ++a) {
      if (truncated(a)) return true;
    }
    return false;
  }
  /// Extents of the array of frequencies.
  [[nodiscard]] Shape frequency_shape() const {
    Shape result;
    for (std::size_t a = 0; a < shape.size(); ++a) result.push_back(frequencies_along(a));
    return result;
  }

  friend bool operator==(const Problem& a, const Problem& b) {
    return a.shape == b.shape && a.precision == b.precision && a.kind == b.kind &&
           (!a.real() || a.r2c_axis_index() == b.r2c_axis_index()) && a.same_axes(b);
  }

 private:
  void validate_axes() const;
  void validate_keep() const;
  [[nodiscard]] bool same_axes(const Problem& other) const {
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (axis_kind(a) != other.axis_kind(a) ||
          frequencies_along(a) != other.frequencies_along(a)) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace kallima

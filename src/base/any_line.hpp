// SPDX-License-Identifier: BSD-3-Clause
//
// How lines that there is no kernel for are put together of such that there is one for: planned
// here, done in src/fft/any_lines.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/checked.hpp"
#include "base/line_kernel.hpp"

namespace kallima {

/// Of a length beyond those of kernels that is a product of primes to 13: the length of the columns
/// of a matrix that its lines are taken for, as near to its square root as there is a kernel.
inline Index column_length(Index length) {
  Index best = 1;
  for (Index divisor = 2; divisor <= longest_kernel_line && divisor * divisor <= length;
       ++divisor) {
    if (length % divisor == 0) best = divisor;
  }
  return best;
}

/// Points of the convolution that a line of so many elements is taken for (Bluestein's algorithm):
/// as few as products of a power of two and a small odd number allow.
inline Index convolution_length(Index length) {
  const Index least = checked_add(length, length - 1, "points of a convolution");
  const auto with = [&](Index odd) {
    return odd *
           static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(least, odd))));
  };
  Index best = with(1);
  for (const Index odd : {3, 5, 9, 15}) best = std::min(best, with(odd));
  return best;
}

/// Complex elements of the Fourier transform that a cosine or sine transform becomes; kinds are
/// numbered as in AxisKind, from cosine_1 on.
inline Index trigonometric_points(int kind, Index length) {
  constexpr int cosine_1 = 0;
  constexpr int cosine_4 = 3;
  constexpr int sine_1 = 4;
  constexpr int sine_4 = 7;
  if (kind == cosine_1) return 2 * (length - 1);
  if (kind == sine_1) return 2 * (length + 1);
  return kind == cosine_4 || kind == sine_4 ? 2 * length : length;
}

/// The same of reals, half of whose frequencies there are: of an even number two are one element.
inline Index real_points(Index length) { return length % 2 == 0 ? length / 2 : length; }

/// Lines that are transformed together: two cache lines' worth, which kernels take as a group.
inline Index lines_together(Index lines, Index points, Index number_bytes) {
  return lines > 1 && points <= longest_kernel_line ? 128 / number_bytes : 1;
}

/// Bytes of whole cache lines that have room for so many.
inline Index whole_lines(Index bytes) { return ceil_div(bytes, 64) * 64; }

Index complex_lines_scratch(Index length, Index lines, Index number_bytes);

/// Bytes that so many lines want as scratch which become others of so many points.
inline Index combined_lines_scratch(Index points, Index lines, Index number_bytes) {
  const Index together = lines_together(lines, points, number_bytes);
  return whole_lines(points * together * number_bytes) +
         complex_lines_scratch(points, together, number_bytes);
}

/// The same for lines of complex numbers of any length.
inline Index complex_lines_scratch(Index length, Index lines, Index number_bytes) {
  if (length == 1) return whole_lines(number_bytes);
  if (has_kernel(length)) return kernel_scratch(length);
  if (!has_small_primes(length)) {
    return combined_lines_scratch(convolution_length(length), lines, number_bytes);
  }
  const Index columns = column_length(length);
  return whole_lines(length * number_bytes) +
         std::max(complex_lines_scratch(columns, length / columns, number_bytes),
                  complex_lines_scratch(length / columns, columns, number_bytes));
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What lies between the sweeps of a split axis: lines multiplied by roots of unity.
#pragma once

#include <complex>

#include "base/strides.hpp"
#include "fft/roots.hpp"

namespace kallima::exec {

/// Lines whose elements k = 0, 1, ... are multiplied by exp(-+ 2 pi i j k / n).
template <class E>
struct TwiddledLines {
  E* data = nullptr;
  Strides strides;
  Index lines = 0;
  Index length = 0;
  Index first = 0;  ///< j of the first line
  Index step = 0;   ///< by how much j grows from line to line; j k stays below n
};

/// Multiplies by exp(- ...), or by the conjugates.
template <class T>
void twiddle(const TwiddledLines<std::complex<T>>& lines, const fft::Roots<T>& roots,
             bool conjugate);

extern template void twiddle(const TwiddledLines<std::complex<float>>&, const fft::Roots<float>&,
                             bool);
extern template void twiddle(const TwiddledLines<std::complex<double>>&, const fft::Roots<double>&,
                             bool);

}  // namespace kallima::exec

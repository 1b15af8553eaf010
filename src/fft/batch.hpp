// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/strides.hpp"
#include "kallima/engine.hpp"

namespace kallima::fft {

/// What the elements of a line are, before and behind.
enum class Numbers : std::uint8_t {
  complex,    ///< complex before and behind
  from_real,  ///< real before, half of the frequencies behind
  to_real,    ///< the other way
  real        ///< real before and behind: cosines and sines only
};

/// What is done to a line. Cosines and sines of complex numbers are those of their parts.
enum class LineKind : std::uint8_t {
  fourier,
  cosine_1,
  cosine_2,
  cosine_3,
  cosine_4,
  sine_1,
  sine_2,
  sine_3,
  sine_4
};

/// What an engine plan is made for.
struct Batch {
  Index length = 1;       ///< of a line, in positions
  Index lines = 1;        ///< at a time
  Strides from;           ///< read
  Strides to;             ///< written; in place the same
  bool in_place = false;  ///< otherwise what is read and what is written do not overlap
  Numbers numbers = Numbers::complex;    ///< strides count elements of their side
  LineKind kind = LineKind::fourier;     ///< what is done
  LineEngine engine = LineEngine::fftw;  ///< by what

  friend bool operator==(const Batch&, const Batch&) = default;
};

}  // namespace kallima::fft

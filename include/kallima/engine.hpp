// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "kallima/export.h"

namespace kallima {

/// What computes the transforms of lines.
enum class LineEngine : std::uint8_t {
  any,     ///< kernels for products of primes to 13 up to 4096, FFTW, where there is one, for
           ///< other lines; in a request only
  fftw,    ///< a library with FFTW's interface
  kernels  ///< the library's own; other lines are put together of such
};

/// True for what this build of the library has: without FFTW (-DKALLIMA_FFTW=OFF) not that.
KALLIMA_API bool has_engine(LineEngine engine);

/// "any", "fftw", "kernels".
KALLIMA_API std::string_view name_of(LineEngine engine);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "kallima/export.h"

namespace kallima {

/// What computes the transforms of lines.
enum class LineEngine : std::uint8_t {
  any,     ///< whichever is cheaper; in a request only
  fftw,    ///< a library with FFTW's interface: any length
  kernels  ///< the library's own: products of primes to 13, up to 4096
};

/// "any", "fftw", "kernels".
KALLIMA_API std::string_view name_of(LineEngine engine);

}  // namespace kallima

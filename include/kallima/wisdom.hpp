// SPDX-License-Identifier: BSD-3-Clause
//
// What the FFT engine has learnt about this machine, kept between runs.
//
// The engine's wisdom belongs to the whole process: the host program may use it too. So it is added
// to, never cleared. A file of ours carries a version and a checksum; one that is damaged, or of
// another version, is ignored with a warning and never reaches the engine.
//
// It is FFTW's: kernels have none, and a library that is built without FFTW says so.
#pragma once

#include <cstdint>
#include <string>

#include "kallima/export.h"

namespace kallima {

/// How hard the FFT engine looks for a fast plan.
enum class Effort : std::uint8_t {
  estimate,  ///< by rule, at once
  measure,   ///< tries some, seconds
  patient,   ///< tries many, longer
};

/// Writes the process' wisdom for float and double. Not collective; FileError. InvalidOption in a
/// library without FFTW.
KALLIMA_API void save_wisdom(const std::string& path);

/// Adds a file's wisdom to the process'. Not collective. Returns an empty text, or a warning that
/// says why the file was ignored.
[[nodiscard]] KALLIMA_API std::string load_wisdom(const std::string& path);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// The theorems on butterflies hold for powers of two alone.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "kallima/error.hpp"
#include "kallima/index.hpp"

namespace kallima::models {

/// The logarithm of a power of two, or InvalidOption naming `what`.
inline Index exact_log2(Index value, const char* what) {
  if (value < 1 || !std::has_single_bit(static_cast<std::uint64_t>(value))) {
    throw InvalidOption(std::string(what) + " is " + std::to_string(value) +
                        "; the model needs a power of two");
  }
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

/// InvalidOption with a text that names the fix, unless `holds`.
inline void require(bool holds, const std::string& text) {
  if (!holds) throw InvalidOption(text);
}

}  // namespace kallima::models

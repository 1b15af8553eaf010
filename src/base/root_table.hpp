// SPDX-License-Identifier: BSD-3-Clause
//
// How large the tables for roots of unity are: planned here, filled in src/fft/roots.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "kallima/index.hpp"

namespace kallima {

/// Exponents below n are cut into this many low bits and the rest.
constexpr int root_table_low_bits(Index n) {
  return (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) + 1) / 2;
}

/// Elements of the two tables for exponents below n, about 2 sqrt(n).
constexpr Index root_table_size(Index n) {
  return (Index{1} << root_table_low_bits(n)) + (n >> root_table_low_bits(n)) + 1;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace kallima {

/// Vector instructions that the library has code for. Of one kind of processor the later have all
/// of the earlier.
enum class Vectors : std::uint8_t { none, sse4, avx2, avx512, neon };

/// "none", "sse4", ...
std::string_view name_of(Vectors vectors);

/// The best that this processor has, or less where KALLIMA_VECTORS names it.
Vectors vectors_here();

}  // namespace kallima

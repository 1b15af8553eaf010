// SPDX-License-Identifier: BSD-3-Clause
//
// What one rank tells the others when a call fails on it alone: by a word in the memory that the
// ranks of a node share, and by a message. Plain bytes, so that it fits both.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kallima/error.hpp"

namespace kallima::comm {

struct Failure {
  std::int32_t code = 0;
  std::int32_t rank = 0;         ///< where it happened
  std::array<char, 504> text{};  ///< ends with a zero; cut where it is longer

  static Failure of(ErrorCode code, int rank, const std::string& text) {
    Failure result;
    result.code = static_cast<std::int32_t>(code);
    result.rank = rank;
    std::copy_n(text.begin(), std::min(text.size(), result.text.size() - 1), result.text.begin());
    return result;
  }

  /// Throws the error that it is.
  [[noreturn]] void raise() const { throw_error(static_cast<ErrorCode>(code), text.data()); }
};
static_assert(std::is_trivially_copyable_v<Failure> && sizeof(Failure) == 512);

}  // namespace kallima::comm

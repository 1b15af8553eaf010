// SPDX-License-Identifier: BSD-3-Clause
//
// Errors are part of the interface. One table lists every code; the exception types, their names
// and the codes of the C interface all come from it, so that they cannot drift apart.
//
// A collective call that fails throws the same type with the same code and the same text on every
// rank of its communicator. Every text says what is wrong and names the fix.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "kallima/error_table.h"
#include "kallima/export.h"

namespace kallima {

/// Codes of all errors; 0 is success. Stable: numbers are never reused.
enum class ErrorCode : int {
  ok = 0,
#define KALLIMA_CODE(code, name, upper, type, meaning) name = code,
  KALLIMA_ERROR_TABLE(KALLIMA_CODE)
#undef KALLIMA_CODE
};

/// Name of a code as written in the table, "ok" for success, "unknown" for a number not in it.
KALLIMA_API std::string_view name_of(ErrorCode code) noexcept;

/// What a code means, in a few words.
KALLIMA_API std::string_view meaning_of(ErrorCode code) noexcept;

/// Base of all exceptions of the library.
class KALLIMA_API Error : public std::runtime_error {
 public:
  /// An error with a text that names the fix.
  Error(ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}

  /// The code, as the C interface returns it.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

#define KALLIMA_TYPE(number, name, upper, type, meaning)                     \
  /** See KALLIMA_ERROR_TABLE. */                                            \
  class KALLIMA_API type : public Error {                                    \
   public:                                                                   \
    /** With a text that names the fix. */                                   \
    explicit type(const std::string& text) : Error(ErrorCode::name, text) {} \
  };
KALLIMA_ERROR_TABLE(KALLIMA_TYPE)
#undef KALLIMA_TYPE

/// Throws the exception type that belongs to `code`. With ErrorCode::ok it throws InternalError.
[[noreturn]] KALLIMA_API void throw_error(ErrorCode code, const std::string& text);

}  // namespace kallima

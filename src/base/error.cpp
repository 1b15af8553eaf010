// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/error.hpp"

namespace kallima {

std::string_view name_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::ok:
      return "ok";
#define KALLIMA_NAME(number, name, upper, type, meaning) \
  case ErrorCode::name:                                  \
    return #name;
      KALLIMA_ERROR_TABLE(KALLIMA_NAME)
#undef KALLIMA_NAME
  }
  return "unknown";
}

std::string_view meaning_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::ok:
      return "success";
#define KALLIMA_MEANING(number, name, upper, type, meaning) \
  case ErrorCode::name:                                     \
    return meaning;
      KALLIMA_ERROR_TABLE(KALLIMA_MEANING)
#undef KALLIMA_MEANING
  }
  return "a code that is not in the table";
}

void throw_error(ErrorCode code, const std::string& text) {
  switch (code) {
    case ErrorCode::ok:
      break;
#define KALLIMA_THROW(number, name, upper, type, meaning) \
  case ErrorCode::name:                                   \
    throw type(text);
      KALLIMA_ERROR_TABLE(KALLIMA_THROW)
#undef KALLIMA_THROW
  }
  throw InternalError("error with a code that is not in the table: " + text);
}

}  // namespace kallima

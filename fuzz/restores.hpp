// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold for any text: it is refused with an error that the function documents, or its
// value has a text form that restores it. Anything else aborts, which libFuzzer reports: another
// exception, a value that is not restored, what the sanitizers see, or a text that takes long.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kallima/error.hpp"

namespace kallima::fuzz {

/// The bytes that libFuzzer made.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs `parse`; false where it throws one of the errors.
template <class... Errors, class Parse>
bool accepted(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const Error& error) {
    if (((dynamic_cast<const Errors*>(&error) != nullptr) || ...)) return false;
    std::fprintf(stderr, "refused with an error that it should not throw: %s\n", error.what());
    std::abort();
  }
}

/// Aborts where a text that was accepted is not restored.
inline void require_restored(bool restored, const std::string& text) {
  if (restored) return;
  std::fprintf(stderr, "not restored by its text form:\n%s\n", text.c_str());
  std::abort();
}

/// Checks Value::parse(text), which throws ParseError and nothing else.
template <class Value>
void check(std::string_view text) {
  Value value;
  if (!accepted<ParseError>([&] { value = Value::parse(text); })) return;
  const std::string again = value.to_text();
  require_restored(Value::parse(again) == value, again);
}

}  // namespace kallima::fuzz

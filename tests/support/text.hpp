// SPDX-License-Identifier: BSD-3-Clause
//
// What tests ask of texts.
#pragma once

#include <string>
#include <string_view>

namespace kallima::test {

inline bool mentions(const std::string& text, std::string_view fragment) {
  return text.find(fragment) != std::string::npos;
}

}  // namespace kallima::test

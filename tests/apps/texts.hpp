// SPDX-License-Identifier: BSD-3-Clause
//
// What tests of drawings look at.
#pragma once

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

namespace kallima::cli {

/// The bytes of a file.
inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// How often a part stands in a text.
inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "kallima/error.hpp"

namespace kallima {

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw FileError(fmt::format(
        "cannot write '{}'; check that its folder exists, is writable and has room", path));
  }
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file) {
    throw FileError(fmt::format("cannot read '{}'; check that it exists and is readable", path));
  }
  return content.str();
}

}  // namespace kallima

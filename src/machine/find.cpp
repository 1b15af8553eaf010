// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/package.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

namespace fs = std::filesystem;

/// Where machines lie, the user's own folder first.
std::vector<fs::path> folders() {
  std::vector<fs::path> result =
      package_places(own_file(), KALLIMA_MACHINES_INSIDE, KALLIMA_MACHINES_DIR);
  if (const char* const own = std::getenv("KALLIMA_MACHINES")) result.emplace(result.begin(), own);
  return result;
}

Machine read(const fs::path& path) {
  const std::string content = text_of_file(path.string());
  try {
    return Machine::parse(content);
  } catch (const ParseError& error) {
    throw ParseError(path.string() + ": " + error.what());
  }
}

}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> names = {built_in_machine()->name};
  for (const fs::path& folder : folders()) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Machine find_machine(const std::string& name_or_path) {
  if (name_or_path == built_in_machine()->name) return built_in_machine();
  std::error_code failed;
  if (fs::is_regular_file(name_or_path, failed)) return read(name_or_path);
  if (name_or_path.find('/') == std::string::npos) {
    for (const fs::path& folder : folders()) {
      const fs::path path = folder / (name_or_path + ".toml");
      if (fs::is_regular_file(path, failed)) return read(path);
    }
  }
  throw FileError(fmt::format(
      "there is no machine '{}'; give a file that `kallima calibrate` made, or one of {} "
      "(KALLIMA_MACHINES names a folder of more)",
      name_or_path, fmt::join(machine_names(), ", ")));
}

Machine default_machine() {
  const char* const named = std::getenv("KALLIMA_MACHINE");
  return named == nullptr || *named == '\0' ? built_in_machine() : find_machine(named);
}

}  // namespace kallima

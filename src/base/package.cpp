// SPDX-License-Identifier: BSD-3-Clause
#include "base/package.hpp"

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/file.hpp"

namespace kallima {

namespace {

namespace fs = std::filesystem;

constexpr int most_folders_up = 4;

/// Reads "first-last", in hexadecimal digits, and says whether `address` lies between.
bool covers(const std::string& range, std::uintptr_t address) {
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
  const char* const end = range.data() + range.size();
  const auto begin = std::from_chars(range.data(), end, first, 16);
  if (begin.ec != std::errc() || begin.ptr == end) return false;
  const auto rest = std::from_chars(begin.ptr + 1, end, last, 16);
  return rest.ec == std::errc() && first <= address && address < last;
}

}  // namespace

// From the list of what is mapped: dladdr is in a library of its own on older systems, and knows a
// program only by the name it was called by.
fs::path own_file() {
  static constexpr char here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  std::istringstream maps(text_if_readable("/proc/self/maps"));
  std::string line;
  while (std::getline(maps, line)) {
    if (!covers(line.substr(0, line.find(' ')), address)) continue;
    const std::size_t path = line.find('/');
    return path == std::string::npos ? fs::path() : fs::path(line.substr(path));
  }
  return {};
}

std::vector<fs::path> package_places(const fs::path& file, const fs::path& inside,
                                     const fs::path& installed) {
  std::vector<fs::path> places;
  fs::path folder = file.parent_path();
  for (int up = 0; up < most_folders_up && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    places.push_back(folder / inside);
  }
  places.push_back(installed);
  return places;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// From the files that hwloc reads too, without its milliseconds and without linking it.
#include "fft/cache.hpp"

#include <charconv>
#include <sstream>
#include <string>

#include "base/file.hpp"

namespace kallima::fft {

namespace {

/// The first word of a file, or nothing.
std::string word_in(const std::string& file) {
  std::istringstream stream(text_if_readable(file));
  std::string word;
  stream >> word;
  return word;
}

/// As in 2048K; 0 where it is not understood.
Index bytes_of(const std::string& size) {
  Index number = 0;
  const auto [rest, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  const std::string unit(rest, size.data() + size.size());
  constexpr Index most = Index{1} << 30;
  if (error != std::errc() || number < 0 || number > most) return 0;
  if (unit == "K") return number << 10;
  if (unit == "M") return number << 20;
  return unit.empty() ? number : 0;
}

}  // namespace

Index second_cache_bytes() {
  constexpr int most_caches = 8;
  for (int i = 0; i < most_caches; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = word_in(folder + "level");
    if (level.empty()) return 0;
    if (level == "2" && word_in(folder + "type") != "Instruction") {
      return bytes_of(word_in(folder + "size"));
    }
  }
  return 0;
}

}  // namespace kallima::fft

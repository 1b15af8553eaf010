// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ctime>

#include "kallima/error.hpp"

namespace kallima::text {

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> result;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r\n", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r\n", at), line.size());
    result.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return result;
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> result;
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = line.find(separator, at);
    if (end == std::string_view::npos) {
      result.emplace_back(line.substr(at));
      return result;
    }
    result.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
}

std::string_view trim(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

Index parse_count(std::string_view digits, std::string_view what) {
  Index value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, failure] = std::from_chars(digits.data(), end, value);
  if (failure == std::errc::result_out_of_range) {
    throw ParseError(fmt::format("{}: {} does not fit 64 bits", what, digits));
  }
  if (failure != std::errc() || stopped != end || value < 0) {
    throw ParseError(fmt::format("{}: expected a non-negative integer, found '{}'", what, digits));
  }
  return value;
}

std::string grouped(Index value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t sign = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string bytes(Index value) {
  static constexpr std::array<const char*, 7> units = {"B",   "KiB", "MiB", "GiB",
                                                       "TiB", "PiB", "EiB"};
  auto scaled = static_cast<double>(value);
  std::size_t unit = 0;
  while (scaled >= 1024.0 && unit + 1 < units.size()) {
    scaled /= 1024.0;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", value);
  return fmt::format("{:.4g} {}", scaled, units[unit]);
}

std::string plural(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::uint64_t hash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    state *= 1099511628211ULL;
  }
  return state;
}

}  // namespace kallima::text

// SPDX-License-Identifier: BSD-3-Clause
//
// Small text helpers used by every module that reads or prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::text {

/// Words of `line` between runs of blanks.
std::vector<std::string> words(std::string_view line);

/// Parts of `line` between each `separator`, empty ones included.
std::vector<std::string> split(std::string_view line, char separator);

/// `line` without leading and trailing blanks.
std::string_view trim(std::string_view line);

/// A non-negative decimal integer, the whole of `digits`; ParseError names `what` otherwise.
Index parse_count(std::string_view digits, std::string_view what);

/// 1234567 as "1,234,567".
std::string grouped(Index value);

/// Bytes for people: "512 B", "1.5 KiB", "768 MiB".
std::string bytes(Index value);

/// "1 rank", "3 ranks".
std::string plural(Index count, std::string_view noun);

/// 16 hexadecimal digits.
std::string hex(std::uint64_t value);

/// The time of day, as in 2026-11-15T14:30:00Z.
std::string now();

/// FNV-1a, 64 bits: for comparing texts between ranks and spotting damaged files. Not secure.
std::uint64_t hash(std::string_view bytes, std::uint64_t seed = 14695981039346656037ULL);

}  // namespace kallima::text

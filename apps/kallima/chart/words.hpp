// SPDX-License-Identifier: BSD-3-Clause
//
// Words that come from users: names of files and of machines, which may be anything and any length.
#pragma once

#include <string>
#include <string_view>

#include "canvas.hpp"

namespace kallima::cli::chart {

/// Text that every form of picture can have: without control characters, and with a question mark
/// for each byte that belongs to no character of UTF-8.
std::string readable(std::string_view words);

/// As much of a text as a width has room for, and dots where that is not all.
std::string fitted(const Canvas& canvas, std::string_view words, const Lettering& lettering,
                   double width);

}  // namespace kallima::cli::chart

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::cli {

/// The numbers of ranks that a text names: "64", or "1..1000", the powers of two between and the
/// ends, ascending. ParseError with the fix.
std::vector<Index> ranks_in(const std::string& text);

}  // namespace kallima::cli

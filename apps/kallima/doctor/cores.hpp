// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of cores as Linux writes them.
#pragma once

#include <string>
#include <vector>

namespace kallima::cli::doctor {

/// 0, 1, 2, 7 as "0-2,7".
std::string core_ranges(const std::vector<int>& cores);

/// The way back. ParseError where it is no such text.
std::vector<int> cores_in(const std::string& ranges);

}  // namespace kallima::cli::doctor

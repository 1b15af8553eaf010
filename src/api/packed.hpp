// SPDX-License-Identifier: BSD-3-Clause
//
// Texts one behind the other, each with its length: what rank 0 broadcasts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kallima {

/// One text of all.
std::string packed(const std::vector<std::string>& texts);

/// All texts of one that packed() made.
std::vector<std::string> unpacked(std::string_view rest);

}  // namespace kallima

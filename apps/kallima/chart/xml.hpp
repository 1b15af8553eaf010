// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kallima::cli::chart {

/// Text as it stands between tags or quotes of XML; control characters, which it cannot have, are
/// left out.
std::string xml_escaped(std::string_view words);

}  // namespace kallima::cli::chart

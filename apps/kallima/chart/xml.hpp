// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kallima::cli::chart {

/// Text as it stands between tags or quotes of XML. Control characters, which it cannot have, are
/// left out; what is no UTF-8 becomes question marks.
std::string xml_escaped(std::string_view words);

}  // namespace kallima::cli::chart

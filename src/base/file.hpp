// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kallima {

/// Writes a file anew. FileError where that fails, with the mend.
void write_file(const std::string& path, std::string_view bytes);

/// All of a file. FileError where it cannot be read.
std::string text_of_file(const std::string& path);

}  // namespace kallima

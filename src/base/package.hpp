// SPDX-License-Identifier: BSD-3-Clause
//
// Where files lie that are installed with the library. An installed package can be moved as a
// whole, so they are looked for beside the library or program that this code is in, not only where
// it was first installed.
#pragma once

#include <filesystem>
#include <vector>

namespace kallima {

/// The file that this code was loaded from: the shared library, or the program that it is linked
/// into. Empty where the system does not say.
std::filesystem::path own_file();

/// Where `inside`, a path from an installation's prefix, may lie: under the folders above `file`,
/// the nearest first; at last `installed`. A prefix is one to four folders above its libraries and
/// programs (bin, lib/x86_64-linux-gnu, lib/python3/dist-packages/kallima), and so is a build tree.
std::vector<std::filesystem::path> package_places(const std::filesystem::path& file,
                                                  const std::filesystem::path& inside,
                                                  const std::filesystem::path& installed);

}  // namespace kallima

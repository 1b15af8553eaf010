// SPDX-License-Identifier: BSD-3-Clause
//
// What `kallima export simgrid` writes and `kallima simulate` reads.
#pragma once

#include <filesystem>
#include <string>

namespace kallima::cli {

struct PlatformFiles {
  std::string platform;
  std::string hosts;    ///< nodes that ranks are laid on, one a rank
  std::string machine;  ///< that the platform was made of
};

/// The files that belong to a platform, by its name.
inline PlatformFiles files_beside(const std::string& platform) {
  const std::filesystem::path path(platform);
  const auto ending = [&path](const char* with) {
    return std::filesystem::path(path).replace_extension(with).string();
  };
  return {platform, ending(".hosts"), ending(".toml")};
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network_here.hpp"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace kallima {

namespace {

/// Paths of what a folder has; none where it cannot be read. Not by std::filesystem, whose
/// iterators end the program where memory is short.
std::vector<std::string> entries_of(const std::string& folder) {
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  std::vector<std::string> result;
  const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
  if (!open) return result;
  while (const dirent* const entry = readdir(open.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") result.push_back(folder + "/" + std::string(name));
  }
  return result;
}

/// The number that a file begins with; 0 where there is none.
double number_in(const std::string& path) {
  const std::string text = text_if_readable(path);
  return std::max(0., std::strtod(text.c_str(), nullptr));
}

/// InfiniBand, RoCE, Omni-Path and EFA are all of the class infiniband: "200 Gb/sec (4X HDR)".
double bits_of_infiniband(const std::string& classes) {
  double most = 0.;
  for (const std::string& adapter : entries_of(classes + "/infiniband")) {
    for (const std::string& port : entries_of(adapter + "/ports")) {
      most = std::max(most, 1e9 * number_in(port + "/rate"));
    }
  }
  return most;
}

/// Megabits; -1 where a link is down or its driver does not tell.
double bits_of_ethernet(const std::string& classes) {
  double most = 0.;
  for (const std::string& adapter : entries_of(classes + "/net")) {
    if (adapter.ends_with("/lo")) continue;
    most = std::max(most, 1e6 * number_in(adapter + "/speed"));
  }
  return most;
}

/// True where a variable's text has a word.
bool names(const char* text, std::string_view word) {
  return text != nullptr && std::string_view(text).find(word) != std::string_view::npos;
}

/// By the variables that people set for it, or that mpirun sets for its options.
bool tcp_is_asked_for(const std::function<const char*(const char*)>& environment) {
  const char* const layer = environment("OMPI_MCA_pml");
  if (names(layer, "ob1") || (layer == nullptr && names(environment("OMPI_MCA_btl"), "tcp"))) {
    return !names(environment("OMPI_MCA_btl"), "openib");
  }
  return names(environment("UCX_TLS"), "tcp") || names(environment("FI_PROVIDER"), "tcp") ||
         names(environment("FI_PROVIDER"), "sockets");
}

}  // namespace

Network network_of(const std::string& classes,
                   const std::function<const char*(const char*)>& environment) {
  constexpr std::array adapters = {"infiniband", "cxi"};
  const bool adapter = std::any_of(adapters.begin(), adapters.end(), [&](const char* name) {
    return !entries_of(classes + "/" + name).empty();
  });
  if (adapter && !tcp_is_asked_for(environment)) return {true, bits_of_infiniband(classes)};
  return {false, bits_of_ethernet(classes)};
}

Network network_here() {
  return network_of("/sys/class", [](const char* name) { return std::getenv(name); });
}

}  // namespace kallima

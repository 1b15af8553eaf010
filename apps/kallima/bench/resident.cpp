// SPDX-License-Identifier: BSD-3-Clause
#include "resident.hpp"

#include <sstream>
#include <string>

#include "base/file.hpp"
#include "kallima/error.hpp"

namespace kallima::cli {

namespace {

/// A line such as "VmHWM:   12345 kB" of the process' status (proc(5)).
std::optional<Index> status_bytes(const std::string& key) {
  std::istringstream file(text_if_readable("/proc/self/status"));
  for (std::string word; file >> word;) {
    Index kibibytes = 0;
    if (word == key && file >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Index> resident_bytes() { return status_bytes("VmRSS:"); }

std::optional<Index> peak_resident_bytes() { return status_bytes("VmHWM:"); }

void forget_peak() {
  try {
    write_file("/proc/self/clear_refs", "5");  // proc(5): resets the peak
  } catch (const FileError&) {
    // Where the system does not let it, the peak is of the whole program.
  }
}

}  // namespace kallima::cli

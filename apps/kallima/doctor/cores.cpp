// SPDX-License-Identifier: BSD-3-Clause
#include "cores.hpp"

#include "base/checked.hpp"
#include "base/text.hpp"

namespace kallima::cli::doctor {

std::string core_ranges(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t end = i + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[i]);
    if (end > i + 1) text += '-' + std::to_string(cores[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> cores_in(const std::string& ranges) {
  std::vector<int> cores;
  if (ranges.empty()) return cores;
  for (const std::string& range : text::split(ranges, ',')) {
    const std::vector<std::string> ends = text::split(range, '-');
    const Index last = text::parse_count(ends.back(), "core");
    for (Index core = text::parse_count(ends.front(), "core"); core <= last; ++core) {
      cores.push_back(narrow<int>(core, "core"));
    }
  }
  return cores;
}

}  // namespace kallima::cli::doctor

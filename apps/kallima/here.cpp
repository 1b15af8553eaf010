// SPDX-License-Identifier: BSD-3-Clause
#include "here.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"

namespace kallima::cli {

namespace {

/// The processor's name where the system tells it, as Linux does; otherwise nothing.
std::string processor() {
  std::istringstream file(text_if_readable("/proc/cpuinfo"));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    return fmt::format(" ({})", text::trim(std::string_view(line).substr(line.find(':') + 1)));
  }
  return {};
}

}  // namespace

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

/// "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..." as "Open MPI v4.1.4" and "MPICH
/// 4.0.2".
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  std::string_view line(version.data(), static_cast<std::size_t>(length));
  line = line.substr(0, line.find_first_of(",\n"));
  std::vector<std::string> words;
  for (const std::string& word : text::words(line)) {
    if (word != "Version:") words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string here(const Session& session) {
  return fmt::format("{} on {}, {}, host {}{}", text::plural(session.size, "rank"),
                     text::plural(session.nodes, "node"), library_version(), host_name(),
                     processor());
}

}  // namespace kallima::cli

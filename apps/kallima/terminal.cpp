// SPDX-License-Identifier: BSD-3-Clause
#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "session.hpp"

namespace kallima::cli {

namespace {

bool colored() {
  const char* const unwanted = std::getenv("NO_COLOR");
  if (unwanted != nullptr && *unwanted != '\0') return false;
  // Launchers give ranks a terminal of their own, whatever their own output is.
  return isatty(STDOUT_FILENO) == 1 && !launched();
}

}  // namespace

std::string heading(const std::string& text) {
  return colored() ? fmt::format("\033[1m{}\033[0m", text) : text;
}

Progress::Progress(bool speaks) : on_(speaks && isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string& text) {
  if (!on_) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace kallima::cli

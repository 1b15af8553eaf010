// SPDX-License-Identifier: BSD-3-Clause
//
// What the program prints differently on a terminal.
#pragma once

#include <string>

namespace kallima::cli {

/// `text` in bold where standard output is a terminal and NO_COLOR (https://no-color.org) is unset.
std::string heading(const std::string& text);

/// One line on standard error that says what takes so long; nothing where that is no terminal.
class Progress {
 public:
  /// Silent on ranks that do not speak.
  explicit Progress(bool speaks);
  Progress(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress& operator=(Progress&&) = delete;
  ~Progress() { clear(); }

  /// Replaces the line.
  void show(const std::string& text);
  /// Removes the line, before something is printed.
  void clear();

 private:
  bool on_;
  bool shown_ = false;
};

}  // namespace kallima::cli

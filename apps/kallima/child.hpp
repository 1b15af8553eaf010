// SPDX-License-Identifier: BSD-3-Clause
//
// Another program, run to its end.
#pragma once

#include <string>
#include <vector>

namespace kallima::cli {

/// How a program ended, and what it said.
struct Ended {
  int status = 0;  ///< its exit code; 128 and the signal's number where one ended it
  std::string out;
  std::string err;
};

/// Runs words[0], looked for along PATH, with the other words as its arguments; no shell reads
/// them. FileError where it cannot be started.
Ended run_to_end(const std::vector<std::string>& words);

/// A folder for files of a moment, which goes with them.
class ScratchFolder {
 public:
  /// FileError where there can be none.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  /// The path of a file in it.
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace kallima::cli

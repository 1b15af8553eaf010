// SPDX-License-Identifier: BSD-3-Clause
#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "kallima/error.hpp"

namespace kallima::cli {

ScratchFolder::ScratchFolder() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  std::string name = (failed ? std::filesystem::path("/tmp") : place) / "kallima-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw FileError(
        fmt::format("no folder {} can be made: {}; let TMPDIR name one that can be "
                    "written to",
                    name, std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Ended run_to_end(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;  // posix_spawnp wants them writable
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // Files and not pipes: nobody has to read two of them at once.
  const ScratchFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  constexpr mode_t mode = 0600;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, mode);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, mode);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw FileError(fmt::format("{} cannot be started: {}", words.front(), std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int by_signal = 128;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status), text_of_file(out),
          text_of_file(err)};
}

}  // namespace kallima::cli

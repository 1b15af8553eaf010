// SPDX-License-Identifier: BSD-3-Clause
//
// What a node can still give to this process. Whoever reserves more is not refused: the system
// kills a process, and with it the job. So it is looked up beforehand, in the files where the
// system tells.
//
// Batch systems, systemd and containers put processes into control groups, one within the other,
// and each may have a limit of its own. The process is named its groups in /proc/self/cgroup, their
// folders lie under the mounts of /proc/self/mountinfo, and groups from the innermost to the
// outermost one that is visible are asked. Versions 1 and 2 differ in the names of files; a machine
// may have both at once.
//
// Rejected: the folder /sys/fs/cgroup itself (it is the group of all processes unless a container
// shows its own there), and a library such as libcgroup (it reads the same files, and is one more
// to be installed).
#pragma once

#include <string>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::comm {

/// Folders of the control groups of this process that have a controller ("memory", "cpu"),
/// innermost first; of groups of version 2 whether they have it or not. Groups that are not visible
/// from here are left out. `root` is put before every path, for tests. Local.
std::vector<std::string> control_groups(const std::string& controller,
                                        const std::string& root = {});

/// What this process can still take, to be asked again and again: limits are looked up once.
class NodeMemory {
 public:
  explicit NodeMemory(std::string root = {});

  /// Bytes, as far as the system tells; else the largest number. What memory holds of files that
  /// are not in use counts as free, as the system drops it first, as far as it is certain to be
  /// there. Local; reads a small file, and some more for each group with a limit.
  [[nodiscard]] Index available_bytes() const;

 private:
  /// A group's limit, the file of what is used of it, and keys in the group's statistics: what it
  /// holds of files that are not in use, and of memory that is of no file.
  struct Limit {
    Index most = 0;
    std::string used;
    std::string statistics;
    const char* cached = nullptr;
    const char* anonymous = nullptr;
  };
  [[nodiscard]] Index machine_bytes(const char* key, Index otherwise) const;
  [[nodiscard]] Index droppable_bytes(const Limit& limit, Index used) const;

  std::string root_;
  std::vector<Limit> limits_;
};

}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// What a node can still give, read from trees of files as the system shows them: control groups of
// versions 1 and 2, within each other, in containers, and where files are missing.
#include "comm/node_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "support/units.hpp"

namespace kallima::comm {
namespace {

using Folders = std::vector<std::string>;
using test::gib;
using test::mib;

/// What version 1 shows where there is no limit.
constexpr const char* no_limit = "9223372036854771712\n";

/// Files under a root of their own.
class Tree {
 public:
  Tree() : root_(std::string(KALLIMA_TEST_FILES) + "/node_memory." + std::to_string(getpid())) {
    std::filesystem::remove_all(root_);
  }
  Tree(const Tree&) = delete;
  Tree(Tree&&) = delete;
  Tree& operator=(const Tree&) = delete;
  Tree& operator=(Tree&&) = delete;
  ~Tree() { std::filesystem::remove_all(root_); }

  [[nodiscard]] const std::string& root() const { return root_; }
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file(root_ + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void write(const std::string& path, Index number) const {
    write(path, std::to_string(number) + "\n");
  }

  /// A machine with so much available, and of what it holds, files that are not in use and shared
  /// memory.
  void machine(Index available, Index cached = 1000 * gib, Index shared = 0) const {
    const auto line = [](const char* key, Index bytes) {
      return std::string(key) + "  " + std::to_string(bytes / 1024) + " kB\n";
    };
    write("/proc/meminfo",
          line("MemTotal:", 2000 * gib) + line("MemFree:", mib) + line("MemAvailable:", available) +
              line("Cached:", 3 * gib) + line("Inactive:", 1) + line("Active(file):", 2) +
              line("Inactive(file):", cached) + line("AnonPages:", 3) + line("Shmem:", shared));
  }
  /// Where the process is, and what is mounted.
  void process(const std::string& groups, const std::string& mounts) const {
    write("/proc/self/cgroup", groups);
    write("/proc/self/mountinfo", mounts);
  }
  /// A group of version 2; its limit as a number or "max".
  void group(const std::string& folder, const std::string& most, Index used, Index cached = 0,
             Index anonymous = 0) const {
    write(folder + "/memory.max", most + "\n");
    write(folder + "/memory.high", "max\n");
    write(folder + "/memory.current", used);
    write(folder + "/memory.stat", "anon " + std::to_string(anonymous) +
                                       "\nfile 2\nkernel 3\nactive_file 4\ninactive_file " +
                                       std::to_string(cached) + "\nunevictable 0\n");
  }
  /// A group of version 1.
  void old_group(const std::string& folder, const std::string& most, Index used, Index cached = 0,
                 Index anonymous = 0) const {
    write(folder + "/memory.limit_in_bytes", most + "\n");
    write(folder + "/memory.usage_in_bytes", used);
    // What is of this group alone is not of those within it.
    write(folder + "/memory.stat",
          "cache 1\nrss 1\ninactive_file 7\nhierarchical_memory_limit 8\n"
          "total_cache 9\ntotal_rss " +
              std::to_string(anonymous) + "\ntotal_inactive_file " + std::to_string(cached) +
              "\ntotal_active_file 10\n");
  }

  [[nodiscard]] Index available() const { return NodeMemory(root_).available_bytes(); }
  /// Without the root.
  [[nodiscard]] Folders groups(const std::string& controller = "memory") const {
    Folders folders = control_groups(controller, root_);
    for (std::string& folder : folders) {
      EXPECT_TRUE(folder.starts_with(root_));
      folder.erase(0, root_.size());
    }
    return folders;
  }

 private:
  std::string root_;
};

std::string text(Index number) { return std::to_string(number); }

const std::string mount_2 =
    "22 1 0:20 / /proc rw,nosuid - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

const std::string mount_1 =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw shared:10 master:3 - cgroup cgroup rw,memory\n";

TEST(NodeMemory, without_groups_is_what_the_machine_has) {
  const Tree tree;
  tree.machine(3 * gib);
  EXPECT_EQ(tree.available(), 3 * gib);
  EXPECT_EQ(tree.groups(), Folders{});
}

TEST(NodeMemory, without_any_file_is_not_limited) {
  const Tree tree;
  EXPECT_EQ(tree.available(), std::numeric_limits<Index>::max());
}

TEST(NodeMemory, of_version_2_knows_the_group_of_the_process) {
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/system.slice/job.service\n", mount_2);
  tree.group("/sys/fs/cgroup/system.slice", "max", 5 * gib);
  tree.group("/sys/fs/cgroup/system.slice/job.service", text(4 * gib), gib);
  // Another group's limit is none of ours.
  tree.group("/sys/fs/cgroup/user.slice", text(mib), mib);
  EXPECT_EQ(tree.groups(), (Folders{"/sys/fs/cgroup/system.slice/job.service",
                                    "/sys/fs/cgroup/system.slice", "/sys/fs/cgroup"}));
  EXPECT_EQ(tree.available(), 3 * gib);
}

TEST(NodeMemory, of_version_2_is_limited_by_every_group_around) {
  const std::string slurm = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7";
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_3\n", mount_2);
  tree.group("/sys/fs/cgroup/system.slice", "max", 20 * gib);
  tree.group("/sys/fs/cgroup/system.slice/slurmstepd.scope", "max", 20 * gib);
  tree.group(slurm, text(8 * gib), 6 * gib);  // of all tasks
  tree.group(slurm + "/step_0", text(8 * gib), 5 * gib);
  tree.group(slurm + "/step_0/user", "max", 5 * gib);
  tree.group(slurm + "/step_0/user/task_3", "max", gib);
  EXPECT_EQ(tree.available(), 2 * gib);
  tree.group(slurm + "/step_0", text(6 * gib), 5 * gib);
  EXPECT_EQ(tree.available(), gib);
  tree.machine(gib / 2);
  EXPECT_EQ(tree.available(), gib / 2);
}

TEST(NodeMemory, beyond_memory_high_is_not_to_be_had) {
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/job\n", mount_2);
  tree.group("/sys/fs/cgroup/job", text(8 * gib), gib);
  tree.write("/sys/fs/cgroup/job/memory.high", 3 * gib);
  EXPECT_EQ(tree.available(), 2 * gib);
  tree.group("/sys/fs/cgroup/job", "max", 4 * gib);
  tree.write("/sys/fs/cgroup/job/memory.high", 3 * gib);
  EXPECT_EQ(tree.available(), 0);
}

TEST(NodeMemory, that_holds_files_not_in_use_is_free) {
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/job\n", mount_2);
  tree.group("/sys/fs/cgroup/job", text(8 * gib), 7 * gib, 5 * gib);
  EXPECT_EQ(tree.available(), 6 * gib);
  // Both numbers are not of the same moment.
  tree.group("/sys/fs/cgroup/job", text(8 * gib), 7 * gib, 9 * gib);
  EXPECT_EQ(tree.available(), 8 * gib);
  tree.group("/sys/fs/cgroup/job", text(8 * gib), 9 * gib, 0);
  EXPECT_EQ(tree.available(), 0);
  tree.machine(gib);
  tree.group("/sys/fs/cgroup/job", text(8 * gib), 7 * gib, 5 * gib);
  EXPECT_EQ(tree.available(), gib);
}

TEST(NodeMemory, that_held_files_when_statistics_were_made_need_not_be_free) {
  for (const bool old : {false, true}) {
    const Tree tree;
    tree.process(old ? "4:memory:/job\n" : "0::/job\n", old ? mount_1 : mount_2);
    const std::string folder = old ? "/sys/fs/cgroup/memory/job" : "/sys/fs/cgroup/job";
    const auto full = [&](Index cached, Index anonymous) {
      if (old) {
        tree.old_group(folder, text(8 * gib), 8 * gib, cached, anonymous);
      } else {
        tree.group(folder, text(8 * gib), 8 * gib, cached, anonymous);
      }
    };
    full(6 * gib, gib);
    tree.machine(64 * gib);
    EXPECT_EQ(tree.available(), 6 * gib);
    // The machine has fewer of them by now.
    tree.machine(64 * gib, 4 * gib);
    EXPECT_EQ(tree.available(), 4 * gib);
    // What is used is shared memory by now.
    tree.machine(64 * gib, 1000 * gib, 5 * gib);
    EXPECT_EQ(tree.available(), 2 * gib);
    tree.machine(64 * gib, 1000 * gib, 7 * gib);
    EXPECT_EQ(tree.available(), 0);
    // That of others, too, so that it exceeds what the group uses.
    tree.machine(64 * gib, 1000 * gib, 20 * gib);
    EXPECT_EQ(tree.available(), 0);
    tree.machine(64 * gib, 4 * gib, 2 * gib);
    EXPECT_EQ(tree.available(), 4 * gib);
  }
}

TEST(NodeMemory, of_version_1_is_limited_by_every_group_around) {
  const std::string mount = "/sys/fs/cgroup/memory";
  const Tree tree;
  tree.machine(64 * gib);
  tree.process(
      "9:name=systemd:/\n5:devices:/x\n4:memory:/slurm/uid_1/job_7/step_0\n3:cpu,cpuacct:/c\n",
      mount_1);
  tree.old_group(mount, no_limit, 30 * gib);
  tree.old_group(mount + "/slurm", no_limit, 20 * gib);
  tree.old_group(mount + "/slurm/uid_1", no_limit, 9 * gib);
  tree.old_group(mount + "/slurm/uid_1/job_7", text(8 * gib), 6 * gib);
  tree.old_group(mount + "/slurm/uid_1/job_7/step_0", no_limit, 2 * gib);
  EXPECT_EQ(tree.groups(),
            (Folders{mount + "/slurm/uid_1/job_7/step_0", mount + "/slurm/uid_1/job_7",
                     mount + "/slurm/uid_1", mount + "/slurm", mount}));
  EXPECT_EQ(tree.groups("cpu"),
            (Folders{"/sys/fs/cgroup/cpu,cpuacct/c", "/sys/fs/cgroup/cpu,cpuacct"}));
  EXPECT_EQ(tree.available(), 2 * gib);
  tree.old_group(mount + "/slurm/uid_1/job_7", text(8 * gib), 6 * gib, 3 * gib);
  EXPECT_EQ(tree.available(), 5 * gib);
  // Memory and what is swapped out, together.
  tree.write(mount + "/slurm/uid_1/job_7/memory.memsw.limit_in_bytes", 8 * gib);
  tree.write(mount + "/slurm/uid_1/job_7/memory.memsw.usage_in_bytes", 7 * gib);
  EXPECT_EQ(tree.available(), 4 * gib);
}

TEST(NodeMemory, of_old_systems_without_a_limit_is_not_limited) {
  const Tree tree;
  tree.machine(2 * gib);
  tree.process("4:memory:/\n", mount_1);
  tree.old_group("/sys/fs/cgroup/memory", "18446744073709551615", gib);
  EXPECT_EQ(tree.available(), 2 * gib);
}

TEST(NodeMemory, of_both_versions_at_once_is_what_both_leave) {
  const std::string hybrid =
      mount_1 + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("4:memory:/job\n0::/user.slice\n", hybrid);
  tree.old_group("/sys/fs/cgroup/memory/job", text(3 * gib), gib);
  // The controller is with version 1, so version 2 has no files of it.
  tree.write("/sys/fs/cgroup/unified/user.slice/cgroup.procs", "1\n");
  EXPECT_EQ(tree.groups(),
            (Folders{"/sys/fs/cgroup/memory/job", "/sys/fs/cgroup/memory",
                     "/sys/fs/cgroup/unified/user.slice", "/sys/fs/cgroup/unified"}));
  EXPECT_EQ(tree.available(), 2 * gib);
  tree.group("/sys/fs/cgroup/unified/user.slice", text(gib), 0);
  EXPECT_EQ(tree.available(), gib);
}

TEST(NodeMemory, of_a_container_is_in_the_folder_that_shows_its_group) {
  const Tree tree;
  tree.machine(64 * gib);
  // Without a namespace of its own the process is told paths of the host.
  tree.process("4:memory:/docker/0a1b\n",
               "35 31 0:32 /docker/0a1b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree.old_group("/sys/fs/cgroup/memory", text(2 * gib), gib);
  EXPECT_EQ(tree.groups(), Folders{"/sys/fs/cgroup/memory"});
  EXPECT_EQ(tree.available(), gib);
  // A group within.
  tree.write("/proc/self/cgroup", "4:memory:/docker/0a1b/init.scope\n");
  tree.old_group("/sys/fs/cgroup/memory/init.scope", text(gib / 2), 0);
  EXPECT_EQ(tree.available(), gib / 2);
  // The name of another container begins alike.
  tree.write("/proc/self/cgroup", "4:memory:/docker/0a1bc\n");
  EXPECT_EQ(tree.groups(), Folders{});
  EXPECT_EQ(tree.available(), 64 * gib);
}

TEST(NodeMemory, of_a_namespace_is_in_the_groups_that_are_seen_from_it) {
  const auto mount_of = [](const std::string& root) {
    return "30 23 0:26 " + root + " /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  };
  const Tree tree;
  const auto groups = [&](const std::string& root, const std::string& path) {
    tree.process("0::" + path + "\n", mount_of(root));
    return tree.groups();
  };
  const std::string top = "/sys/fs/cgroup";
  EXPECT_EQ(groups("/", "/"), Folders{top});
  EXPECT_EQ(groups("/", "/a"), (Folders{top + "/a", top}));
  // Mounted two groups further out than the namespace begins: the process is in the outermost, in
  // one beside, or in one whose names are not told.
  EXPECT_EQ(groups("/../..", "/../.."), Folders{top});
  EXPECT_EQ(groups("/../..", "/../../b/c"), (Folders{top + "/b/c", top + "/b", top}));
  EXPECT_EQ(groups("/../..", "/"), Folders{top});
  EXPECT_EQ(groups("/../..", "/a"), Folders{top});
  EXPECT_EQ(groups("/../..", "/../b"), Folders{top});
  // Moved out of what is mounted: nothing that is seen is around the process.
  EXPECT_EQ(groups("/", "/.."), Folders{});
  EXPECT_EQ(groups("/", "/../b"), Folders{});
  EXPECT_EQ(groups("/..", "/../.."), Folders{});
  EXPECT_EQ(groups("/../b", "/a"), Folders{});
  EXPECT_EQ(groups("/../b", "/../c"), Folders{});
  EXPECT_EQ(groups("/../b", "/../b/c"), (Folders{top + "/c", top}));
}

TEST(NodeMemory, of_a_namespace_above_is_limited_by_what_is_seen) {
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/\n", "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.group("/sys/fs/cgroup", text(3 * gib), gib);
  EXPECT_EQ(tree.available(), 2 * gib);
}

TEST(NodeMemory, is_the_least_where_groups_are_mounted_twice) {
  const Tree tree;
  tree.machine(64 * gib);
  tree.process("0::/job/inner\n",
               mount_2 + "50 23 0:26 /job /mnt/my\\040job rw - cgroup2 none rw\n");
  tree.group("/sys/fs/cgroup/job", "max", 0);
  tree.group("/mnt/my job", text(gib), 0);
  EXPECT_EQ(tree.groups(), (Folders{"/sys/fs/cgroup/job/inner", "/sys/fs/cgroup/job",
                                    "/sys/fs/cgroup", "/mnt/my job/inner", "/mnt/my job"}));
  EXPECT_EQ(tree.available(), gib);
}

TEST(NodeMemory, is_known_as_far_as_there_are_files) {
  const Tree tree;
  tree.machine(64 * gib);
  // A group that was removed while the process was in it, in one that is limited.
  tree.process("0::/job/gone (deleted)\n", mount_2);
  tree.write("/sys/fs/cgroup/job/memory.max", 2 * gib);
  EXPECT_EQ(tree.available(), 2 * gib);  // nobody says what is used
  tree.write("/sys/fs/cgroup/job/memory.current", gib);
  EXPECT_EQ(tree.available(), gib);  // nor what of that are files
  tree.write("/sys/fs/cgroup/job/memory.stat", "inactive_file");
  EXPECT_EQ(tree.available(), gib);
  tree.write("/sys/fs/cgroup/job/memory.max", "");
  EXPECT_EQ(tree.available(), 64 * gib);
}

TEST(NodeMemory, is_known_where_lines_are_not_understood) {
  const Tree tree;
  tree.machine(3 * gib);
  tree.process(
      "\n:\n::\n4\n4:memory\nmemory:/\n0::\n",
      "\n-\n - \n1 2 3 4\n1 2 3 4 5 6 -\n1 2 3 4 5 6 - cgroup2\n\\ \\1 \\12 / \\ 6 - cgroup2 x\n");
  EXPECT_EQ(tree.available(), 3 * gib);
}

TEST(NodeMemory, of_this_machine_is_no_more_than_it_has) {
  const Index available = NodeMemory().available_bytes();
  EXPECT_GT(available, 0);
  const Index pages = sysconf(_SC_PHYS_PAGES);
  EXPECT_LE(available, pages * sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace kallima::comm

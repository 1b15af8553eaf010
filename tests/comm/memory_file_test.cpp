// SPDX-License-Identifier: BSD-3-Clause
//
// Files in memory: what is not ours is not opened, what a limit forbids is not tried, and memory is
// reserved in steps, whatever interrupts them.
#include "comm/memory_file.hpp"

#include "base/checked.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/units.hpp"

namespace kallima::comm {
namespace {

using test::mib;

struct stat status_of(int file) {
  struct stat status {};
  EXPECT_EQ(fstat(file, &status), 0);
  return status;
}

TEST(MemoryFile, of_another_process_has_what_that_one_wrote) {
  const MemoryFile mine = MemoryFile::make();
  ASSERT_TRUE(mine.reserve(3 * mib + 5, 0, NodeMemory()));
  std::byte* const here = mine.map(3 * mib + 5);
  ASSERT_NE(here, nullptr);
  here[3 * mib + 4] = std::byte{42};
  const pid_t child = fork();
  if (child == 0) {
    const MemoryFile theirs = MemoryFile::of(getppid(), mine.number(), 3 * mib + 5);
    std::byte* const there = theirs.is_open() ? theirs.map(3 * mib + 5) : nullptr;
    if (there == nullptr || there[3 * mib + 4] != std::byte{42}) _exit(1);
    there[0] = std::byte{43};
    _exit(0);
  }
  int end = -1;
  ASSERT_EQ(waitpid(child, &end, 0), child);
  EXPECT_EQ(end, 0);
  EXPECT_EQ(here[0], std::byte{43});
  munmap(here, static_cast<std::size_t>(3 * mib + 5));
}

TEST(MemoryFile, cannot_be_executed_where_the_system_knows_that) {
  const int probe = memfd_create("probe", MFD_CLOEXEC | 8U);  // MFD_NOEXEC_SEAL
  if (probe < 0) GTEST_SKIP() << "Linux before 6.3";
  close(probe);
  const MemoryFile file = MemoryFile::make();
  ASSERT_TRUE(file.is_open());
  EXPECT_EQ(status_of(file.number()).st_mode & 0111U, 0U);
  EXPECT_NE(fchmod(file.number(), 0777), 0);
}

TEST(MemoryFile, is_closed_when_a_program_is_started) {
  const MemoryFile mine = MemoryFile::make();
  ASSERT_TRUE(mine.reserve(mib, 0, NodeMemory()));
  const MemoryFile again = MemoryFile::of(getpid(), mine.number(), mib);
  for (const MemoryFile* const file : {&mine, &again}) {
    ASSERT_TRUE(file->is_open());
    EXPECT_NE(fcntl(file->number(), F_GETFD) & FD_CLOEXEC, 0);
  }
}

/// A file on disk, whose openings are counted.
class Watched {
 public:
  explicit Watched(const std::string& name)
      : path_(std::string(KALLIMA_TEST_FILES) + "." + name + std::to_string(getpid())),
        events_(inotify_init1(IN_NONBLOCK)) {}
  Watched(const Watched&) = delete;
  Watched(Watched&&) = delete;
  Watched& operator=(const Watched&) = delete;
  Watched& operator=(Watched&&) = delete;
  ~Watched() {
    close(events_);
    unlink(path_.c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  void watch() const { ASSERT_GE(inotify_add_watch(events_, path_.c_str(), IN_OPEN), 0); }
  [[nodiscard]] bool was_opened() const {
    std::array<char, 4096> events{};
    return read(events_, events.data(), events.size()) > 0;
  }

 private:
  std::string path_;
  int events_;
};

TEST(MemoryFile, does_not_open_a_file_that_is_not_in_memory) {
  const Watched file("file");
  std::ofstream(file.path()) << std::string(4096, 'x');
  const int number = open(file.path().c_str(), O_RDWR);
  ASSERT_GE(number, 0);
  file.watch();
  EXPECT_FALSE(MemoryFile::of(getpid(), number, 4096).is_open());
  EXPECT_FALSE(file.was_opened());
  close(number);
  close(open(file.path().c_str(), O_RDWR));
  EXPECT_TRUE(file.was_opened()) << "openings are not seen here";
}

TEST(MemoryFile, does_not_open_a_pipe) {
  const Watched pipe("pipe");
  unlink(pipe.path().c_str());
  ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
  const int number = open(pipe.path().c_str(), O_RDWR);
  ASSERT_GE(number, 0);
  pipe.watch();
  EXPECT_FALSE(MemoryFile::of(getpid(), number, 0).is_open());
  EXPECT_FALSE(pipe.was_opened());
  close(number);
}

TEST(MemoryFile, of_another_name_or_size_or_user_is_left_alone) {
  const int other = memfd_create("kallima2", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(other, mib), 0);
  EXPECT_FALSE(MemoryFile::of(getpid(), other, mib).is_open());
  close(other);

  const MemoryFile mine = MemoryFile::make();
  ASSERT_TRUE(mine.reserve(mib, 0, NodeMemory()));
  EXPECT_TRUE(MemoryFile::of(getpid(), mine.number(), mib).is_open());
  EXPECT_FALSE(MemoryFile::of(getpid(), mine.number(), mib + 1).is_open());
  if (geteuid() != 0) return;  // only root can make files of others
  ASSERT_EQ(fchown(mine.number(), 12345, 12345), 0);
  EXPECT_FALSE(MemoryFile::of(getpid(), mine.number(), mib).is_open());
}

TEST(MemoryFile, of_no_process_or_number_is_not_open) {
  EXPECT_FALSE(MemoryFile::of(getpid(), 1'000'000, mib).is_open());
  EXPECT_FALSE(MemoryFile::of(getpid(), -1, mib).is_open());
  EXPECT_FALSE(MemoryFile::of(-1, 3, mib).is_open());
  EXPECT_FALSE(
      MemoryFile::of(std::numeric_limits<Index>::max(), std::numeric_limits<Index>::max(), mib)
          .is_open());
}

TEST(MemoryFile, beyond_the_limit_of_files_is_refused_and_no_signal_raised) {
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit { mib, mib };
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    if (most_file_bytes() != mib) _exit(2);
    const MemoryFile file = MemoryFile::make();
    if (file.reserve(mib + 1, 0, NodeMemory())) _exit(3);
    if (!file.reserve(mib, 0, NodeMemory())) _exit(4);
    _exit(0);
  }
  int end = -1;
  ASSERT_EQ(waitpid(child, &end, 0), child);
  EXPECT_FALSE(WIFSIGNALED(end)) << strsignal(WTERMSIG(end));
  EXPECT_EQ(WEXITSTATUS(end), 0);
}

TEST(MemoryFile, holds_nothing_where_too_little_is_left) {
  const MemoryFile file = MemoryFile::make();
  EXPECT_FALSE(file.reserve(mib, std::numeric_limits<Index>::max(), NodeMemory()));
  EXPECT_EQ(status_of(file.number()).st_size, 0);
  EXPECT_EQ(status_of(file.number()).st_blocks, 0);
  ASSERT_TRUE(file.reserve(mib, 0, NodeMemory()));
  EXPECT_EQ(status_of(file.number()).st_blocks, mib / 512);
}

/// What was allocated, in order and without gaps.
struct Allocated {
  Index end = 0;
  std::vector<Index> parts;
  int operator()(Index at, Index bytes) {
    EXPECT_EQ(at, end);
    EXPECT_GT(bytes, 0);
    end += bytes;
    parts.push_back(bytes);
    return 0;
  }
};

TEST(ReserveInSteps, takes_every_byte_once_and_looks_before_each_step) {
  for (const Index bytes : {Index{0}, Index{1}, Index{4096}, mib - 1, mib, mib + 1, 31 * mib,
                            32 * mib, 32 * mib + 1, Index{1} << 45}) {
    Allocated allocated;
    Index looks = 0;
    EXPECT_TRUE(reserve_in_steps(
        bytes, [&] { return ++looks > 0; }, std::ref(allocated)));
    EXPECT_EQ(allocated.end, bytes);
    EXPECT_EQ(looks, static_cast<Index>(allocated.parts.size()));
    EXPECT_LE(looks, 32);
    for (const Index part : allocated.parts) EXPECT_LE(part, step_of(bytes));
    EXPECT_EQ(looks, bytes > 0 ? ceil_div(bytes, step_of(bytes)) : 0);
  }
}

TEST(ReserveInSteps, ends_when_too_little_is_left_or_the_system_refuses) {
  for (int good = 0; good < 8; ++good) {
    Allocated allocated;
    int looks = 0;
    EXPECT_FALSE(reserve_in_steps(
        64 * mib, [&] { return looks++ < good; }, std::ref(allocated)));
    EXPECT_EQ(allocated.end, good * 2 * mib);
    Index calls = 0;
    EXPECT_FALSE(reserve_in_steps(
        64 * mib, [] { return true; }, [&](Index, Index) { return calls++ < good ? 0 : ENOSPC; }));
    EXPECT_EQ(calls, good + 1);
  }
}

TEST(ReserveInSteps, begins_again_where_a_signal_interrupts) {
  Allocated allocated;
  int calls = 0;
  int looks = 0;
  EXPECT_TRUE(reserve_in_steps(
      64 * mib, [&] { return ++looks > 0; },
      [&](Index at, Index bytes) { return ++calls % 3 == 0 ? EINTR : allocated(at, bytes); }));
  EXPECT_EQ(allocated.end, 64 * mib);
  EXPECT_EQ(looks, 32);
}

TEST(ReserveInSteps, is_through_where_a_timer_leaves_time_for_little) {
  // Whatever takes longer than 20,000 bytes do is interrupted, and undone.
  Allocated allocated;
  EXPECT_TRUE(reserve_in_steps(
      8 * mib, [] { return true; },
      [&](Index at, Index bytes) { return bytes > 20000 ? EINTR : allocated(at, bytes); }));
  EXPECT_EQ(allocated.end, 8 * mib);
}

}  // namespace
}  // namespace kallima::comm

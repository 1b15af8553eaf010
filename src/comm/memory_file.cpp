// SPDX-License-Identifier: BSD-3-Clause
#include "comm/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>

#include "base/checked.hpp"

namespace kallima::comm {

namespace {

constexpr const char* name = "kallima";
constexpr std::string_view shown_name = "/memfd:kallima (deleted)";  // where its link leads

constexpr Index most_steps = 32;
constexpr Index least_step = Index{1} << 20;
constexpr Index least_part = 4096;  // of a step that is interrupted again and again

/// A file that cannot be made executable, which some systems insist on (vm.memfd_noexec); Linux has
/// it from 6.3 on, and headers later.
constexpr unsigned no_exec_seal = 8;

/// True where this is what the library makes: in memory, of this user, of so many bytes.
bool is_ours(const struct stat& status, Index bytes) {
  return S_ISREG(status.st_mode) && status.st_nlink == 0 && status.st_uid == geteuid() &&
         static_cast<Index>(status.st_size) == bytes;
}

}  // namespace

MemoryFile MemoryFile::make() {
  const int number = memfd_create(name, MFD_CLOEXEC | no_exec_seal);
  if (number >= 0 || errno != EINVAL) return MemoryFile(number);
  return MemoryFile(memfd_create(name, MFD_CLOEXEC));
}

MemoryFile MemoryFile::of(Index process, Index number, Index bytes) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%lld", static_cast<long long>(process),
                static_cast<long long>(number));
  std::array<char, shown_name.size() + 1> link{};  // one more, for what is longer
  const ssize_t length = readlink(path.data(), link.data(), link.size());
  if (length < 0 || std::string_view(link.data(), static_cast<std::size_t>(length)) != shown_name) {
    return MemoryFile(-1);
  }
  struct stat before {};
  if (stat(path.data(), &before) != 0 || !is_ours(before, bytes)) return MemoryFile(-1);
  const int opened = open(path.data(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat after {};
  // The process may have closed it meanwhile, and opened another one by that number.
  const bool same = opened >= 0 && fstat(opened, &after) == 0 && is_ours(after, bytes) &&
                    after.st_dev == before.st_dev && after.st_ino == before.st_ino;
  if (opened >= 0 && !same) close(opened);
  return MemoryFile(same ? opened : -1);
}

MemoryFile::~MemoryFile() {
  if (is_open()) close(number_);
}

bool MemoryFile::reserve(Index bytes, Index left, const NodeMemory& node) const {
  if (!is_open() || bytes > most_file_bytes()) return false;
  const bool all = reserve_in_steps(
      bytes, [&] { return node.available_bytes() >= left; },
      [this](Index at, Index count) { return posix_fallocate(number_, at, count); });
  if (all) return true;
  // Given back at once: others may be in need of it at this moment.
  [[maybe_unused]] const int error = ftruncate(number_, 0);
  return false;
}

std::byte* MemoryFile::map(Index bytes) const {
  void* const base = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                          MAP_SHARED, number_, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

Index most_file_bytes() {
  constexpr Index all = std::numeric_limits<Index>::max();
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(all)) return all;
  return static_cast<Index>(limit.rlim_cur);
}

Index step_of(Index bytes) {
  return std::min(bytes, std::max(least_step, ceil_div(bytes, most_steps)));
}

bool reserve_in_steps(Index bytes, const std::function<bool()>& look,
                      const std::function<int(Index, Index)>& allocate) {
  Index part = step_of(bytes);
  for (Index at = 0; at < bytes;) {
    if (!look()) return false;
    const Index end = std::min(bytes, at + step_of(bytes));
    while (at < end) {
      const Index count = std::min(part, end - at);
      const int error = allocate(at, count);
      if (error == 0) {
        at += count;
      } else if (error == EINTR) {
        part = std::max(least_part, part / 2);
      } else {
        return false;
      }
    }
  }
  return true;
}

}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "kallima/error.hpp"

namespace kallima {

namespace {

namespace fs = std::filesystem;

/// Throws what the system's last call complained of.
[[noreturn]] void complain(int error = errno) {
  throw std::system_error(error, std::system_category());
}

/// An open file of this process, or none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int number() const { return number_; }

  /// Systems may tell only now that there is no room.
  void close() {
    const int result = ::close(std::exchange(number_, -1));
    if (result != 0 && errno != EINTR) complain();
  }

 private:
  int number_;
};

Descriptor opened(const std::string& path, int flags, mode_t mode = 0) {
  while (true) {
    const int number = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
    if (number >= 0) return Descriptor(number);
    if (errno != EINTR) complain();
  }
}

void write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) complain();
    if (written == 0) complain(EIO);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Waits until it is on the disk, where there is one.
void sync(const Descriptor& file) {
  while (fsync(file.number()) != 0) {
    if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return;  // there is none
    if (errno != EINTR) complain();
  }
}

/// A file under a name that nobody else has, which goes again unless it is put in its place.
class NewVersion {
 public:
  NewVersion(const fs::path& place, mode_t mode) : place_(place), file_(-1) { make(mode); }
  NewVersion(const NewVersion&) = delete;
  NewVersion& operator=(const NewVersion&) = delete;
  NewVersion(NewVersion&&) = delete;
  NewVersion& operator=(NewVersion&&) = delete;
  ~NewVersion() { remove(); }

  /// Lets those use it that might use the version before.
  void resemble(const struct stat& before) {
    constexpr mode_t permissions = 07777;
    // Not everybody may give files away; what is written then is the writer's.
    [[maybe_unused]] const int given = fchown(file_.number(), before.st_uid, before.st_gid);
    if (fchmod(file_.number(), before.st_mode & permissions) != 0) complain();
  }

  /// Fills it and puts it in its place.
  void put(std::string_view bytes) {
    write_all(file_, bytes);
    sync(file_);
    file_.close();
    if (std::rename(name_.c_str(), place_.c_str()) != 0) complain();
    name_.clear();
    // The new name is on the disk once the folder is. Who may write a folder may not always read
    // it.
    const int folder = open(place_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) sync(Descriptor(folder));
  }

 private:
  void make(mode_t mode) {
    constexpr int tries = 100;
    std::random_device random;
    for (int i = 1;; ++i) {
      const std::uint64_t number = (static_cast<std::uint64_t>(random()) << 32U) | random();
      const fs::path name = place_.parent_path() / fmt::format(".kallima-{:016x}", number);
      try {
        file_ = opened(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
        name_ = name;
        return;
      } catch (const std::system_error& error) {
        if (error.code().value() != EEXIST || i == tries) throw;
      }
    }
  }
  void remove() noexcept {
    if (!name_.empty()) unlink(name_.c_str());
  }

  fs::path place_;
  fs::path name_;
  Descriptor file_;
};

/// Where a file lies, links followed, from the root on. Nothing where it lies in a folder of the
/// system's: there names stand for something else, as /dev/stdout leads to /proc/self/fd/1.
std::optional<fs::path> place_of(fs::path path) {
  constexpr int most_links = 40;  // as Linux has it
  for (int links = 0; links <= most_links; ++links) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const fs::path place = fs::canonical(folder) / path.filename();
    const std::string text = place.string();
    if (text.starts_with("/proc/") || text.starts_with("/sys/")) return std::nullopt;
    if (!fs::is_symlink(fs::symlink_status(place))) return place;
    path = place.parent_path() / fs::read_symlink(place);
  }
  complain(ELOOP);
}

/// What there is by this name, or by that of what it leads to.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return status;
  if (errno != ENOENT) complain();
  return std::nullopt;
}

void replace_or_write(const std::string& path, std::string_view bytes) {
  const std::optional<struct stat> before = status_of(path);
  const bool special = before && !S_ISREG(before->st_mode);
  const std::optional<fs::path> place = special ? std::nullopt : place_of(path);
  if (!place) {
    Descriptor file = opened(path, O_WRONLY | O_TRUNC);
    write_all(file, bytes);
    file.close();
    return;
  }
  // To replace a file one need not be allowed to write it; but who has forbidden it means it.
  if (before && faccessat(AT_FDCWD, place->c_str(), W_OK, AT_EACCESS) != 0) complain();
  constexpr mode_t any = 0666;
  NewVersion fresh(*place, before ? before->st_mode & any : any);
  if (before) fresh.resemble(*before);
  fresh.put(bytes);
}

const char* how_to_write(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case EROFS:
      return "check that its folder exists and is writable, and the file too where there is one";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "make room there, or write it to another disk";
    case EISDIR:
      return "name a file in that folder";
    case ELOOP:
    case ENAMETOOLONG:
      return "choose another name";
    default:
      return "check that its folder is writable and has room";
  }
}

const char* how_to_read(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "have its permissions changed, or copy it to where it may be read";
    case EISDIR:
      return "name a file in that folder";
    default:
      return "check that it exists and is readable";
  }
}

/// All of a file into `text`; an error number, or 0. It throws nothing of its own, as who looks for
/// what the system tells often finds that it is not there.
int read_all(const std::string& path, std::string& text) {
  constexpr std::size_t page = 4096;
  int number = -1;
  do {
    number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (number < 0 && errno == EINTR);
  if (number < 0) return errno;
  const Descriptor file(number);
  struct stat status {};
  if (fstat(number, &status) != 0) return errno;
  // Files of the system say that they are empty, and are not.
  std::size_t step = std::max(page, static_cast<std::size_t>(status.st_size) + 1);
  std::size_t size = 0;
  while (true) {
    text.resize(size + step);
    const ssize_t count = read(number, text.data() + size, step);
    if (count < 0 && errno != EINTR) return errno;
    if (count == 0) break;
    if (count < 0) continue;
    size += static_cast<std::size_t>(count);
    step = page;
  }
  text.resize(size);
  return 0;
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes) {
  try {
    replace_or_write(path, bytes);
  } catch (const std::system_error& error) {
    throw FileError(fmt::format("cannot write '{}': {}; {}", path, error.code().message(),
                                how_to_write(error.code().value())));
  }
}

std::string text_of_file(const std::string& path) {
  std::string text;
  const int error = read_all(path, text);
  if (error == 0) return text;
  throw FileError(fmt::format("cannot read '{}': {}; {}", path,
                              std::system_category().message(error), how_to_read(error)));
}

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string text_if_readable(const std::string& path) {
  std::string text;
  return read_all(path, text) == 0 ? text : std::string();
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kallima/error.hpp"

namespace kallima {
namespace {

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

/// Root may do anything: for as long as this lives, it is somebody else.
class AsNobody {
 public:
  AsNobody() {
    if (was_ == 0) changed_ = seteuid(nobody) == 0;
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  AsNobody(AsNobody&&) = delete;
  AsNobody& operator=(AsNobody&&) = delete;
  ~AsNobody() { EXPECT_TRUE(!changed_ || seteuid(was_) == 0); }

 private:
  uid_t was_ = geteuid();
  bool changed_ = false;
};

/// No file may become larger than so many bytes: as a full disk, in the middle of writing.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const struct rlimit now { bytes, before_.rlim_max };
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  SmallDisk(SmallDisk&&) = delete;
  SmallDisk& operator=(SmallDisk&&) = delete;
  ~SmallDisk() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = SIG_DFL;
};

/// New files of this process have these permissions taken away.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  Umask(Umask&&) = delete;
  Umask& operator=(Umask&&) = delete;
  ~Umask() { umask(before_); }

 private:
  mode_t before_;
};

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("kallima_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  /// What lies in the folder.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      result.insert(entry.path().filename().string());
    }
    return result;
  }

  static mode_t permissions(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(stat(name.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  /// What FileError says of an attempt to write.
  static std::string complaint(const std::string& name, const std::string& content = "new") {
    try {
      write_file(name, content);
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + name + "'"), std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << name << " was written";
    return {};
  }

  static void expect_says(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }

 private:
  fs::path folder_;
};

std::string every_byte(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * 7 % 256);
  return text;
}

TEST_F(File, what_is_written_is_read) {
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 1000000U}) {
    const std::string content = every_byte(size);
    write_file(path("file"), content);
    EXPECT_EQ(text_of_file(path("file")), content) << size;
    EXPECT_EQ(text_if_readable(path("file")), content) << size;
  }
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, names_are_relative_to_the_current_folder) {
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  write_file("here", "text");
  EXPECT_EQ(text_of_file("here"), "text");
  fs::current_path(before);
  EXPECT_EQ(text_of_file(path("here")), "text");
}

TEST_F(File, names_may_be_as_long_as_the_system_has_them) {
  const std::string longest(255, 'n');
  write_file(path(longest), "text");
  EXPECT_EQ(text_of_file(path(longest)), "text");
  expect_says(complaint(path(longest + "n")), "choose another name");
}

TEST_F(File, of_the_system_is_read_though_it_says_that_it_is_empty) {
  EXPECT_NE(text_of_file("/proc/self/status").find("Name:"), std::string::npos);
}

TEST_F(File, that_is_not_there_is_an_error_with_the_mend_or_empty) {
  try {
    static_cast<void>(text_of_file(path("missing")));
    FAIL();
  } catch (const FileError& error) {
    expect_says(error.what(), path("missing"));
    expect_says(error.what(), "check that it exists");
  }
  EXPECT_EQ(text_if_readable(path("missing")), "");
}

TEST_F(File, that_is_a_folder_is_neither_read_nor_written) {
  EXPECT_THROW(text_of_file(path("")), FileError);
  EXPECT_EQ(text_if_readable(path("")), "");
  fs::create_directories(path("folder"));
  expect_says(complaint(path("folder")), "name a file in that folder");
  EXPECT_EQ(names(), std::set<std::string>{"folder"});
}

TEST_F(File, of_several_writers_one_is_the_last_and_readers_see_whole_versions) {
  constexpr int writers = 4;
  constexpr int versions = 25;
  constexpr std::size_t size = 300000;
  const auto version = [](int number) {
    return std::string(size + static_cast<std::size_t>(number), static_cast<char>('a' + number));
  };
  const auto is_whole = [&](const std::string& text) {
    const int number = text.empty() ? -1 : text.front() - 'a';
    return number >= 0 && number <= writers && text == version(number);
  };
  write_file(path("file"), version(writers));
  std::atomic<int> left{writers};
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; i < versions; ++i) write_file(path("file"), version(w));
      --left;
    });
  }
  int broken = 0;
  while (left > 0) broken += is_whole(text_of_file(path("file"))) ? 0 : 1;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(broken, 0);
  EXPECT_TRUE(is_whole(text_of_file(path("file"))));
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, stays_where_the_new_version_does_not_fit) {
  write_file(path("file"), "old");
  {
    const SmallDisk disk(10000);
    expect_says(complaint(path("file"), every_byte(100000)), "make room");
    expect_says(complaint(path("other"), every_byte(100000)), "make room");
  }
  EXPECT_EQ(text_of_file(path("file")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, on_a_full_device_is_an_error_with_the_fix) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  expect_says(complaint("/dev/full"), "make room");
  fs::create_symlink("/dev/full", path("link"));
  expect_says(complaint(path("link")), "make room");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(File, in_a_folder_that_is_not_there_is_an_error_with_the_fix) {
  expect_says(complaint(path("no/such/folder")), "check that its folder exists and is writable");
  write_file(path("file"), "text");
  expect_says(complaint(path("file/inside")), "check that its folder exists");
  expect_says(complaint(""), "check that its folder exists");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, in_a_folder_that_is_not_writable_stays) {
  fs::create_directories(path("folder"));
  write_file(path("folder/file"), "old");
  fs::permissions(path("folder/file"), fs::perms::all);
  fs::permissions(path("folder"), fs::perms(0555));
  {
    const AsNobody somebody;
    expect_says(complaint(path("folder/file")), "writable");
    expect_says(complaint(path("folder/other")), "writable");
  }
  EXPECT_EQ(text_of_file(path("folder/file")), "old");
  fs::permissions(path("folder"), fs::perms::all);
  EXPECT_FALSE(fs::exists(path("folder/other")));
}

TEST_F(File, that_is_protected_is_not_replaced_though_its_folder_is_writable) {
  fs::permissions(path(""), fs::perms::all);
  write_file(path("file"), "old");
  fs::permissions(path("file"), fs::perms(0444));
  {
    const AsNobody somebody;
    expect_says(complaint(path("file")), "the file too");
  }
  EXPECT_EQ(text_of_file(path("file")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, that_is_new_has_the_permissions_that_the_process_gives) {
  for (const mode_t mask : {0000U, 0022U, 0027U, 0077U}) {
    const Umask here(mask);
    const std::string name = path("file" + std::to_string(mask));
    write_file(name, "text");
    EXPECT_EQ(permissions(name), 0666U & ~mask);
  }
}

TEST_F(File, that_is_replaced_keeps_its_permissions) {
  const Umask here(0022);
  for (const mode_t mode : {0600U, 0640U, 0666U, 0755U, 0777U}) {
    write_file(path("file"), "old");
    ASSERT_EQ(chmod(path("file").c_str(), mode), 0);
    write_file(path("file"), "new");
    EXPECT_EQ(permissions(path("file")), mode);
    EXPECT_EQ(text_of_file(path("file")), "new");
  }
}

TEST_F(File, that_is_replaced_keeps_its_owner_where_the_system_allows_it) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  write_file(path("file"), "old");
  ASSERT_EQ(chown(path("file").c_str(), nobody, nobody), 0);
  write_file(path("file"), "new");
  struct stat status {};
  ASSERT_EQ(stat(path("file").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, nobody);
  EXPECT_EQ(status.st_gid, nobody);
}

TEST_F(File, that_a_link_leads_to_is_replaced_and_the_link_stays) {
  fs::create_directories(path("folder"));
  write_file(path("folder/file"), "old");
  fs::create_symlink("folder/file", path("link"));
  fs::create_symlink(path("link"), path("second"));  // from the root on
  for (const char* const name : {"link", "second"}) {
    write_file(path(name), name);
    EXPECT_EQ(text_of_file(path("folder/file")), name);
    EXPECT_EQ(text_of_file(path(name)), name);
  }
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("second")));
  EXPECT_FALSE(fs::is_symlink(path("folder/file")));
  EXPECT_EQ(names(), (std::set<std::string>{"folder", "link", "second"}));
}

TEST_F(File, that_a_link_leads_to_is_made_where_it_is_missing) {
  fs::create_directories(path("folder"));
  fs::create_symlink("folder/file", path("link"));
  write_file(path("link"), "text");
  EXPECT_EQ(text_of_file(path("folder/file")), "text");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  fs::create_symlink("no/such/folder", path("lost"));
  expect_says(complaint(path("lost")), "check that its folder exists");
}

TEST_F(File, behind_links_that_lead_round_is_an_error) {
  fs::create_symlink("second", path("first"));
  fs::create_symlink("first", path("second"));
  expect_says(complaint(path("first")), "choose another name");
}

/// As /dev/stdout is, where a program's output goes into another.
TEST_F(File, that_is_a_pipe_is_written_into) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  write_file("/proc/self/fd/" + std::to_string(ends[1]), "text");
  std::array<char, 16> got{};
  EXPECT_EQ(read(ends[0], got.data(), got.size()), 4);
  EXPECT_EQ(std::string(got.data()), "text");
  for (const int end : ends) close(end);
}

/// As /dev/stdout is, where it goes into a file: whoever has it open goes on writing there.
TEST_F(File, that_is_named_by_its_number_is_written_into) {
  const int number = open(path("file").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(number, 0);
  write_file("/proc/self/fd/" + std::to_string(number), "text");
  std::array<char, 16> got{};
  EXPECT_EQ(pread(number, got.data(), got.size(), 0), 4);
  EXPECT_EQ(text_of_file(path("file")), "text");
  close(number);
  EXPECT_EQ(names(), std::set<std::string>{"file"});
}

TEST_F(File, is_not_written_into_the_old_one_by_a_process_that_has_it_open) {
  write_file(path("file"), "old");
  const int number = open(path("file").c_str(), O_RDONLY);
  ASSERT_GE(number, 0);
  write_file(path("file"), "new");
  std::array<char, 16> got{};
  EXPECT_EQ(pread(number, got.data(), got.size(), 0), 3);
  EXPECT_EQ(std::string(got.data()), "old");
  close(number);
}

}  // namespace
}  // namespace kallima

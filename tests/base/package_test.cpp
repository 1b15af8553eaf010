// SPDX-License-Identifier: BSD-3-Clause
#include "base/package.hpp"

#include <gtest/gtest.h>

namespace kallima {
namespace {

using Paths = std::vector<std::filesystem::path>;

TEST(Package, own_file_is_the_program_that_the_code_is_linked_into) {
  EXPECT_EQ(own_file(), std::filesystem::read_symlink("/proc/self/exe"));
}

TEST(Package, files_are_looked_for_above_the_program_and_then_where_they_were_installed) {
  EXPECT_EQ(package_places("/opt/k/bin/kallima", "share/k", "/usr/share/k"),
            (Paths{"/opt/k/share/k", "/opt/share/k", "/share/k", "/usr/share/k"}));
  EXPECT_EQ(package_places("/a/b/c/d/lib/arch/libkallima.so", "share/k", "/usr/share/k"),
            (Paths{"/a/b/c/d/lib/share/k", "/a/b/c/d/share/k", "/a/b/c/share/k", "/a/b/share/k",
                   "/usr/share/k"}));
}

TEST(Package, files_of_a_program_that_is_not_known_are_where_they_were_installed) {
  EXPECT_EQ(package_places({}, "share/k", "/usr/share/k"), Paths{"/usr/share/k"});
}

TEST(Package, absolute_folders_do_not_move_with_the_program) {
  for (const auto& place : package_places("/opt/k/bin/kallima", "/data/k", "/data/k")) {
    EXPECT_EQ(place, "/data/k");
  }
}

}  // namespace
}  // namespace kallima

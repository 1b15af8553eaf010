// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kallima/error.hpp"

namespace kallima::text {
namespace {

using Strings = std::vector<std::string>;

std::string parse_failure(std::string_view digits) {
  try {
    parse_count(digits, "size");
  } catch (const ParseError& error) {
    return error.what();
  }
  return {};
}

TEST(Text, words_are_separated_by_any_run_of_blanks) {
  EXPECT_EQ(words("one two"), (Strings{"one", "two"}));
  EXPECT_EQ(words("  one\t\ttwo \r\n three  "), (Strings{"one", "two", "three"}));
  EXPECT_EQ(words(""), Strings{});
  EXPECT_EQ(words(" \t\n"), Strings{});
}

TEST(Text, split_keeps_empty_parts) {
  EXPECT_EQ(split("a:b", ':'), (Strings{"a", "b"}));
  EXPECT_EQ(split(":a::", ':'), (Strings{"", "a", "", ""}));
  EXPECT_EQ(split("", ':'), (Strings{""}));
  EXPECT_EQ(split("a b", ':'), (Strings{"a b"}));
}

TEST(Text, trim_takes_blanks_from_both_ends_only) {
  EXPECT_EQ(trim("  a b\t\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, counts_are_whole_non_negative_decimals) {
  EXPECT_EQ(parse_count("0", "size"), 0);
  EXPECT_EQ(parse_count("007", "size"), 7);
  EXPECT_EQ(parse_count("9223372036854775807", "size"), std::numeric_limits<Index>::max());
}

TEST(Text, what_is_no_count_is_quoted_with_what_it_should_be) {
  for (const char* bad : {"", " ", "-1", "+1", "1 ", " 1", "1x", "0x10", "1.0", "1e3", "abc"}) {
    EXPECT_EQ(parse_failure(bad),
              std::string("size: expected a non-negative integer, found '") + bad + "'");
  }
  EXPECT_EQ(parse_failure("9223372036854775808"), "size: 9223372036854775808 does not fit 64 bits");
}

TEST(Text, counts_are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(std::numeric_limits<Index>::max()), "9,223,372,036,854,775,807");
  EXPECT_EQ(grouped(std::numeric_limits<Index>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, bytes_are_readable_at_every_size) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(512), "512 B");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(1024), "1 KiB");
  EXPECT_EQ(bytes(1536), "1.5 KiB");
  EXPECT_EQ(bytes(Index{768} << 20), "768 MiB");
  EXPECT_EQ(bytes(Index{1} << 30), "1 GiB");
  EXPECT_EQ(bytes(Index{5} << 40), "5 TiB");
  EXPECT_EQ(bytes(Index{1} << 62), "4 EiB");
  EXPECT_EQ(bytes(std::numeric_limits<Index>::max()), "8 EiB");
}

TEST(Text, one_is_singular_and_all_others_are_plural) {
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(0, "rank"), "0 ranks");
  EXPECT_EQ(plural(3, "rank"), "3 ranks");
  EXPECT_EQ(plural(1048576, "rank"), "1,048,576 ranks");
}

TEST(Text, hex_has_always_sixteen_digits) {
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xdeadbeefULL), "00000000deadbeef");
  EXPECT_EQ(hex(std::numeric_limits<std::uint64_t>::max()), "ffffffffffffffff");
}

TEST(Text, the_hash_is_fnv_1a) {
  // Vectors of the FNV authors.
  EXPECT_EQ(hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8ULL);
}

TEST(Text, a_hash_can_be_continued) {
  EXPECT_EQ(hash("bar", hash("foo")), hash("foobar"));
  EXPECT_NE(hash(std::string_view("\0", 1)), hash(""));
}

}  // namespace
}  // namespace kallima::text

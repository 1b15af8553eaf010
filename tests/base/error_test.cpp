// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace kallima {
namespace {

struct Row {
  int number;
  ErrorCode code;
  std::string name;
  std::string meaning;
};

std::vector<Row> table() {
  return {
#define KALLIMA_ROW(number, name, upper, type, meaning) {number, ErrorCode::name, #name, meaning},
      KALLIMA_ERROR_TABLE(KALLIMA_ROW)
#undef KALLIMA_ROW
  };
}

template <class Type>
void expect_throws(ErrorCode code) {
  const std::string text = "the fix";
  try {
    throw_error(code, text);
    FAIL() << "nothing was thrown for " << name_of(code);
  } catch (const Type& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.what(), text);
  } catch (const std::exception& error) {
    FAIL() << name_of(code) << " threw another type: " << error.what();
  }
}

TEST(Error, codes_are_unique_positive_and_without_gaps) {
  std::set<int> numbers;
  for (const Row& row : table()) {
    EXPECT_GT(row.number, 0);
    EXPECT_TRUE(numbers.insert(row.number).second) << row.name;
    EXPECT_EQ(static_cast<int>(row.code), row.number);
  }
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(*numbers.rbegin(), static_cast<int>(numbers.size()));
}

TEST(Error, numbers_that_users_have_compiled_in_never_change) {
  EXPECT_EQ(static_cast<int>(ErrorCode::ok), 0);
  EXPECT_EQ(static_cast<int>(ErrorCode::invalid_shape), 1);
  EXPECT_EQ(static_cast<int>(ErrorCode::mismatched_arguments), 6);
  EXPECT_EQ(static_cast<int>(ErrorCode::out_of_memory), 7);
  EXPECT_EQ(static_cast<int>(ErrorCode::internal_error), 14);
}

TEST(Error, every_code_has_its_own_name_and_meaning) {
  std::set<std::string> names;
  std::set<std::string> meanings;
  for (const Row& row : table()) {
    EXPECT_EQ(name_of(row.code), row.name);
    EXPECT_EQ(meaning_of(row.code), row.meaning);
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(meanings.insert(row.meaning).second) << row.meaning;
  }
}

TEST(Error, success_and_numbers_outside_the_table_have_names_too) {
  EXPECT_EQ(name_of(ErrorCode::ok), "ok");
  EXPECT_EQ(meaning_of(ErrorCode::ok), "success");
  EXPECT_EQ(name_of(static_cast<ErrorCode>(9999)), "unknown");
  EXPECT_EQ(meaning_of(static_cast<ErrorCode>(-1)), "a code that is not in the table");
}

TEST(Error, throw_error_throws_the_type_of_every_code) {
#define KALLIMA_EXPECT(number, name, upper, type, meaning) expect_throws<type>(ErrorCode::name);
  KALLIMA_ERROR_TABLE(KALLIMA_EXPECT)
#undef KALLIMA_EXPECT
}

TEST(Error, throw_error_with_a_code_that_is_none_is_a_defect_of_ours) {
  for (const ErrorCode code : {ErrorCode::ok, static_cast<ErrorCode>(9999)}) {
    try {
      throw_error(code, "why");
      FAIL();
    } catch (const InternalError& error) {
      EXPECT_EQ(error.code(), ErrorCode::internal_error);
      EXPECT_NE(std::string(error.what()).find("why"), std::string::npos);
    }
  }
}

TEST(Error, one_handler_catches_them_all_by_the_standard_type) {
  EXPECT_THROW(throw InvalidShape("x"), Error);
  EXPECT_THROW(throw MpiFailure("x"), std::runtime_error);
}

}  // namespace
}  // namespace kallima

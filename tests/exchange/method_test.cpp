// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/method.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "support/methods.hpp"

namespace kallima {
namespace {

TEST(Methods, have_numbers_and_names_of_their_own) {
  std::set<ExchangeMethod> numbers = {ExchangeMethod::any};
  std::set<std::string_view> names = {name_of(ExchangeMethod::any)};
  for (const ExchangeMethod method : test::all_methods) {
    EXPECT_TRUE(numbers.insert(method).second) << name_of(method) << " has another one's number";
    EXPECT_TRUE(names.insert(name_of(method)).second) << name_of(method) << " stands twice";
    EXPECT_EQ(find_method(name_of(method)), method);
  }
}

}  // namespace
}  // namespace kallima

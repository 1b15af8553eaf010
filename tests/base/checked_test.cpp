// SPDX-License-Identifier: BSD-3-Clause
#include "base/checked.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "kallima/error.hpp"

namespace kallima {
namespace {

constexpr Index most = std::numeric_limits<Index>::max();
constexpr Index least = std::numeric_limits<Index>::min();

template <class Function>
std::string overflow_text(const Function& function) {
  try {
    function();
  } catch (const Overflow& error) {
    return error.what();
  }
  return {};
}

TEST(Checked, products_that_fit_are_exact) {
  EXPECT_EQ(checked_mul(0, most, "x"), 0);
  EXPECT_EQ(checked_mul(1, most, "x"), most);
  EXPECT_EQ(checked_mul(-1, most, "x"), -most);
  EXPECT_EQ(checked_mul(Index{1} << 31, Index{1} << 31, "x"), Index{1} << 62);
  EXPECT_EQ(checked_mul(3037000499, 3037000499, "x"), 9223372030926249001);
}

TEST(Checked, products_that_do_not_fit_name_what_they_are) {
  EXPECT_THROW(checked_mul(most, 2, "x"), Overflow);
  EXPECT_THROW(checked_mul(least, -1, "x"), Overflow);
  EXPECT_THROW(checked_mul(Index{1} << 32, Index{1} << 31, "x"), Overflow);
  EXPECT_THROW(checked_mul(3037000500, 3037000500, "x"), Overflow);
  EXPECT_EQ(overflow_text([] { checked_mul(Index{1} << 32, Index{1} << 31, "bytes of it"); }),
            "bytes of it: 4294967296 x 2147483648 does not fit 64 bits; use a smaller shape");
}

TEST(Checked, sums_that_fit_are_exact_and_others_are_refused) {
  EXPECT_EQ(checked_add(most, 0, "x"), most);
  EXPECT_EQ(checked_add(most, least, "x"), -1);
  EXPECT_EQ(checked_add(most - 1, 1, "x"), most);
  EXPECT_THROW(checked_add(most, 1, "x"), Overflow);
  EXPECT_THROW(checked_add(least, -1, "x"), Overflow);
  EXPECT_EQ(overflow_text([] { checked_add(most, 1, "sum"); }),
            "sum: 9223372036854775807 + 1 does not fit 64 bits; use a smaller shape");
}

TEST(Checked, narrow_keeps_what_fits_at_both_ends) {
  EXPECT_EQ((narrow<int>(Index{2147483647}, "x")), 2147483647);
  EXPECT_EQ((narrow<int>(Index{-2147483648LL}, "x")), std::numeric_limits<int>::min());
  EXPECT_EQ((narrow<std::uint64_t>(most, "x")), std::uint64_t{9223372036854775807U});
  EXPECT_EQ((narrow<signed char>(-128, "x")), -128);
}

TEST(Checked, narrow_refuses_what_does_not_fit) {
  EXPECT_THROW((narrow<int>(Index{2147483648LL}, "x")), Overflow);
  EXPECT_THROW((narrow<int>(Index{-2147483649LL}, "x")), Overflow);
  EXPECT_THROW((narrow<unsigned>(-1, "x")), Overflow);
  EXPECT_THROW((narrow<std::uint64_t>(Index{-1}, "x")), Overflow);
  EXPECT_THROW((narrow<Index>(std::numeric_limits<std::uint64_t>::max(), "x")), Overflow);
  EXPECT_EQ(overflow_text([] { narrow<int>(Index{2048} * 1024 * 1024, "count of a message"); }),
            "count of a message: 2147483648 does not fit 32 bits");
}

TEST(Checked, division_rounds_up_without_overflow) {
  for (Index a = 0; a <= 50; ++a) {
    for (Index b = 1; b <= 12; ++b) {
      const Index q = ceil_div(a, b);
      EXPECT_GE(q * b, a);
      EXPECT_LT((q - 1) * b, a + (a == 0 ? 1 : 0));
    }
  }
  EXPECT_EQ(ceil_div(most, 2), Index{1} << 62);
  EXPECT_EQ(ceil_div(most, most), 1);
  EXPECT_EQ(ceil_div(most - 1, most), 1);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "fft/cache.hpp"

#include <gtest/gtest.h>

namespace kallima::fft {
namespace {

TEST(Cache, the_second_one_is_unknown_or_has_a_size_that_caches_have) {
  const Index bytes = second_cache_bytes();
  if (bytes == 0) GTEST_SKIP() << "this system does not tell";
  EXPECT_GE(bytes, Index{1} << 16);
  EXPECT_LE(bytes, Index{1} << 30);
}

}  // namespace
}  // namespace kallima::fft

// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank waits: it spins, yields and then sleeps. Yields are counted in place of the system's.
#include "comm/watchdog.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>

namespace {

std::atomic<int>& yields() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace

extern "C" int sched_yield() noexcept {
  ++yields();
  return 0;
}

namespace kallima::comm {
namespace {

/// How often so many idle polls yield.
int yields_of(Backoff& backoff, int polls) {
  const int before = yields();
  for (int i = 0; i < polls; ++i) backoff.idle();
  return yields() - before;
}

TEST(Backoff, spins_then_yields_and_begins_again_when_something_moved) {
  Watchdog watchdog(nullptr, 0, false);
  Backoff backoff(watchdog, {20, 1000.});
  EXPECT_EQ(yields_of(backoff, 20), 0);
  EXPECT_EQ(yields_of(backoff, 50), 50);
  backoff.moved();
  EXPECT_EQ(yields_of(backoff, 20), 0);
  EXPECT_EQ(yields_of(backoff, 5), 5);
}

TEST(Backoff, yields_early_where_ranks_share_cores) {
  Watchdog watchdog(nullptr, 0, true);
  Backoff backoff(watchdog, {2000, 1000.});
  EXPECT_EQ(yields_of(backoff, 100), 100 - 16);
}

TEST(Backoff, sleeps_where_it_has_waited_for_long) {
  Watchdog watchdog(nullptr, 0, false);
  Backoff backoff(watchdog, {0, 0.});
  static_cast<void>(yields_of(backoff, 1));  // from here it waits
  const double before = Watchdog::now();
  EXPECT_LE(yields_of(backoff, 20), 1);
  EXPECT_GE(Watchdog::now() - before, 19 * 20e-6);
}

}  // namespace
}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks of a node tell each other by shared memory, with threads in the place of ranks: so the
// thread sanitizer sees both sides.
#include "comm/node_sync.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "comm/rank_threads.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {
namespace {

using test::as_ranks;

TEST(NodeSync, what_is_written_before_a_barrier_is_read_behind_it) {
  for (const int ranks : {1, 2, 3, 5}) {
    std::vector<int> values(static_cast<std::size_t>(ranks), -1);
    std::vector<int> wrong(values.size(), 0);
    as_ranks(ranks, [&](int rank, NodeSync& sync, Watchdog& watchdog) {
      for (int round = 0; round < 200; ++round) {
        values[static_cast<std::size_t>(rank)] = round * ranks + rank;
        sync.arrive();
        sync.wait(watchdog);
        for (int other = 0; other < ranks; ++other) {
          if (values[static_cast<std::size_t>(other)] != round * ranks + other) {
            ++wrong[static_cast<std::size_t>(rank)];
          }
        }
        sync.arrive();  // nobody writes before all have read
        sync.wait(watchdog);
      }
    });
    for (const int count : wrong) EXPECT_EQ(count, 0);
  }
}

TEST(NodeSync, what_is_written_before_a_mark_is_read_by_who_sees_it) {
  constexpr int ranks = 3;
  constexpr int chunks = 300;
  std::vector<std::vector<int>> values(ranks, std::vector<int>(chunks, 0));
  std::vector<int> wrong(ranks, 0);
  as_ranks(ranks, [&](int rank, NodeSync& sync, Watchdog& watchdog) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      values[static_cast<std::size_t>(rank)][chunk] = static_cast<int>(chunk) + 1;
      sync.mark(Mark::computed, 1, chunk + 1);
      if (chunk % 7 != 0) continue;
      Backoff backoff(watchdog, Patience::memory());
      while (sync.least(Mark::computed, 1) < chunk + 1) backoff.idle();
      for (const std::vector<int>& of_rank : values) {
        if (of_rank[chunk] != static_cast<int>(chunk) + 1) ++wrong[static_cast<std::size_t>(rank)];
      }
    }
    EXPECT_EQ(sync.marked(Mark::computed, 1), chunks);
    EXPECT_EQ(sync.marked(Mark::computed, 0), 0U);
    EXPECT_EQ(sync.marked(Mark::arrived, 1), 0U);
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(NodeSync, a_failing_rank_ends_the_waits_of_the_others) {
  for (int failing = 0; failing < 3; ++failing) {
    as_ranks(3, [&](int rank, NodeSync& sync, Watchdog& watchdog) {
      if (rank == failing) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        sync.fail(Failure::of(ErrorCode::engine_failure, rank, "the first"));
        sync.fail(Failure::of(ErrorCode::overflow, rank, "the second"));
        return;
      }
      sync.arrive();
      try {
        sync.wait(watchdog);
        ADD_FAILURE() << "rank " << rank << " came through";
      } catch (const EngineFailure& error) {
        EXPECT_STREQ(error.what(), "the first");
        ASSERT_NE(watchdog.heard(), nullptr);
        EXPECT_EQ(watchdog.heard()->rank, failing);
      }
    });
  }
}

TEST(NodeSync, of_two_threads_of_a_rank_that_fail_at_once_one_is_heard) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> ready{0};
    as_ranks(2, [&](int rank, NodeSync& sync, Watchdog& watchdog) {
      if (rank == 1) {
        const auto fail_as = [&](char letter) {
          const auto failure =
              Failure::of(ErrorCode::engine_failure, rank, std::string(500, letter));
          ready.fetch_add(1, std::memory_order_relaxed);
          while (ready.load(std::memory_order_relaxed) < 2) {
          }
          sync.fail(failure);
        };
        std::thread other([&] { fail_as('x'); });
        fail_as('y');
        other.join();
        return;
      }
      sync.arrive();
      try {
        sync.wait(watchdog);
        ADD_FAILURE() << "came through";
      } catch (const EngineFailure& error) {
        const std::string text = error.what();
        EXPECT_EQ(text, std::string(500, text.front()));
      }
    });
  }
}

TEST(NodeSync, a_wait_ends_with_its_deadline_and_says_where_it_was) {
  as_ranks(2, [&](int rank, NodeSync& sync, Watchdog& watchdog) {
    if (rank == 1) return;  // never comes
    watchdog.begin("run", 0.02);
    watchdog.at("exchange", 2);
    sync.arrive();
    try {
      sync.wait(watchdog);
      ADD_FAILURE() << "came through";
    } catch (const DeadlineExceeded& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("rank 0, step 3 (exchange) of run"), std::string::npos) << text;
      EXPECT_NE(text.find("KALLIMA_DEADLINE"), std::string::npos) << text;
    }
  });
}

TEST(Watchdog, throws_what_another_thread_of_the_rank_has_noted) {
  Watchdog watchdog(nullptr, 0, false);
  std::thread other([&] {
    watchdog.note(std::make_exception_ptr(MpiFailure("on the other thread")));
    watchdog.note(std::make_exception_ptr(Overflow("later")));
  });
  Backoff backoff(watchdog, Patience::memory());
  EXPECT_THROW(
      {
        while (true) backoff.idle();
      },
      MpiFailure);
  other.join();
  EXPECT_THROW(watchdog.throw_noted(), MpiFailure);
}

TEST(Failure, keeps_what_of_a_long_text_fits) {
  const Failure failure = Failure::of(ErrorCode::overflow, 7, std::string(1000, 'x'));
  EXPECT_EQ(std::string(failure.text.data()), std::string(503, 'x'));
  EXPECT_THROW(failure.raise(), Overflow);
}

}  // namespace
}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelined of a node whose ranks are threads, and that send nothing to other nodes: marks alone
// say when a rank may read the segments of the others, and write its own again.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/pipelined_exchange.hpp"
#include "comm/progress_thread.hpp"
#include "comm/rank_threads.hpp"

namespace kallima::comm {
namespace {

constexpr int ranks = 3;
constexpr Index chunks = 4;
constexpr int rounds = 40;

/// What a rank writes into a segment; a chunk is one number.
int written(int round, int segment, int rank, Index chunk) {
  return ((round * 2 + segment) * ranks + rank) * static_cast<int>(chunks) +
         static_cast<int>(chunk);
}

/// Both segments of every rank.
using Memory = std::vector<std::array<std::array<int, chunks>, 2>>;

/// One rank of a transform with two exchanges, in the order of Driver::run. Returns how often it
/// has read what the others had not written.
int run_rank(Memory& memory, int rank, NodeSync& sync, Watchdog& watchdog,
             ProgressThread* progress_thread, std::array<PipelinedExchange, 2>& pipelined) {
  int wrong = 0;
  const auto write = [&](int round, int segment, Index chunk) {
    memory[static_cast<std::size_t>(rank)][static_cast<std::size_t>(segment)]
          [static_cast<std::size_t>(chunk)] = written(round, segment, rank, chunk);
  };
  const auto read = [&](int round, int segment, Index chunk) {
    for (int other = 0; other < ranks; ++other) {
      const int value = memory[static_cast<std::size_t>(other)][static_cast<std::size_t>(segment)]
                              [static_cast<std::size_t>(chunk)];
      if (value != written(round, segment, other, chunk)) ++wrong;
    }
  };
  const auto begin = [&](std::size_t which) {
    pipelined[which].begin({}, {}, sync, Team{which, chunks, chunks});
  };
  const auto move = [&](PipelinedExchange* taking, PipelinedExchange* sending) {
    if (progress_thread != nullptr) progress_thread->move(taking, sending);
  };
  for (int round = 0; round < rounds; ++round) {
    sync.wait(watchdog);
    begin(0);
    move(nullptr, &pipelined[0]);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      write(round, 0, chunk);
      pipelined[0].computed(chunk + 1);
    }
    move(&pipelined[0], &pipelined[1]);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      pipelined[0].wait_for(chunk);
      if (chunk == 0) begin(1);
      read(round, 0, chunk);
      write(round, 1, chunk);
      if (chunk + 1 == chunks) pipelined[0].finish();
      pipelined[1].computed(chunk + 1);
    }
    move(&pipelined[1], nullptr);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      pipelined[1].wait_for(chunk);
      read(round, 1, chunk);
    }
    pipelined[1].finish();
    move(nullptr, nullptr);
    sync.arrive();
  }
  return wrong;
}

void expect_right(bool helped) {
  Memory memory(ranks);
  std::vector<int> wrong(ranks, -1);
  test::as_ranks(ranks, [&](int rank, NodeSync& sync, Watchdog&) {
    const auto communicator = std::make_shared<Communicator>();
    communicator->duplicate = std::make_shared<Duplicate>();
    communicator->watchdog = std::make_unique<Watchdog>(nullptr, rank, true);
    communicator->watchdog->attach(&sync);
    Watchdog& watchdog = *communicator->watchdog;
    std::array<PipelinedExchange, 2> pipelined = {PipelinedExchange(communicator, {}, 0, {}, {}),
                                                  PipelinedExchange(communicator, {}, 1, {}, {})};
    const auto progress_thread = helped ? std::make_unique<ProgressThread>(watchdog) : nullptr;
    wrong[static_cast<std::size_t>(rank)] =
        run_rank(memory, rank, sync, watchdog, progress_thread.get(), pipelined);
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(Team, marks_say_when_segments_may_be_read_and_written_again) { expect_right(false); }

TEST(Team, progress_threads_of_all_ranks_may_set_and_read_the_marks) { expect_right(true); }

}  // namespace
}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// Flows of a node whose ranks are threads, and that send nothing to other nodes: marks alone say
// when a rank may read the windows of the others, and write its own again.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "transport/communicator.hpp"
#include "transport/flow.hpp"
#include "transport/mover.hpp"
#include "transport/rank_threads.hpp"

namespace kallima::transport {
namespace {

constexpr int ranks = 3;
constexpr Index chunks = 4;
constexpr int rounds = 40;

/// What a rank writes into a window; a chunk is one number.
int written(int round, int window, int rank, Index chunk) {
  return ((round * 2 + window) * ranks + rank) * static_cast<int>(chunks) + static_cast<int>(chunk);
}

/// Both windows of every rank.
using Memory = std::vector<std::array<std::array<int, chunks>, 2>>;

/// One rank of a transform with two exchanges, in the order of Driver::run. Returns how often it
/// has read what the others had not written.
int run_rank(Memory& memory, int rank, NodeSync& sync, Watchdog& watchdog, Mover* mover,
             std::array<Flow, 2>& flows) {
  int wrong = 0;
  const auto write = [&](int round, int window, Index chunk) {
    memory[static_cast<std::size_t>(rank)][static_cast<std::size_t>(window)]
          [static_cast<std::size_t>(chunk)] = written(round, window, rank, chunk);
  };
  const auto read = [&](int round, int window, Index chunk) {
    for (int other = 0; other < ranks; ++other) {
      const int value = memory[static_cast<std::size_t>(other)][static_cast<std::size_t>(window)]
                              [static_cast<std::size_t>(chunk)];
      if (value != written(round, window, other, chunk)) ++wrong;
    }
  };
  const auto begin = [&](std::size_t flow) {
    flows[flow].begin({}, {}, sync, Team{flow, chunks, chunks});
  };
  const auto move = [&](Flow* taking, Flow* sending) {
    if (mover != nullptr) mover->move(taking, sending);
  };
  for (int round = 0; round < rounds; ++round) {
    sync.wait(watchdog);
    begin(0);
    move(nullptr, &flows[0]);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      write(round, 0, chunk);
      flows[0].computed(chunk + 1);
    }
    move(&flows[0], &flows[1]);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      flows[0].wait_for(chunk);
      if (chunk == 0) begin(1);
      read(round, 0, chunk);
      write(round, 1, chunk);
      if (chunk + 1 == chunks) flows[0].finish();
      flows[1].computed(chunk + 1);
    }
    move(&flows[1], nullptr);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      flows[1].wait_for(chunk);
      read(round, 1, chunk);
    }
    flows[1].finish();
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
    std::array<Flow, 2> flows = {Flow(communicator, {}, 0, {}, {}),
                                 Flow(communicator, {}, 1, {}, {})};
    const auto mover = helped ? std::make_unique<Mover>(watchdog) : nullptr;
    wrong[static_cast<std::size_t>(rank)] =
        run_rank(memory, rank, sync, watchdog, mover.get(), flows);
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(Team, marks_say_when_windows_may_be_read_and_written_again) { expect_right(false); }

TEST(Team, movers_of_all_ranks_may_set_and_read_the_marks) { expect_right(true); }

}  // namespace
}  // namespace kallima::transport

// SPDX-License-Identifier: BSD-3-Clause
//
// Threads in the place of a node's ranks: what ranks do by shared memory, the thread sanitizer sees
// on one side only, unless all of them are in one process.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "comm/node_sync.hpp"
#include "comm/watchdog.hpp"

namespace kallima::test {

/// Runs body(rank, sync, watchdog) on so many threads that share their words.
template <class Body>
void as_ranks(int ranks, Body body) {
  std::deque<comm::NodeWords> words(static_cast<std::size_t>(ranks));
  std::vector<comm::NodeWords*> all;
  for (comm::NodeWords& one : words) all.push_back(&one);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      comm::NodeSync sync(all, static_cast<std::size_t>(rank));
      comm::Watchdog watchdog(nullptr, rank, true);
      watchdog.attach(&sync);
      body(rank, sync, watchdog);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace kallima::test

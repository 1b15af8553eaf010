// SPDX-License-Identifier: BSD-3-Clause
//
// Events of several threads: none is lost, none is torn, and what there is no room for is counted.
#include "base/recorder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kallima {
namespace {

/// Threads that add events at once, each with its number as the stage.
void add_at_once(Recorder& recorder, Index threads, Index events) {
  std::vector<std::thread> workers;
  std::atomic<Index> ready{0};
  for (Index stage = 0; stage < threads; ++stage) {
    workers.emplace_back([&recorder, &ready, stage, threads, events] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      for (Index i = 0; i < events; ++i) {
        recorder.add(Doing::send, stage, i, stage + i, static_cast<double>(i),
                     2. * static_cast<double>(i));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
}

/// Every event is as one thread gave it, and those of a thread are in its order.
void expect_whole(const std::vector<Event>& events, Index threads) {
  std::vector<Index> last(static_cast<std::size_t>(threads), -1);
  for (const Event& event : events) {
    ASSERT_GE(event.stage, 0);
    ASSERT_LT(event.stage, threads);
    Index& before = last[static_cast<std::size_t>(event.stage)];
    EXPECT_GT(event.number, before);
    EXPECT_EQ(event.doing, Doing::send);
    EXPECT_EQ(event.bytes, event.stage + event.number);
    EXPECT_EQ(event.begin, static_cast<double>(event.number));
    EXPECT_EQ(event.end, 2. * static_cast<double>(event.number));
    before = event.number;
  }
}

constexpr Index two = 2;
constexpr Index each = 100'000;

TEST(Recorder, events_of_two_threads_are_all_there) {
  Recorder recorder(two * each);
  add_at_once(recorder, two, each);
  const std::vector<Event> events = recorder.events();
  EXPECT_EQ(static_cast<Index>(events.size()), two * each);
  EXPECT_EQ(recorder.dropped(), 0);
  expect_whole(events, two);
}

TEST(Recorder, events_of_two_threads_without_room_are_counted) {
  Recorder recorder(each);
  add_at_once(recorder, two, each);
  const std::vector<Event> events = recorder.events();
  EXPECT_EQ(static_cast<Index>(events.size()), each);
  EXPECT_EQ(recorder.dropped(), (two - 1) * each);
  expect_whole(events, two);
}

TEST(Recorder, events_can_be_read_and_runs_begun_while_others_add) {
  Recorder recorder(each);
  std::thread worker([&] { add_at_once(recorder, 1, each); });
  for (std::size_t seen = 0; seen < each;) {
    recorder.begin_run();
    const std::vector<Event> events = recorder.events();
    EXPECT_GE(events.size(), seen);
    seen = events.size();
    expect_whole(events, 1);
  }
  worker.join();
  Index run = -1;
  for (const Event& event : recorder.events()) {
    EXPECT_GE(event.run, run);
    run = event.run;
  }
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What a worker throws reaches the caller, behind the work of all others. Without OpenMP there is
// one worker, and the same holds.
#include "exec/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/executor.hpp"
#include "kallima/planner.hpp"
#include "schedule/schedule.hpp"

namespace kallima::exec {
namespace {

constexpr Index most_workers = 4;

/// Workers that a call really gets.
Index workers_of(Index asked) {
  std::atomic<Index> given{0};
  in_parallel(asked, [&](Index, Index count) { given = count; });
  return given;
}

TEST(Threads, every_worker_is_called_once) {
  for (Index asked = 1; asked <= most_workers; ++asked) {
    std::vector<std::atomic<int>> calls(most_workers);
    in_parallel(asked, [&](Index worker, Index) { ++calls[static_cast<std::size_t>(worker)]; });
    const Index given = workers_of(asked);
    EXPECT_EQ(given, has_threads() ? asked : 1);
    for (Index worker = 0; worker < most_workers; ++worker) {
      EXPECT_EQ(calls[static_cast<std::size_t>(worker)], worker < given ? 1 : 0);
    }
  }
}

TEST(Threads, what_one_worker_throws_reaches_the_caller_when_all_others_are_through) {
  for (Index asked = 1; asked <= most_workers; ++asked) {
    const Index given = workers_of(asked);
    for (Index thrower = 0; thrower < given; ++thrower) {
      std::atomic<Index> through{0};
      std::string caught;
      try {
        in_parallel(asked, [&](Index worker, Index) {
          if (worker == thrower) throw std::out_of_range("worker " + std::to_string(worker));
          ++through;
        });
      } catch (const std::out_of_range& error) {
        caught = error.what();
      }
      EXPECT_EQ(caught, "worker " + std::to_string(thrower));
      EXPECT_EQ(through, given - 1);
    }
  }
}

TEST(Threads, one_of_the_exceptions_arrives_where_all_workers_throw) {
  for (Index asked = 1; asked <= most_workers; ++asked) {
    const Index given = workers_of(asked);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<Index> thrown{0};
      Index caught = -1;
      try {
        in_parallel(asked, [&](Index worker, Index) {
          ++thrown;
          throw worker;  // what is thrown need not be a std::exception
        });
      } catch (const Index worker) {
        caught = worker;
      }
      EXPECT_EQ(thrown, given);
      EXPECT_GE(caught, 0);
      EXPECT_LT(caught, given);
    }
  }
}

TEST(Threads, the_workers_can_be_used_again_after_an_exception) {
  EXPECT_THROW(in_parallel(most_workers, [](Index, Index) { throw std::bad_alloc(); }),
               std::bad_alloc);
  std::atomic<Index> calls{0};
  EXPECT_NO_THROW(in_parallel(most_workers, [&](Index, Index) { ++calls; }));
  EXPECT_EQ(calls, workers_of(most_workers));
}

TEST(Threads, what_a_pulse_throws_reaches_whoever_sweeps) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:16x16x16");
  request.ranks = 1;
  const Plan plan = make_plan(request);
  const Workspace need = workspace(plan, schedule(plan, false), 0);
  const auto room = [](Index elements) {
    constexpr auto bytes = static_cast<Index>(sizeof(Number<double>));
    return Buffer(host_memory(), elements * bytes, "memory");
  };
  const auto at = [](const Buffer& buffer) {
    return reinterpret_cast<Number<double>*>(buffer.view().data);
  };
  const Buffer in = room(16 * 16 * 16);
  const Buffer out = room(16 * 16 * 16);
  const Buffer main = room(need.main + need.spill);
  for (Index threads = 1; threads <= (has_threads() ? most_workers : 1); ++threads) {
    const Buffer tiles = room(threads * need.tile);
    EngineSet<double> engines({}, host_memory());
    const Executor<double> executor(plan, {}, 0, engines, at(tiles), {threads, need.tile});
    const Executor<double>::Areas areas{at(in), at(out), at(main), nullptr, at(tiles), {}};
    int progresses = 0;
    const Progress progress = [&] {
      ++progresses;
      throw std::underflow_error("the network is gone");
    };
    for (std::size_t stage = 0; stage < executor.stages(); ++stage) {
      EXPECT_THROW(executor.sweep(stage, 0, areas, 1., progress), std::underflow_error);
    }
    EXPECT_EQ(progresses, static_cast<int>(executor.stages()));
  }
}

}  // namespace
}  // namespace kallima::exec

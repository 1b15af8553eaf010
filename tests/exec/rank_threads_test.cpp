// SPDX-License-Identifier: BSD-3-Clause
//
// Threads inside a rank, and threads in the place of ranks that share segments: the same bits as
// without, and no two of them touch the same memory at once, which the thread sanitizer sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "comm/rank_threads.hpp"
#include "exec/loopback.hpp"
#include "exec/threads.hpp"
#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"
#include "schedule/schedule.hpp"
#include "support/reference.hpp"

namespace kallima::exec {
namespace {

using Elements = std::vector<std::complex<double>>;

/// Every rank's input, and room for its output.
struct Arrays {
  explicit Arrays(const Plan& plan) {
    for (Index rank = 0; rank < plan.ranks(); ++rank) {
      Elements& mine = in.emplace_back();
      for (const Index flat : test::flat_part(plan.input(), rank)) {
        mine.push_back(test::sample<double>(3, flat));
      }
      out.emplace_back(static_cast<std::size_t>(plan.output().local_size(rank)));
    }
  }
  std::vector<Elements> in;
  std::vector<Elements> out;
};

std::vector<Elements> on_loopback(const Plan& plan, Index threads) {
  Arrays arrays(plan);
  std::vector<const std::complex<double>*> in;
  std::vector<std::complex<double>*> out;
  for (std::size_t r = 0; r < arrays.in.size(); ++r) {
    in.push_back(arrays.in[r].data());
    out.push_back(arrays.out[r].data());
  }
  Loopback<double> loopback(plan, false, {}, threads);
  loopback.run(in, out, 1.);
  return arrays.out;
}

PlanRequest request_of(const char* problem, Index ranks) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.tile_bytes = 512;  // many tiles, so that there are some for every thread
  request.method = ExchangeMethod::point_to_point;
  return request;
}

TEST(RankThreads, that_share_sweeps_give_the_same_bits) {
  if (!has_threads()) GTEST_SKIP() << "built without OpenMP";
  int plans = 0;
  for (const char* const problem : {"c2c:16x12x8", "c2c:15x14", "c2c:256"}) {
    for (const NamedPlan& named : all_plans(request_of(problem, 3))) {
      const Plan bulk = named.plan.with_method(ExchangeMethod::point_to_point);
      const std::vector<Elements> expected = on_loopback(bulk, 1);
      EXPECT_EQ(on_loopback(bulk, 3), expected) << bulk.to_text();
      EXPECT_EQ(on_loopback(bulk.with_method(ExchangeMethod::shared_memory), 2), expected)
          << bulk.to_text();
      const std::optional<Plan> cut = pipelined(bulk, built_in_machine(), 3);
      if (cut) {
        EXPECT_EQ(on_loopback(*cut, 3), expected) << cut->to_text();
      }
      ++plans;
    }
  }
  EXPECT_GT(plans, 5);
}

/// A rank's memory; its segments are written and read by all.
struct Memory {
  Memory(const Plan& plan, Index rank) : need(workspace(plan, schedule(plan, false), rank)) {
    const auto source = host_memory();
    constexpr auto bytes = static_cast<Index>(sizeof(std::complex<double>));
    main = Buffer(source, (need.main + need.spill) * bytes, "workspace");
    tile = Buffer(source, need.tile * bytes, "tile");
    filter = Buffer(source, need.filter * bytes, "the chirp's frequencies");
    segments = {Buffer(source, need.segment * bytes, "segment"),
                Buffer(source, need.other_segment * bytes, "segment")};
  }
  static std::complex<double>* at(const Buffer& buffer) {
    return reinterpret_cast<std::complex<double>*>(buffer.view().data);
  }
  Workspace need;
  Buffer main;
  Buffer tile;
  Buffer filter;
  std::array<Buffer, 2> segments;
};

/// All ranks at once, several times in a row, with the barriers of Driver::run.
std::vector<Elements> by_segments(const Plan& plan) {
  Arrays arrays(plan);
  std::vector<Memory> memory;
  std::array<std::vector<std::complex<double>*>, 2> segments;
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    memory.emplace_back(plan, rank);
    for (std::size_t w = 0; w < 2; ++w) {
      segments[w].push_back(Memory::at(memory.back().segments[w]));
    }
  }
  test::as_ranks(static_cast<int>(plan.ranks()), [&](int rank, comm::NodeSync& sync,
                                                     comm::Watchdog& watchdog) {
    const auto r = static_cast<std::size_t>(rank);
    std::complex<double>* const tile = Memory::at(memory[r].tile);
    EngineSet<double> engines({}, host_memory());
    const Executor<double> executor(plan, {}, rank, engines, tile);
    Executor<double>::Areas areas{
        arrays.in[r].data(),       arrays.out[r].data(), Memory::at(memory[r].main), nullptr, tile,
        {segments[0], segments[1]}};
    areas.filter = Memory::at(memory[r].filter);
    for (int round = 0; round < 3; ++round) {
      areas.makes_filter = plan.convolves() && round == 0;
      areas.turn_factor =
          areas.makes_filter ? Operation<double>::reciprocal({}, plan.points()) : 1.;
      sync.wait(watchdog);
      for (std::size_t stage = 0; stage < executor.stages(); ++stage) {
        if (executor.is_exchange(stage)) {
          executor.keep(stage, areas);
          sync.arrive();
          sync.wait(watchdog);
        } else {
          executor.sweep(stage, areas, 1.);
        }
      }
      sync.arrive();
    }
  });
  return arrays.out;
}

TEST(RankThreads, that_are_ranks_of_a_node_give_the_same_bits) {
  int exchanges = 0;
  for (const char* const problem : {"c2c:16x12x8", "c2c:15x14", "c2c:256"}) {
    for (const NamedPlan& named : all_plans(request_of(problem, 3))) {
      const Plan plan = named.plan.with_method(ExchangeMethod::shared_memory);
      if (!plan.goes_by(ExchangeMethod::shared_memory)) continue;
      exchanges += static_cast<int>(plan.exchanges());
      EXPECT_EQ(by_segments(plan), on_loopback(plan.with_method(ExchangeMethod::point_to_point), 1))
          << plan.to_text();
    }
  }
  EXPECT_GT(exchanges, 5);
}

}  // namespace
}  // namespace kallima::exec

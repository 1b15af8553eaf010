// SPDX-License-Identifier: BSD-3-Clause
//
// The order in which a pipelined exchange is run, of the executor and of the simulation: which
// chunks are computed when, what leaves behind each of them, to whom first, and what comes from
// whom first.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "cost/pipeline.hpp"
#include "exec/stage_layout.hpp"
#include "plan/samples.hpp"
#include "schedule/schedule.hpp"
#include "theory/permutation.hpp"
#include "theory/pipelined.hpp"
#include "theory/simulate.hpp"

namespace kallima {
namespace {

/// Peer, chunks that must be computed before it leaves, chunk that wants it.
using Turn = std::tuple<Index, Index, Index>;

struct Case {
  Index procs;
  Index sent;
  Index taken;
};

constexpr std::array<Case, 8> cases = {
    {{2, 1, 4}, {2, 4, 1}, {2, 4, 4}, {4, 2, 2}, {4, 4, 3}, {4, 8, 8}, {8, 4, 4}, {16, 2, 3}}};

constexpr std::size_t exchange_step = 2;

/// z y x in slabs: planes of z are sent, rows of y taken. Large enough for all cases.
Plan pipelined_slabs(const Case& of) {
  const Index extent = 8 * of.procs;
  const Shape shape{extent, extent, 2};
  const std::string text = std::to_string(extent);
  const Plan plan =
      samples::forward("c2c:" + text + "x" + text + "x2", of.procs, Layout::slab(shape, of.procs),
                       {samples::sweep(2, 1), samples::sweep(1, 1),
                        samples::exchange(Layout::slab(shape, of.procs, 1)), samples::sweep(0, 1)});
  return plan.with_chunks(exchange_step, {0, of.sent, 1, of.taken});
}

/// What the executor gives to the flow of a rank, in order.
struct Executed {
  std::vector<Turn> sends;
  std::vector<std::pair<Index, Index>> receives;  ///< peer, chunk that wants it
  std::vector<Index> before;                      ///< chunks of the sweep before, in order
  std::vector<Index> behind;
};

/// Numbers of ranges by their beginnings.
std::vector<Index> order_of(const std::vector<Range>& bounds) {
  std::vector<Index> order;
  for (const Range& range : bounds) {
    Index place = 0;
    for (const Range& other : bounds) place += other.begin < range.begin ? 1 : 0;
    order.push_back(place);
  }
  return order.empty() ? std::vector<Index>{0} : order;
}

Executed executed(const Plan& plan, Index rank) {
  Executed result;
  const std::vector<exec::StageLayout> stages = exec::lay_out(plan, schedule(plan, false), rank);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    if (stages[stage].drive != Drive::pipelined) continue;
    for (const MessageSlice& slice : stages[stage].rounds.front().sends) {
      result.sends.emplace_back(slice.peer, slice.dependency.needs, slice.dependency.taken);
    }
    for (const MessageSlice& slice : stages[stage].rounds.front().receives) {
      result.receives.emplace_back(slice.peer, slice.dependency.taken);
    }
    result.before = order_of(stages[stage - 1].bounds);
    result.behind = order_of(stages[stage + 1].bounds);
  }
  return result;
}

/// The same as it comes out of a simulation, by times.
Executed simulated(const Case& of, Index rank) {
  using namespace butterfly;
  const Program program = pipelined_exchange({of.procs, {0, of.sent, 1, of.taken}, 40, 40, 8});
  const Outcome outcome = simulate(program, network_of(models::LogGp{3, 0, 1, 0.25}));
  std::vector<TaskId> tasks;
  for (TaskId task = 0; task < program.tasks().size(); ++task) {
    if (program.tasks()[task].proc == rank) tasks.push_back(task);
  }
  const TaskId first = tasks.front();
  // Chunks of a processor are next to each other, those behind after those before.
  const TaskId behind = tasks[static_cast<std::size_t>(of.sent)];
  std::sort(tasks.begin(), tasks.end(),
            [&](TaskId a, TaskId b) { return outcome.ended[a] < outcome.ended[b]; });
  Executed result;
  for (const TaskId task : tasks) {
    const bool is_behind = program.phases()[program.tasks()[task].phase] == "behind";
    (is_behind ? result.behind : result.before).push_back(task - (is_behind ? behind : first));
  }
  std::vector<std::tuple<double, MessageId>> out;
  std::vector<std::tuple<double, MessageId>> in;
  for (MessageId id = 0; id < program.messages().size(); ++id) {
    const Message& message = program.messages()[id];
    if (program.tasks()[message.from].proc == rank) out.emplace_back(outcome.passages[id].sent, id);
    if (message.to == rank) in.emplace_back(outcome.passages[id].arrived, id);
  }
  std::sort(out.begin(), out.end());
  std::sort(in.begin(), in.end());
  const auto chunk_of = [&](TaskId task, const char* phase) {
    TaskId begin = task;
    while (begin > 0 && program.tasks()[begin - 1].proc == program.tasks()[task].proc &&
           program.phases()[program.tasks()[begin - 1].phase] == phase) {
      --begin;
    }
    return static_cast<Index>(task - begin);
  };
  for (const auto& [time, id] : out) {
    const Message& message = program.messages()[id];
    result.sends.emplace_back(message.to, chunk_of(message.from, "before") + 1,
                              chunk_of(program.fed_by(message)[0], "behind"));
  }
  for (const auto& [time, id] : in) {
    const Message& message = program.messages()[id];
    result.receives.emplace_back(program.tasks()[message.from].proc,
                                 chunk_of(program.fed_by(message)[0], "behind"));
  }
  return result;
}

TEST(Order, of_chunks_and_parts_is_the_same_in_the_executor_and_in_the_simulation) {
  for (const Case& of : cases) {
    const Plan plan = pipelined_slabs(of);
    for (Index rank = 0; rank < of.procs; ++rank) {
      const Executed here = executed(plan, rank);
      const Executed there = simulated(of, rank);
      ASSERT_EQ(static_cast<Index>(here.sends.size()),
                (of.procs - 1) * (Chunks{0, of.sent, 1, of.taken}.parts()));
      EXPECT_EQ(here.sends, there.sends) << of.procs << " " << of.sent << " " << of.taken;
      EXPECT_EQ(here.receives, there.receives) << of.procs << " " << of.sent << " " << of.taken;
      EXPECT_EQ(here.before, there.before);
      EXPECT_EQ(here.behind, there.behind);
    }
  }
}

TEST(Order, of_targets_is_a_binary_permutation_and_the_papers_backwards) {
  const Case of{8, 4, 4};
  const Plan plan = pipelined_slabs(of);
  for (Index rank = 0; rank < of.procs; ++rank) {
    const Executed here = executed(plan, rank);
    butterfly::Permutation targets = {rank};
    for (Index j = 0; j + 1 < of.procs; ++j) {
      targets.push_back(std::get<0>(here.sends[static_cast<std::size_t>(j)]));
    }
    EXPECT_TRUE(butterfly::is_binary(targets));
    butterfly::Permutation papers = butterfly::xor_order(rank, of.procs);
    std::reverse(papers.begin(), papers.end());
    EXPECT_EQ(targets, papers);
    // But the paper has all for one target before the next; here a round of all targets follows
    // the other, for each part.
    for (std::size_t i = 0; i < here.sends.size(); ++i) {
      EXPECT_EQ(std::get<0>(here.sends[i]), targets[1 + i % 7]);
    }
  }
}

TEST(Order, as_simulated_takes_what_the_planner_prices) {
  using namespace butterfly;
  for (const Case& of : cases) {
    for (const double exchange : {5., 20., 40., 80., 300.}) {
      const double peers = static_cast<double>(of.procs - 1);
      const Chunks chunks{0, of.sent, 1, of.taken};
      const Program program = pipelined_exchange({of.procs, chunks, 40, 40, 1});
      const double time =
          simulate(program, network_of(models::AlphaBeta{0, exchange / peers})).completion;
      const double price = pipelined_seconds({40, exchange, 0, 40}, chunks);
      EXPECT_NEAR(time, price, 1e-9 * price)
          << of.procs << " " << of.sent << " " << of.taken << " " << exchange;
    }
  }
}

}  // namespace
}  // namespace kallima

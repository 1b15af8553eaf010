// SPDX-License-Identifier: BSD-3-Clause
#include "theory/simulate.hpp"

#include <gtest/gtest.h>

#include <array>

#include "kallima/error.hpp"
#include "theory/figures.hpp"

namespace kallima::butterfly {
namespace {

/// Processor 0 sends a row of messages to processor 1.
Program train(Index messages, double bytes) {
  Program program(2);
  program.begin_phase("work");
  const TaskId first = program.add_task(0, 0);
  const std::array<TaskId, 1> last = {program.add_task(1, 0)};
  for (Index i = 0; i < messages; ++i) program.add_message(first, 1, last, bytes);
  return program;
}

/// All processors send one message to each other one, by shifts.
Program relation(Index procs, double bytes) {
  Program program(procs);
  program.begin_phase("work");
  std::vector<TaskId> first;
  std::vector<TaskId> last;
  for (Index p = 0; p < procs; ++p) first.push_back(program.add_task(p, 0));
  for (Index p = 0; p < procs; ++p) last.push_back(program.add_task(p, 0));
  for (Index p = 0; p < procs; ++p) {
    for (Index i = 1; i < procs; ++i) {
      const Index to = (p + i) % procs;
      const std::array<TaskId, 1> wanted = {last[static_cast<std::size_t>(to)]};
      program.add_message(first[static_cast<std::size_t>(p)], to, wanted, bytes);
    }
  }
  return program;
}

TEST(Simulate, one_message_takes_what_each_model_says) {
  const models::AlphaBeta alpha_beta{8, 2};
  const models::LogP logp{10, 2, 5, 8};
  const models::LogGp loggp{10, 2, 5, 0.5};
  for (const double bytes : {1., 8., 100.}) {
    const Program program = train(1, bytes);
    EXPECT_EQ(simulate(program, network_of(alpha_beta)).completion,
              message_seconds(alpha_beta, bytes));
    EXPECT_EQ(simulate(program, network_of(logp)).completion, message_seconds(logp, bytes));
    EXPECT_EQ(simulate(program, network_of(loggp)).completion, message_seconds(loggp, bytes));
  }
}

TEST(Simulate, a_row_of_messages_takes_what_each_model_says) {
  const models::AlphaBeta alpha_beta{8, 2};
  const models::LogP logp{10, 2, 5, 8};
  const models::LogP busy{10, 7, 5, 8};  // o above g: the processor is what is slow
  const models::LogGp loggp{10, 2, 5, 0.5};
  for (const double bytes : {1., 8., 100.}) {
    for (const Index count : {2, 3, 10}) {
      const Program program = train(count, bytes);
      const models::Train messages{count, bytes};
      EXPECT_EQ(simulate(program, network_of(alpha_beta)).completion,
                train_seconds(alpha_beta, messages));
      EXPECT_EQ(simulate(program, network_of(logp)).completion, train_seconds(logp, messages));
      EXPECT_EQ(simulate(program, network_of(busy)).completion, train_seconds(busy, messages));
      EXPECT_EQ(simulate(program, network_of(loggp)).completion, train_seconds(loggp, messages));
    }
  }
}

TEST(Simulate, a_relation_takes_what_each_model_says) {
  const models::AlphaBeta alpha_beta{8, 2};
  for (const Index procs : {2, 3, 8, 16}) {
    const Program program = relation(procs, 8);
    const models::Train messages{procs - 1, 8};
    EXPECT_EQ(simulate(program, network_of(alpha_beta)).completion,
              relation_seconds(alpha_beta, messages));
    for (const double overhead : {0., 2.}) {
      const models::LogP logp{10, overhead, 5, 8};
      const models::LogGp loggp{10, overhead, 5, 0.5};
      // A message that comes just when one is due delays it by an overhead at most; the models
      // count on an order in which that never happens.
      const double delays = overhead * static_cast<double>(procs - 1);
      const double in_data = simulate(program, network_of(logp)).completion;
      EXPECT_GE(in_data, relation_seconds(logp, messages));
      EXPECT_LE(in_data, relation_seconds(logp, messages) + delays);
      const double in_bytes = simulate(program, network_of(loggp)).completion;
      EXPECT_GE(in_bytes, relation_seconds(loggp, messages));
      EXPECT_LE(in_bytes, relation_seconds(loggp, messages) + delays);
    }
  }
}

TEST(Simulate, of_tasks_that_are_ready_the_first_added_goes_first) {
  Program program(1);
  program.begin_phase("work");
  const TaskId late = program.add_task(0, 1);
  const TaskId early = program.add_task(0, 2);
  const TaskId next = program.add_task(0, 4);
  program.add_edge(early, late);
  const Outcome outcome = simulate(program, {});
  EXPECT_EQ(outcome.ended[early], 2);
  EXPECT_EQ(outcome.ended[late], 3);
  EXPECT_EQ(outcome.ended[next], 7);
  EXPECT_EQ(outcome.completion, 7);
}

TEST(Simulate, without_overhead_messages_travel_while_the_processor_computes) {
  Program program(2);
  program.begin_phase("work");
  const TaskId first = program.add_task(0, 1);
  program.add_task(0, 20);
  const std::array<TaskId, 1> last = {program.add_task(1, 1)};
  for (int i = 0; i < 3; ++i) program.add_message(first, 1, last, 1);
  // Sent at 1, 5 and 9, there 3 later, and a task of 1.
  const Outcome beside = simulate(program, network_of(models::LogP{3, 0, 4, 1}));
  EXPECT_EQ(beside.ended[last[0]], 13);
  EXPECT_EQ(beside.completion, 21);
  // With an overhead of 1 the first leaves at once; the others wait for the long task to end at 22
  // and leave at 22 and 26: 26 + 1 + 3 + 1, and the task.
  const Outcome paid = simulate(program, network_of(models::LogP{3, 1, 4, 1}));
  EXPECT_EQ(paid.ended[1], 22);
  EXPECT_EQ(paid.ended[last[0]], 32);
}

TEST(Simulate, a_full_network_stalls_those_who_send) {
  // Three send two messages each to processor 3, at once: capacity ceil(4/2) = 2, one is let in
  // every 2. First come, first served.
  Program program(4);
  program.begin_phase("work");
  std::vector<TaskId> first;
  for (Index p = 0; p < 3; ++p) first.push_back(program.add_task(p, 0));
  for (Index p = 0; p < 3; ++p) program.add_task(p, 3);
  const std::array<TaskId, 1> last = {program.add_task(3, 0)};
  for (int i = 0; i < 2; ++i) {
    for (const TaskId from : first) program.add_message(from, 3, last, 1);
  }
  const Outcome outcome = simulate(program, network_of(models::LogP{4, 0, 2, 1}));
  // 0 and 1 send at 0, let in at 4 and 6; 2 sends at 4, 0 at 6, 1 at 8 and 2 at 10, let in at 14.
  EXPECT_EQ(outcome.passages[2].sent, 4);
  EXPECT_EQ(outcome.passages[3].sent, 6);
  EXPECT_EQ(outcome.passages[4].sent, 8);
  EXPECT_EQ(outcome.passages[5].sent, 10);
  EXPECT_EQ(outcome.most_of_one, 2);
  EXPECT_EQ(outcome.completion, 14);
  // 2 stalls from the beginning, and computes between its messages; 0 and 1 compute to 3 first.
  ASSERT_EQ(outcome.stalls.size(), 4U);
  EXPECT_EQ(outcome.stalls[0].proc, 2);
  EXPECT_EQ(outcome.stalls[0].begin, 0);
  EXPECT_EQ(outcome.stalls[0].end, 4);
  EXPECT_EQ(outcome.stalls[1].proc, 0);
  EXPECT_EQ(outcome.stalls[1].begin, 3);
  EXPECT_EQ(outcome.stalls[1].end, 6);
}

TEST(Simulate, messages_overtake_each_other_where_latencies_differ) {
  Program program(3);
  program.begin_phase("work");
  const std::array<TaskId, 1> one = {program.add_task(2, 0)};
  const std::array<TaskId, 1> other = {program.add_task(2, 0)};
  program.add_message(program.add_task(0, 0), 2, one, 1);
  program.add_message(program.add_task(1, 1), 2, other, 1);
  const Network network = network_of(models::LogP{10, 0, 4, 1});
  const Outcome slow = simulate(program, network);
  EXPECT_EQ(slow.ended[one[0]], 10);
  EXPECT_EQ(slow.ended[other[0]], 14);  // the port lets in one every 4
  const Outcome overtaken =
      simulate(program, network, [](MessageId id) { return id == 0 ? 10 : 8; });
  EXPECT_EQ(overtaken.ended[other[0]], 9);
  EXPECT_EQ(overtaken.ended[one[0]], 13);
}

TEST(Simulate, figures_and_activities) {
  Program program(2);
  program.begin_phase("work");
  const TaskId first = program.add_task(0, 3);
  const TaskId second = program.add_task(0, 2);
  const std::array<TaskId, 1> last = {program.add_task(1, 4)};
  program.add_edge(first, second);
  program.add_message(first, 1, last, 1);
  const Network network = network_of(models::LogP{5, 0, 2, 1});
  const Outcome outcome = simulate(program, network);
  const Figures figures = figures_of(program, network, outcome);
  EXPECT_EQ(figures.completion, 12);
  EXPECT_EQ(figures.speed_up, 0.75);
  EXPECT_EQ(figures.idle, (7. + 8.) / 2);
  EXPECT_EQ(figures.most_idle, 8);
  EXPECT_EQ(figures.last_sent, 3);
  std::string text;
  for (const Activity& activity : activities_of(program, network, outcome, 2)) {
    text += std::to_string(activity.proc) + " " + activity.name + " " +
            std::to_string(static_cast<int>(activity.begin)) + ".." +
            std::to_string(static_cast<int>(activity.end)) + "\n";
  }
  EXPECT_EQ(text,
            "0 work 0..5\n0 idle 5..12\n1 work 8..12\n1 idle 0..8\n0 to 1 3..8\n1 from 0 8..10\n");
}

TEST(Simulate, tasks_that_wait_for_each_other_are_an_error) {
  Program program(1);
  program.begin_phase("work");
  const TaskId a = program.add_task(0, 1);
  const TaskId b = program.add_task(0, 1);
  program.add_edge(a, b);
  program.add_edge(b, a);
  EXPECT_THROW(simulate(program, {}), InternalError);
}

TEST(Simulate, programs_are_checked_as_they_are_made) {
  EXPECT_THROW(Program(0), InvalidOption);
  Program program(2);
  EXPECT_THROW(program.add_task(0, 1), InternalError);
  program.begin_phase("work");
  const TaskId here = program.add_task(0, 1);
  const TaskId there = program.add_task(1, 1);
  EXPECT_THROW(program.add_edge(here, there), InternalError);
  const std::array<TaskId, 1> wrong = {here};
  EXPECT_THROW(program.add_message(here, 1, wrong, 1), InternalError);
  EXPECT_THROW(program.add_message(here, 0, wrong, 1), InternalError);
}

}  // namespace
}  // namespace kallima::butterfly

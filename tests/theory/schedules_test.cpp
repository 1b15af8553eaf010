// SPDX-License-Identifier: BSD-3-Clause
#include "theory/schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kallima/error.hpp"
#include "theory/simulate.hpp"

namespace kallima::butterfly {
namespace {

Network logp(double gap, double latency, double overhead = 0) {
  return network_of(models::LogP{latency, overhead, gap, 1});
}

double completion(const Program& program, double gap, double latency) {
  return simulate(program, logp(gap, latency)).completion;
}

/// When the outputs of Phase I of a processor are computed, in the order of its permutation.
std::vector<double> output_times(const Size& size, Index proc) {
  const OutputOrder outputs = xor_outputs(size);
  const Program program = output_driven_schedule(size, outputs, PhaseTwo::most_significant_first);
  const Outcome outcome = simulate(program, logp(1, 0));
  std::vector<double> times;
  for (const Message& message : program.messages()) {
    if (program.tasks()[message.from].proc == proc) times.push_back(outcome.ended[message.from]);
  }
  return times;
}

TEST(Schedules, figure_2) {
  // m = 8, P = 4: outputs of processor 2 in the order (2 3 0 1 6 7 4 5), at 7, 8, 11, 12, 19 and
  // 20; the last two, at 23 and 24, are its own.
  const Size size{32, 4};
  EXPECT_EQ(xor_order(2, 4), (Permutation{1, 0, 3, 2}));
  EXPECT_EQ(xor_outputs(size)(2), (Permutation{2, 3, 0, 1, 6, 7, 4, 5}));
  EXPECT_EQ(output_times(size, 2), (std::vector<double>{7, 8, 11, 12, 19, 20}));
}

TEST(Schedules, every_node_is_a_task_and_every_processor_has_as_many) {
  for (const Size size : {Size{16, 4}, Size{64, 4}, Size{64, 8}, Size{128, 2}}) {
    Index log_n = 0;
    while (Index{1} << log_n < size.inputs) ++log_n;
    const OutputOrder outputs = xor_outputs(size);
    for (const Program& program :
         {column_schedule(size, shifted_targets(size.procs)),
          output_driven_schedule(size, outputs, PhaseTwo::most_significant_first),
          output_driven_schedule(size, outputs, PhaseTwo::least_significant_first),
          one_allocation_schedule(size, Allocation::cyclic),
          one_allocation_schedule(size, Allocation::blocked)}) {
      std::map<Index, double> work;
      for (const Task& task : program.tasks()) work[task.proc] += task.work;
      EXPECT_EQ(static_cast<Index>(work.size()), size.procs);
      for (const auto& [proc, of_it] : work) {
        EXPECT_EQ(of_it, static_cast<double>(size.m() * log_n)) << proc;
      }
    }
  }
}

TEST(Schedules, count_messages_as_section_3_does) {
  const Size size{64, 8};
  const auto messages = [](const Program& program) {
    return static_cast<Index>(program.messages().size());
  };
  // n - m, and with one allocation for all columns n log P
  EXPECT_EQ(messages(column_schedule(size, shifted_targets(8))), 64 - 8);
  EXPECT_EQ(
      messages(output_driven_schedule(size, xor_outputs(size), PhaseTwo::most_significant_first)),
      64 - 8);
  EXPECT_EQ(messages(one_allocation_schedule(size, Allocation::cyclic)), 64 * 3);
  EXPECT_EQ(messages(one_allocation_schedule(size, Allocation::blocked)), 64 * 3);
}

TEST(Schedules, small_one_by_hand) {
  // n = 16, P = 4, g = 3, L = 1: theorem 3.1 has 23, theorem 5.1 corrected 16.
  const Size size{16, 4};
  EXPECT_EQ(completion(column_schedule(size, shifted_targets(4)), 3, 1), 23);
  const auto driven = [&](PhaseTwo order) {
    return output_driven_schedule(size, xor_outputs(size), order);
  };
  EXPECT_EQ(completion(driven(PhaseTwo::most_significant_first), 3, 1), 16);
  EXPECT_EQ(completion(driven(PhaseTwo::least_significant_first), 3, 1), 16);
}

TEST(Schedules, no_good_one_stalls_or_exceeds_the_capacity) {
  for (const Size size : {Size{64, 4}, Size{256, 8}, Size{256, 16}}) {
    for (const double gap : {1., 3., 7.}) {
      for (const double latency : {0., 1., 6., 20.}) {
        const Index capacity = logp(gap, latency).capacity;
        EXPECT_EQ(capacity, std::max(1., std::ceil(latency / gap)));
        for (const Program& program :
             {column_schedule(size, shifted_targets(size.procs)),
              output_driven_schedule(size, xor_outputs(size), PhaseTwo::most_significant_first)}) {
          const Outcome outcome = simulate(program, logp(gap, latency));
          EXPECT_TRUE(outcome.stalls.empty());
          EXPECT_LE(outcome.most_of_one, capacity);
        }
      }
    }
  }
}

TEST(Schedules, bad_ones_are_bad) {
  const Size size{4096, 16};
  const auto driven =
      output_driven_schedule(size, xor_outputs(size), PhaseTwo::most_significant_first);
  const double good = completion(driven, 8, 20);
  EXPECT_EQ(good, 256 * 12);
  const double column = completion(column_schedule(size, shifted_targets(16)), 8, 20);
  EXPECT_EQ(column, 256 * 12 + (256 - 16 - 1) * 8 + 20);
  // Everybody to 0 first: "the communication time would be increased by a factor of P" (section
  // 3.2) if all waited for each other. Those who are served go on to the next, and it is 5.
  const double flooded = completion(column_schedule(size, same_targets(16)), 8, 20);
  EXPECT_GT(flooded - good, 5 * (column - good));
  EXPECT_LT(flooded - good, 16 * (column - good));
  const Program same =
      output_driven_schedule(size, same_outputs(size), PhaseTwo::most_significant_first);
  EXPECT_GT(completion(same, 8, 20), 3 * good);
  EXPECT_FALSE(simulate(same, logp(8, 20)).stalls.empty());
  for (const Allocation allocation : {Allocation::cyclic, Allocation::blocked}) {
    // log P = 4 columns in which m messages leave, g apart
    EXPECT_GT(completion(one_allocation_schedule(size, allocation), 8, 20), 4 * 256 * 8);
  }
}

TEST(Schedules, refuse_what_the_paper_excludes) {
  EXPECT_THROW(column_schedule({48, 4}, shifted_targets(4)), InvalidOption);
  EXPECT_THROW(column_schedule({16, 8}, shifted_targets(8)), InvalidOption);
  EXPECT_THROW(column_schedule({16, 1}, shifted_targets(1)), InvalidOption);
  const Size size{16, 4};
  const auto wrong = [](Index /*proc*/) { return Permutation{0, 1, 1, 3}; };
  EXPECT_THROW(output_driven_schedule(size, wrong, PhaseTwo::most_significant_first),
               InvalidOption);
  EXPECT_THROW(column_schedule(size,
                               [](Index /*proc*/) {
                                 return Permutation{0, 1, 2};
                               }),
               InvalidOption);
}

TEST(Permutation, binary_ones) {
  // The paper's examples.
  EXPECT_TRUE(is_binary({4, 5, 6, 7, 3, 2, 0, 1}));
  EXPECT_FALSE(is_binary({4, 5, 6, 7, 3, 0, 2, 1}));
  EXPECT_TRUE(is_binary({0}));
  EXPECT_FALSE(is_binary({1, 1}));
  std::set<Permutation> all;
  for (std::uint64_t which = 0; which < 128; ++which) {
    const Permutation permutation = binary_permutation(8, which);
    EXPECT_TRUE(is_binary(permutation));
    all.insert(permutation);
  }
  EXPECT_EQ(all.size(), 128U);
  Permutation any = identity_permutation(8);
  Index found = 0;
  do {
    if (is_binary(any)) ++found;
  } while (std::next_permutation(any.begin(), any.end()));
  EXPECT_EQ(found, 128);
}

TEST(Permutation, orders_by_xor_are_binary_and_flood_nobody) {
  for (const Index procs : {2, 4, 8, 32}) {
    std::vector<Permutation> orders;
    for (Index p = 0; p < procs; ++p) {
      orders.push_back(xor_order(p, procs));
      EXPECT_TRUE(is_binary(orders.back()));
      EXPECT_TRUE(is_binary(in_blocks(orders.back(), 4)));
      EXPECT_EQ(orders.back().back(), p);
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(procs); ++j) {
      std::set<Index> targets;
      for (const Permutation& order : orders) targets.insert(order[j]);
      EXPECT_EQ(static_cast<Index>(targets.size()), procs);
    }
  }
}

}  // namespace
}  // namespace kallima::butterfly

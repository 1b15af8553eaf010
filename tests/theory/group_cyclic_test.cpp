// SPDX-License-Identifier: BSD-3-Clause
#include "theory/group_cyclic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "kallima/error.hpp"

namespace kallima::models {
namespace {

/// Bisseling, slide "Group-cyclic distribution", p dividing n.
Index owner(Index n, Index p, Index cycle, Index j) {
  return j / (cycle * n / p) * cycle + j % cycle;
}

Index reversed(Index p, Index s) {
  Index result = 0;
  for (Index bit = 1; bit < p; bit *= 2, s /= 2) result = 2 * result + s % 2;
  return result;
}

/// Elements that the busiest processor sends or receives from one cycle to another, by looking at
/// every element; `rename` numbers the processors before.
Index counted(Index n, Index p, Index before, Index after,
              const std::function<Index(Index)>& rename) {
  std::vector<Index> sent(static_cast<std::size_t>(p));
  std::vector<Index> received(static_cast<std::size_t>(p));
  for (Index j = 0; j < n; ++j) {
    const Index from = rename(owner(n, p, before, j));
    const Index to = owner(n, p, after, j);
    if (from == to) continue;
    ++sent[static_cast<std::size_t>(from)];
    ++received[static_cast<std::size_t>(to)];
  }
  return std::max(*std::max_element(sent.begin(), sent.end()),
                  *std::max_element(received.begin(), received.end()));
}

/// Every n = 2^m to 2^12 with every p < n.
std::vector<GroupCyclicFft> small_group_cyclic() {
  std::vector<GroupCyclicFft> result;
  for (Index n = 2; n <= 4096; n *= 2) {
    for (Index p = 1; p < n; p *= 2) result.push_back({.extent = n, .procs = p});
  }
  return result;
}

TEST(GroupCyclic, counts_of_the_slides) {
  // "From block to cyclic distribution": n = 8, p = 4, m = 3, q = 2, t = 2, cycles 1, 2, 4.
  const GroupCyclicFft small = {.extent = 8, .procs = 4};
  EXPECT_EQ(exchanges(small), 2);
  EXPECT_EQ(computation_supersteps(small), 3);
  EXPECT_EQ(synchronisations(small), 5);
  EXPECT_EQ(cycles(small), (std::vector<Index>{1, 2, 4}));
  // "p <= 32 for n = 1024" needs one exchange: ceil(5/5) = 1; 64 need ceil(6/4) = 2.
  EXPECT_EQ(exchanges({.extent = 1024, .procs = 32}), 1);
  EXPECT_EQ(exchanges({.extent = 1024, .procs = 64}), 2);
  EXPECT_EQ(cycles({.extent = 1024, .procs = 64}), (std::vector<Index>{1, 16, 64}));
  // One processor has nothing to move.
  EXPECT_EQ(synchronisations({.extent = 8, .procs = 1}), 1);
  EXPECT_DOUBLE_EQ(words_moved({.extent = 8, .procs = 1}, FormulaVersion::printed), 0);
}

/// Runs the loop of slide "Parallel unordered FFT".
TEST(GroupCyclic, the_loop_of_the_slides_makes_as_many_iterations) {
  for (const GroupCyclicFft& fft : small_group_cyclic()) {
    const Index part = fft.extent / fft.procs;
    std::vector<Index> met;
    for (Index k = 2, c = 1; k <= fft.extent; c = std::min(part * c, fft.procs)) {
      met.push_back(c);
      while (k <= part * c) k *= 2;
    }
    EXPECT_EQ(met, cycles(fft)) << fft.extent << " over " << fft.procs;
    EXPECT_EQ(static_cast<Index>(met.size()), computation_supersteps(fft));
  }
}

TEST(GroupCyclic, corrected_words_are_those_counted) {
  for (const GroupCyclicFft& fft : small_group_cyclic()) {
    const std::vector<Index> cycle = cycles(fft);
    Index elements = 0;
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      elements +=
          counted(fft.extent, fft.procs, cycle[i - 1], cycle[i], [](Index rank) { return rank; });
    }
    EXPECT_DOUBLE_EQ(words_moved(fft, FormulaVersion::corrected),
                     2.0 * static_cast<double>(elements));
    EXPECT_LE(words_moved(fft, FormulaVersion::corrected),
              words_moved(fft, FormulaVersion::printed));
  }
}

/// With processor numbers reversed before it, the first exchange costs the same where it goes
/// straight to cyclic, and otherwise moves all that some processor has.
TEST(GroupCyclic, reversed_processors_fill_the_bound_where_more_than_one_exchange_follows) {
  for (const GroupCyclicFft& fft : small_group_cyclic()) {
    const std::vector<Index> cycle = cycles(fft);
    if (cycle.size() < 2) continue;
    const Index part = fft.extent / fft.procs;
    const Index moved = counted(fft.extent, fft.procs, 1, cycle[1],
                                [&](Index rank) { return reversed(fft.procs, rank); });
    EXPECT_EQ(moved, cycle.size() == 2 ? part - part / cycle[1] : part)
        << fft.extent << " over " << fft.procs;
  }
}

TEST(GroupCyclic, the_printed_bound_counts_double_with_two_elements_per_processor) {
  // n/p = 2, so r = 2 each time: half of the part stays.
  const GroupCyclicFft fft = {.extent = 64, .procs = 32};
  // t = ceil(5/1) = 5: 5 * 2 * 2 = 20, and half of it.
  EXPECT_DOUBLE_EQ(words_moved(fft, FormulaVersion::printed), 20);
  EXPECT_DOUBLE_EQ(words_moved(fft, FormulaVersion::corrected), 10);
}

TEST(GroupCyclic, total_is_the_sum_of_the_slides) {
  const BspMachine machine = {.network = {.gap_per_byte = 3, .synchronisation = 100},
                              .flop_seconds = 2};
  // n = 16, p = 4, one word a byte. t = ceil(2/2) = 1.
  const GroupCyclicFft fft = {.extent = 16, .procs = 4, .real_bytes = 1};
  // 5 * 16 * 4 / 4 = 80 flops, 160 seconds
  EXPECT_DOUBLE_EQ(computation_seconds(machine, fft), 160);
  // 2 * 16/4 = 8 words, 24 seconds; of which 3/4 move, as r = 4
  EXPECT_DOUBLE_EQ(communication_seconds(machine.network, fft, FormulaVersion::printed), 24);
  EXPECT_DOUBLE_EQ(communication_seconds(machine.network, fft, FormulaVersion::corrected), 18);
  // (2 * 1 + 1) * 100
  EXPECT_DOUBLE_EQ(synchronisation_seconds(machine.network, fft), 300);
  EXPECT_DOUBLE_EQ(total_seconds(machine, fft, FormulaVersion::printed), 484);
  EXPECT_DOUBLE_EQ(total_seconds(machine, fft, FormulaVersion::corrected), 478);
}

TEST(GroupCyclic, refuses_what_the_slides_exclude) {
  EXPECT_THROW(exchanges({.extent = 12, .procs = 2}), InvalidOption);
  EXPECT_THROW(exchanges({.extent = 16, .procs = 3}), InvalidOption);
  EXPECT_THROW(exchanges({.extent = 16, .procs = 16}), InvalidOption);
  EXPECT_THROW(exchanges({.extent = 16, .procs = 0}), InvalidOption);
}

}  // namespace
}  // namespace kallima::models

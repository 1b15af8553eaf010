// SPDX-License-Identifier: BSD-3-Clause
#include "theory/collectives.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kallima::models {
namespace {

constexpr AlphaBeta model = {.alpha = 8, .beta = 2};

TEST(Collectives, rings) {
  // 8 + 2 * 3 = 14, and 5 times that
  const Collective ring = {.procs = 5, .bytes = 3};
  EXPECT_DOUBLE_EQ(simultaneous_ring_seconds(model, ring), 14);
  EXPECT_DOUBLE_EQ(sequential_ring_seconds(model, ring), 70);
}

TEST(Collectives, broadcasts_by_trees_and_rings) {
  // P = 7: a full binary tree of height 2, two sends a level: 4 (8 + 2 * 14) = 144
  const Collective seven = {.procs = 7, .bytes = 14};
  EXPECT_DOUBLE_EQ(broadcast_binary_seconds(model, seven), 144);
  // log(8) = 3 rounds of 36: 108, as printed and corrected alike
  EXPECT_DOUBLE_EQ(broadcast_binomial_seconds(model, seven, FormulaVersion::printed), 108);
  EXPECT_DOUBLE_EQ(broadcast_binomial_seconds(model, seven, FormulaVersion::corrected), 108);
  // 2 * 6 (8 + 2 * 2) = 144
  EXPECT_DOUBLE_EQ(broadcast_ring_seconds(model, seven), 144);
}

TEST(Collectives, binomial_rounds_are_those_of_doubling) {
  for (Index procs = 1; procs <= 70; ++procs) {
    Index rounds = 0;
    for (Index have = 1; have < procs; have *= 2) ++rounds;
    // 8 + 2 * 1 = 10 a round
    const Collective broadcast = {.procs = procs, .bytes = 1};
    EXPECT_DOUBLE_EQ(broadcast_binomial_seconds(model, broadcast, FormulaVersion::corrected),
                     10.0 * static_cast<double>(rounds));
  }
  // Four processors take two rounds, of which the printed form makes log(5) = 2.32.
  EXPECT_NEAR(broadcast_binomial_seconds(model, {.procs = 4, .bytes = 1}, FormulaVersion::printed),
              23.2, 0.02);
}

TEST(Collectives, long_broadcasts_gain_half_a_logarithm_by_going_round) {
  const Collective broadcast = {.procs = 1024, .bytes = 1e15};
  const double ratio = broadcast_binomial_seconds(model, broadcast, FormulaVersion::printed) /
                       broadcast_ring_seconds(model, broadcast);
  // "Large-message broadcasts": about log(1024) / 2 = 5; exactly log(1025) / (2 (1 - 1/1024)).
  EXPECT_NEAR(ratio, 5, 0.01);
}

TEST(Collectives, pipelined_broadcasts_by_hand) {
  const Collective broadcast = {.procs = 16, .bytes = 64};
  const LogP logp = {.latency = 10, .overhead = 1, .gap = 4, .datum_bytes = 8};
  // 4 (10 + 8 + 1) + 2 * 8 * 4 = 140
  EXPECT_DOUBLE_EQ(broadcast_pipelined_seconds(logp, broadcast), 140);
  const LogGp loggp = {.latency = 10, .overhead = 1, .gap = 4, .gap_per_byte = 0.25};
  // k = 16: 4 (10 + 8 + 1 + 8) + 2 * 4 (4 + 4) = 172; best k = sqrt(64/4 * 4/0.25) = 16
  EXPECT_DOUBLE_EQ(broadcast_pipelined_seconds(loggp, broadcast, 16), 172);
  EXPECT_DOUBLE_EQ(best_packet_bytes(loggp, broadcast), 16);
  // k = 8: 2 (4 + 8)(8 + 16) = 576; best k = sqrt(64/4 * 8/2) = 8
  EXPECT_DOUBLE_EQ(broadcast_pipelined_seconds(model, broadcast, 8), 576);
  EXPECT_DOUBLE_EQ(best_packet_bytes(model, broadcast), 8);
  // 2 * 4 * 8 + 4 sqrt(64 * 4 * 16) + 2 * 64 * 2 = 64 + 256 + 256 = 576
  EXPECT_DOUBLE_EQ(broadcast_best_pipelined_seconds(model, broadcast), 576);
  // 64 + 2 sqrt(2 * 64 * 4 * 16) + 128 = 192 + 2 * 90.51 = 373.02
  EXPECT_NEAR(broadcast_double_tree_seconds(model, broadcast), 373.02, 0.01);
  // 32 + 2 * 64 + 128 = 288
  EXPECT_DOUBLE_EQ(broadcast_bound_seconds(model, broadcast), 288);
}

TEST(Collectives, best_packets_are_best) {
  const LogGp loggp = {.latency = 10, .overhead = 1, .gap = 4, .gap_per_byte = 0.3};
  for (const Index procs : {2, 7, 64, 1000}) {
    for (const double bytes : {10.0, 1e3, 1e6}) {
      const Collective broadcast = {.procs = procs, .bytes = bytes};
      const double packet = best_packet_bytes(model, broadcast);
      const double best = broadcast_pipelined_seconds(model, broadcast, packet);
      EXPECT_NEAR(best, broadcast_best_pipelined_seconds(model, broadcast), 1e-9 * best);
      EXPECT_LE(broadcast_bound_seconds(model, broadcast),
                broadcast_double_tree_seconds(model, broadcast));
      EXPECT_LE(broadcast_double_tree_seconds(model, broadcast), best);
      const double packet_g = best_packet_bytes(loggp, broadcast);
      const double best_g = broadcast_pipelined_seconds(loggp, broadcast, packet_g);
      for (const double factor : {0.5, 0.99, 1.01, 2.0}) {
        EXPECT_GE(broadcast_pipelined_seconds(model, broadcast, factor * packet), best);
        EXPECT_GE(broadcast_pipelined_seconds(loggp, broadcast, factor * packet_g), best_g);
      }
    }
  }
}

TEST(Collectives, trees_and_butterflies_by_hand) {
  const Collective eight = {.procs = 8, .bytes = 16, .local_work = 5};
  // 2 * 3 * 8 + 16 * 2 = 80
  EXPECT_DOUBLE_EQ(scatter_tree_seconds(model, eight), 80);
  EXPECT_DOUBLE_EQ(gather_tree_seconds(model, eight), 80);
  // 3 * 8 + (8 + 4 + 2) * 2 = 52
  EXPECT_DOUBLE_EQ(allgather_seconds(model, eight), 52);
  EXPECT_DOUBLE_EQ(scatter_seconds(model, eight), 52);
  EXPECT_DOUBLE_EQ(gather_seconds(model, eight), 52);
  EXPECT_DOUBLE_EQ(reduce_scatter_seconds(model, eight), 57);
  EXPECT_DOUBLE_EQ(allreduce_seconds(model, eight), 109);
  EXPECT_DOUBLE_EQ(reduce_seconds(model, eight), 109);
  EXPECT_DOUBLE_EQ(broadcast_seconds(model, eight), 104);
  // 3 (8 + 2 * 8) = 72
  EXPECT_DOUBLE_EQ(all_to_all_butterfly_seconds(model, eight), 72);
  // 8 * 8 + 2 * 16 = 96; without oneself 7 * 8 + 2 * 14 = 84
  EXPECT_DOUBLE_EQ(all_to_all_direct_seconds(model, eight, FormulaVersion::printed), 96);
  EXPECT_DOUBLE_EQ(all_to_all_direct_seconds(model, eight, FormulaVersion::corrected), 84);
}

/// "Cost of butterfly allgather", its recurrence.
double allgather_recurrence(double bytes, Index procs) {
  if (procs == 1) return 0;
  return allgather_recurrence(bytes / 2, procs / 2) + message_seconds(model, bytes / 2);
}

/// "Butterfly all-to-all", its recurrence.
double all_to_all_recurrence(double bytes, Index procs) {
  if (procs == 1) return 0;
  return all_to_all_recurrence(bytes, procs / 2) + message_seconds(model, bytes / 2);
}

TEST(Collectives, closed_forms_solve_the_recurrences) {
  for (Index procs = 1; procs <= 1 << 20; procs *= 2) {
    const Collective collective = {.procs = procs, .bytes = 4096};
    EXPECT_DOUBLE_EQ(allgather_seconds(model, collective), allgather_recurrence(4096, procs));
    EXPECT_DOUBLE_EQ(all_to_all_butterfly_seconds(model, collective),
                     all_to_all_recurrence(4096, procs));
  }
}

TEST(Collectives, a_direct_all_to_all_is_the_exchange_of_alpha_beta) {
  for (const Index procs : {2, 4, 16}) {
    const Collective collective = {.procs = procs, .bytes = 4096};
    const Index bytes = 4096 / procs * (procs - 1);
    const Load load = {procs - 1, procs - 1, bytes, bytes};
    EXPECT_DOUBLE_EQ(all_to_all_direct_seconds(model, collective, FormulaVersion::corrected),
                     exchange_seconds(model, load));
  }
}

TEST(Collectives, the_cube_multiplication_costs_what_its_slide_says) {
  // "3D matrix multiplication algorithm": two broadcasts and a reduction of s = n^2 / P^(2/3) among
  // P^(1/3) cost at most 2 log(P) alpha + 6 s beta. P = 512, n = 64: s = 4096/64 = 64 words.
  const Collective line = {.procs = 8, .bytes = 64};
  const double seconds = 2 * broadcast_seconds(model, line) + reduce_seconds(model, line);
  const double bound = 2 * 9 * model.alpha + 6 * 64 * model.beta;
  EXPECT_LE(seconds, bound);
  // Six butterflies, each an eighth of s short of s.
  EXPECT_DOUBLE_EQ(bound - seconds, 6.0 * 64 / 8 * model.beta);
}

TEST(Collectives, bsp_takes_a_superstep_or_two) {
  const Collective collective = {.procs = 64, .bytes = 10, .local_work = 1};
  // h = P: 8 + 20 + 1; twice: 8 + 20 + 8 + 20 + 1
  EXPECT_DOUBLE_EQ(bsp_butterfly_seconds(model, collective, 64), 29);
  EXPECT_DOUBLE_EQ(bsp_double_butterfly_seconds(model, collective, 64), 57);
  EXPECT_DOUBLE_EQ(bsp_butterfly_seconds(model, collective, 1000), 29);
  // h = 4: log_4(64) = 3: 24 + 20 + 1
  EXPECT_DOUBLE_EQ(bsp_butterfly_seconds(model, collective, 4), 45);
  EXPECT_DOUBLE_EQ(bsp_butterfly_seconds(model, {.procs = 1, .bytes = 0}, 4), 0);
}

}  // namespace
}  // namespace kallima::models

// SPDX-License-Identifier: BSD-3-Clause
//
// Where two papers speak of the same thing they must agree.
#include "theory/models.hpp"

#include <gtest/gtest.h>

namespace kallima::models {
namespace {

TEST(Models, theorem_3_1_is_a_train_of_logp_behind_the_computation) {
  for (Index n = 16; n <= 1 << 12; n *= 2) {
    const Butterfly butterfly = {.inputs = n, .procs = 4, .gap = 5, .latency = 7};
    const LogP logp = {.latency = 7, .overhead = 0, .gap = 5, .datum_bytes = 1};
    const Index sent = n / 4 - n / 16;
    EXPECT_DOUBLE_EQ(static_cast<double>(simple_steps(butterfly)),
                     static_cast<double>(ideal_steps(butterfly)) +
                         relation_seconds(logp, {.messages = sent, .bytes = 1}));
  }
}

TEST(Models, one_exchange_of_the_group_cyclic_transform_is_a_superstep) {
  // n = 16 over 4: each sends 3 of its 4 elements of 16 bytes.
  const Bsp bsp = {.gap_per_byte = 3, .synchronisation = 7};
  const GroupCyclicFft fft = {.extent = 16, .procs = 4};
  const Load load = {3, 3, 48, 48};
  EXPECT_DOUBLE_EQ(communication_seconds(bsp, fft, FormulaVersion::corrected) + bsp.synchronisation,
                   exchange_seconds(bsp, load));
}

TEST(Models, collectives_in_one_superstep_cost_what_bsp_says) {
  const AlphaBeta link = {.alpha = 7, .beta = 3};
  const Bsp bsp = {.gap_per_byte = 3, .synchronisation = 7};
  EXPECT_DOUBLE_EQ(bsp_butterfly_seconds(link, {.procs = 16, .bytes = 10}, 16),
                   superstep_seconds(bsp, {.work_seconds = 0, .bytes = 10}));
}

TEST(Models, both_exchanges_of_a_cube_on_a_flat_network_are_equation_3_but_for_what_stays) {
  // P = 64: a node sends 63 of 64 parts in an exchange among all.
  const Node node = {.flops = 1, .memory_bandwidth = 1, .link_bandwidth = 5, .cache_bytes = 1e6};
  const CubeFft fft = {.extent = 16, .nodes = 64};
  const NodeExchange exchange = {
      .nodes = 64, .bytes = 4096.0 * 16 / 64 * 63 / 64, .link_bandwidth = 5};
  EXPECT_DOUBLE_EQ(network_seconds(node, fft, kappa_full) * 63 / 64,
                   2 * all_to_all_seconds(FullNetwork(), exchange));
  // On a 3-D torus the bisection binds, and equation (5) corrected is what it lets through.
  EXPECT_DOUBLE_EQ(torus_seconds(node, fft, 3, FormulaVersion::corrected),
                   2 * bisection_seconds(Torus{3}, exchange));
}

}  // namespace
}  // namespace kallima::models

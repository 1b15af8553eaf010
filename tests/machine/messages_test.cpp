// SPDX-License-Identifier: BSD-3-Clause
#include "machine/messages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kallima::models {
namespace {

constexpr AlphaBeta alpha_beta = {.alpha = 5, .beta = 2};
// The gap is longer than two overheads, so it sets the rates.
constexpr LogP logp = {.latency = 10, .overhead = 1, .gap = 4, .datum_bytes = 8};
constexpr LogGp loggp = {.latency = 10, .overhead = 1, .gap = 4, .gap_per_byte = 0.5};
constexpr Bsp bsp = {.gap_per_byte = 3, .synchronisation = 7};

TEST(Messages, one_message_costs_what_the_models_say) {
  // 5 + 3 * 2 = 11
  EXPECT_DOUBLE_EQ(message_seconds(alpha_beta, 3), 11);
  // 1 + 10 + 1 = 12 for up to 8 bytes; 17 bytes are 3 data: 12 + 2 * 4 = 20
  EXPECT_DOUBLE_EQ(message_seconds(logp, 8), 12);
  EXPECT_DOUBLE_EQ(message_seconds(logp, 0), 12);
  EXPECT_DOUBLE_EQ(message_seconds(logp, 17), 20);
  // 1 + (9 - 1) / 2 + 10 + 1 = 16
  EXPECT_DOUBLE_EQ(message_seconds(loggp, 9), 16);
  EXPECT_DOUBLE_EQ(message_seconds(loggp, 1), 12);
  // No bytes do not give time back.
  EXPECT_DOUBLE_EQ(message_seconds(loggp, 0), 12);
}

TEST(Messages, a_row_waits_for_the_gap_or_for_the_overhead) {
  // 3 * (5 + 3 * 2) = 33
  EXPECT_DOUBLE_EQ(train_seconds(alpha_beta, {.messages = 3, .bytes = 3}), 33);
  // 2 * 4 + 12 = 20; with messages of two data each 5 * 4 + 12 = 32
  EXPECT_DOUBLE_EQ(train_seconds(logp, {.messages = 3, .bytes = 8}), 20);
  EXPECT_DOUBLE_EQ(train_seconds(logp, {.messages = 3, .bytes = 9}), 32);
  // 3 * (9 - 1) / 2 + 2 * 4 + 12 = 32
  EXPECT_DOUBLE_EQ(train_seconds(loggp, {.messages = 3, .bytes = 9}), 32);
  // Overhead 6 above the gap 4: 2 * 6 + 6 + 10 + 6 = 34
  LogP busy = logp;
  busy.overhead = 6;
  EXPECT_DOUBLE_EQ(train_seconds(busy, {.messages = 3, .bytes = 8}), 34);
  EXPECT_DOUBLE_EQ(train_seconds(logp, {.messages = 0, .bytes = 8}), 0);
  EXPECT_DOUBLE_EQ(train_seconds(loggp, {.messages = 0, .bytes = 8}), 0);
}

TEST(Messages, a_relation_pays_the_overheads_of_both_directions) {
  const Train train = {.messages = 3, .bytes = 8};
  // The gap 4 covers 2 overheads of 1, so receiving is free: 2 * 4 + 12 = 20.
  EXPECT_DOUBLE_EQ(relation_seconds(logp, train), 20);
  // With overhead 3, 2 * max(4, 6) + 3 + 10 + 3 = 28; a pure sender 2 * 4 + 16 = 24.
  LogP busy = logp;
  busy.overhead = 3;
  EXPECT_DOUBLE_EQ(relation_seconds(busy, train), 28);
  EXPECT_DOUBLE_EQ(train_seconds(busy, train), 24);
  // 2 * 4 + 12 + 3 * 7 / 2 = 30.5
  EXPECT_DOUBLE_EQ(relation_seconds(loggp, train), 30.5);
  // 3 * (5 + 8 * 2) = 63
  EXPECT_DOUBLE_EQ(relation_seconds(alpha_beta, train), 63);
  // 3 * (3 * 8) + 7 = 79
  EXPECT_DOUBLE_EQ(relation_seconds(bsp, train), 79);
}

TEST(Messages, capacity_and_superstep) {
  // ceil(10 / 4) = 3
  EXPECT_DOUBLE_EQ(capacity(logp), 3);
  // 11 + 3 * 2 + 7 = 24
  EXPECT_DOUBLE_EQ(superstep_seconds(bsp, {.work_seconds = 11, .bytes = 2}), 24);
}

TEST(Messages, an_exchange_is_priced_by_its_busier_direction) {
  const Network network = {.bsp = bsp, .logp = logp, .loggp = loggp, .alpha_beta = alpha_beta};
  const Load load = {
      .messages_sent = 2, .messages_received = 4, .bytes_sent = 40, .bytes_received = 32};
  // 3 * 40 + 7 = 127
  EXPECT_DOUBLE_EQ(exchange_seconds(Model::bsp, network, load), 127);
  // 20 bytes are 3 data, twice: 6; 8 bytes are 1, four times: 4. 5 * max(4, 10/6) + 12 = 32
  EXPECT_DOUBLE_EQ(exchange_seconds(Model::logp, network, load), 32);
  // 3 * max(4, 6/4) + 12 + max(40 - 2, 32 - 4) / 2 = 12 + 12 + 19 = 43
  EXPECT_DOUBLE_EQ(exchange_seconds(Model::loggp, network, load), 43);
  // 4 * 5 + 40 * 2 = 100
  EXPECT_DOUBLE_EQ(exchange_seconds(Model::alpha_beta, network, load), 100);
}

TEST(Messages, only_bsp_charges_for_nothing) {
  const Network network = {.bsp = bsp, .logp = logp, .loggp = loggp, .alpha_beta = alpha_beta};
  EXPECT_DOUBLE_EQ(exchange_seconds(Model::bsp, network, Load()), 7);
  for (const Model model : {Model::logp, Model::loggp, Model::alpha_beta}) {
    EXPECT_DOUBLE_EQ(exchange_seconds(model, network, Load()), 0);
  }
}

/// Loads small enough to try all.
std::vector<Load> small_loads() {
  std::vector<Load> loads;
  for (Index sent = 0; sent <= 4; ++sent) {
    for (Index received = 0; received <= 4; ++received) {
      for (const Index bytes : {1, 7, 24}) {
        loads.push_back({sent, received, sent * bytes, received * bytes});
      }
    }
  }
  return loads;
}

TEST(Messages, more_bytes_or_messages_never_cost_less) {
  LogP busy = logp;
  busy.overhead = 3;
  LogGp busy_long = loggp;
  busy_long.overhead = 3;
  const Network network = {.bsp = bsp, .logp = busy, .loggp = busy_long, .alpha_beta = alpha_beta};
  for (const Model model : {Model::bsp, Model::logp, Model::loggp, Model::alpha_beta}) {
    for (const Load& load : small_loads()) {
      const double seconds = exchange_seconds(model, network, load);
      Load more = load;
      if (load.messages_sent > 0) more.bytes_sent += 5;
      EXPECT_GE(exchange_seconds(model, network, more), seconds);
      // One message more, as long as the others.
      more = load;
      more.messages_received += 1;
      more.bytes_received +=
          load.messages_received > 0 ? load.bytes_received / load.messages_received : 1;
      EXPECT_GE(exchange_seconds(model, network, more), seconds);
    }
  }
}

TEST(Messages, loggp_without_cost_per_byte_is_logp_of_large_data) {
  LogP wide = logp;
  wide.datum_bytes = 1e6;
  LogGp flat = loggp;
  flat.gap_per_byte = 0;
  for (const Load& load : small_loads()) {
    EXPECT_DOUBLE_EQ(exchange_seconds(flat, load), exchange_seconds(wide, load));
  }
}

TEST(Messages, loggp_is_logp_of_single_bytes_where_both_gaps_are_the_same) {
  // A byte of LogGP after the first waits G, of LogP g; with g = G the row of bytes is the same.
  const LogP bytes = {.latency = 10, .overhead = 1, .gap = 4, .datum_bytes = 1};
  const LogGp same = {.latency = 10, .overhead = 1, .gap = 4, .gap_per_byte = 4};
  for (const Index count : {1, 2, 5}) {
    for (const double size : {1.0, 3.0, 8.0}) {
      const Train train = {.messages = count, .bytes = size};
      EXPECT_DOUBLE_EQ(train_seconds(bytes, train), train_seconds(same, train));
    }
  }
}

TEST(Messages, one_message_is_the_same_in_all_models_whose_parameters_say_so) {
  // Solomonik 2015, "BSP model definition": with h = 1, beta = g of BSP = G of LogGP.
  // alpha = 2o + L - G = 11.5 = l.
  const AlphaBeta line = {.alpha = 11.5, .beta = 0.5};
  const Bsp step = {.gap_per_byte = 0.5, .synchronisation = 11.5};
  for (const Index bytes : {1, 2, 100, 1 << 20}) {
    const Load load = {1, 1, bytes, bytes};
    EXPECT_DOUBLE_EQ(exchange_seconds(line, load), exchange_seconds(loggp, load));
    EXPECT_DOUBLE_EQ(exchange_seconds(line, load), exchange_seconds(step, load));
    EXPECT_DOUBLE_EQ(message_seconds(line, static_cast<double>(bytes)),
                     exchange_seconds(line, load));
  }
}

}  // namespace
}  // namespace kallima::models

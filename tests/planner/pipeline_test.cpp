// SPDX-License-Identifier: BSD-3-Clause
#include "planner/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "kallima/planner.hpp"
#include "kallima/price.hpp"
#include "machine/figures.hpp"

namespace kallima {
namespace {

/// The built-in machine, with another bandwidth between nodes, of which so much keeps a core busy.
MachineFigures machine_with(double per_byte, double busy) {
  MachineFigures machine = built_in_machine().figures();
  machine.topology.wiring = Wiring::full;
  machine.between_nodes.node_per_byte = per_byte;
  machine.between_nodes.busy = busy;
  return machine;
}

PlanCost cost(const Plan& plan, const Machine& machine) {
  PriceOptions options;
  options.ranks_per_node = 1;
  return price(plan, machine, options);
}

double seconds(const Plan& plan, const Machine& machine) {
  return cost(plan, machine).total.total();
}

/// What copying takes that chunks do without: of what a rank keeps in an exchange in one piece.
double kept(const Plan& bulk, const Machine& machine) {
  double sum = 0.;
  for (const StepCost& step : cost(bulk, machine).steps) {
    if (step.messages > 0) sum += step.cost.memory;
  }
  return sum;
}

TEST(Pipeline, no_number_of_chunks_that_can_be_asked_for_is_much_cheaper) {
  int in_chunks = 0;
  int in_one_piece = 0;
  for (const double per_byte : {1e-11, 5e-11, 2e-10, 1e-9, 1e-8}) {
    for (const double busy : {0., 0.3, 0.8}) {
      const Machine machine = machine_with(per_byte, busy);
      for (const char* const problem : {"c2c:128x128x128", "c2c:1048576", "c2c:96x80x64:f32"}) {
        for (const Index ranks : {2, 4}) {
          PlanRequest request;
          request.problem = Problem::parse(problem);
          request.ranks = ranks;
          request.method = ExchangeMethod::point_to_point;
          request.placement.ranks_per_node = 1;
          request.chunks = 1;
          request.machine = std::make_shared<const Machine>(machine);
          const Plan bulk = make_plan(request);
          ASSERT_EQ(bulk.exchanges(), 1);
          const double whole = seconds(bulk, machine);
          double best = whole;
          for (Index chunks = 2; chunks <= most_chunks; chunks *= 2) {
            if (const auto cut = pipelined(bulk, machine, chunks)) {
              best = std::min(best, seconds(*cut, machine));
            }
          }
          const std::optional<Plan> taken = pipelined(bulk, machine, 0);
          ++(taken ? in_chunks : in_one_piece);
          // Hiding has to be worth its while by itself.
          const double limit = taken ? 1.03 * best : best / 0.97 + kept(bulk, machine);
          EXPECT_LE(taken ? seconds(*taken, machine) : whole, limit * (1. + 1e-9))
              << problem << " on " << ranks << " ranks, " << per_byte << " s a byte, busy " << busy
              << "\n"
              << (taken ? *taken : bulk).to_text();
        }
      }
    }
  }
  std::cout << in_chunks << " in chunks, " << in_one_piece << " in one piece\n";
  EXPECT_GT(in_chunks, 20);
  EXPECT_GT(in_one_piece, 5);
}

}  // namespace
}  // namespace kallima

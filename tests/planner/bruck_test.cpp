// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/bruck_rounds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "cost/radix.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "machine/congestion.hpp"
#include "machine/figures.hpp"
#include "planner/radix.hpp"
#include "schedule/schedule.hpp"
#include "theory/all_to_all.hpp"

namespace kallima {
namespace {

/// Everybody has as much for everybody else.
struct Everybody {
  explicit Everybody(Index procs)
      : ranks(procs),
        from(Layout::block(Shape{procs, procs}, {procs, 1})),
        to(Layout::block(Shape{procs, procs}, {1, procs})) {}

  Index ranks;
  Layout from;
  Layout to;
};

TEST(Bruck, hops_are_the_rounds_of_the_formula) {
  for (Index procs = 2; procs <= 20; ++procs) {
    const Everybody all(procs);
    for (Index radix = 2; radix <= procs; ++radix) {
      const std::vector<models::Load> rounds = models::rounds({procs, 1}, radix);
      const BruckGroup group(all.from, all.to, 0);
      ASSERT_EQ(static_cast<Index>(group.members().size()), procs);
      for (Index rank = 0; rank < procs; ++rank) {
        const std::vector<BruckRound> made = group.rounds(rank, radix);
        ASSERT_EQ(made.size(), rounds.size());
        for (std::size_t i = 0; i < made.size(); ++i) {
          Index sent = 0;
          Index received = 0;
          for (const BruckMessage& message : made[i].sends) sent += message.size();
          for (const BruckMessage& message : made[i].receives) received += message.size();
          EXPECT_EQ(static_cast<Index>(made[i].sends.size()), rounds[i].messages_sent);
          EXPECT_EQ(static_cast<Index>(made[i].receives.size()), rounds[i].messages_received);
          EXPECT_EQ(sent, rounds[i].bytes_sent);
          EXPECT_EQ(received, rounds[i].bytes_received);
        }
      }
    }
  }
}

using Pair = std::pair<Index, Index>;

/// Carries all pieces of an exchange through their rounds; every rank ends with what is its.
void follow(const Layout& from, const Layout& to, Index ranks, Index radix) {
  std::vector<std::vector<BruckRound>> rounds;
  std::vector<std::map<Pair, Index>> held(static_cast<std::size_t>(ranks));
  std::size_t most = 0;
  for (Index rank = 0; rank < ranks; ++rank) {
    rounds.push_back(BruckGroup(from, to, rank).rounds(rank, radix));
    most = std::max(most, rounds.back().size());
    for (const Piece& piece : pieces(from, to, rank)) {
      held[static_cast<std::size_t>(rank)][{rank, piece.peer}] = piece.size;
    }
  }
  for (std::size_t i = 0; i < most; ++i) {
    std::map<Pair, std::map<Pair, Index>> sent;
    for (Index rank = 0; rank < ranks; ++rank) {
      auto& mine = held[static_cast<std::size_t>(rank)];
      if (i >= rounds[static_cast<std::size_t>(rank)].size()) continue;
      for (const BruckMessage& message : rounds[static_cast<std::size_t>(rank)][i].sends) {
        ASSERT_NE(message.peer, rank);
        auto& here = sent[{rank, message.peer}];
        ASSERT_TRUE(here.empty()) << "two messages between the same ranks";
        for (const BruckMessage::Load& load : message.loads) {
          ASSERT_EQ(mine.at({load.sender, load.taker}), load.size);
          mine.erase({load.sender, load.taker});
          here[{load.sender, load.taker}] = load.size;
        }
      }
    }
    std::size_t received = 0;
    for (Index rank = 0; rank < ranks; ++rank) {
      if (i >= rounds[static_cast<std::size_t>(rank)].size()) continue;
      for (const BruckMessage& message : rounds[static_cast<std::size_t>(rank)][i].receives) {
        std::map<Pair, Index> loads;
        for (const BruckMessage::Load& load : message.loads) {
          loads[{load.sender, load.taker}] = load.size;
        }
        ASSERT_EQ((sent[{message.peer, rank}]), loads);
        held[static_cast<std::size_t>(rank)].merge(loads);
        ++received;
      }
    }
    ASSERT_EQ(received, sent.size());
  }
  for (Index rank = 0; rank < ranks; ++rank) {
    std::map<Pair, Index> wanted;
    for (const Piece& piece : pieces(to, from, rank)) wanted[{piece.peer, rank}] = piece.size;
    EXPECT_EQ(held[static_cast<std::size_t>(rank)], wanted);
  }
}

PlanRequest request_of(const std::string& problem, Index ranks) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.method = ExchangeMethod::point_to_point;
  return request;
}

TEST(Bruck, every_piece_comes_home) {
  int checked = 0;
  for (const char* const problem : {"c2c:12x8x6", "c2c:7x9x5", "c2c:144", "c2c:10x9"}) {
    for (const Index ranks : {3, 6, 7, 12}) {
      for (const NamedPlan& named : all_plans(request_of(problem, ranks))) {
        for (std::size_t i = 0; i < named.plan.steps().size(); ++i) {
          if (!std::holds_alternative<Exchange>(named.plan.steps()[i])) continue;
          for (const Index radix : {2, 3, 5}) {
            ++checked;
            follow(named.plan.states()[i].layout, named.plan.states()[i + 1].layout, ranks, radix);
            ASSERT_FALSE(HasFatalFailure()) << named.plan.to_text() << "radix " << radix;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(Bruck, plans_are_read_as_they_are_written) {
  int checked = 0;
  for (const char* const problem : {"c2c:12x8x6", "c2c:7x9x5", "r2c:8x6x4", "r2c:64"}) {
    for (const NamedPlan& named : all_plans(request_of(problem, 6))) {
      const Plan plan = named.plan.with_method(ExchangeMethod::bruck);
      for (std::size_t i = 0; i < plan.steps().size(); ++i) {
        const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
        if (exchange == nullptr) continue;
        EXPECT_EQ(exchange->method,
                  exchange->hermitian() ? ExchangeMethod::point_to_point : ExchangeMethod::bruck);
        if (exchange->hermitian()) {
          EXPECT_THROW(static_cast<void>(plan.with_radix(i, 2)), InternalError);
          continue;
        }
        ++checked;
        EXPECT_THROW(static_cast<void>(plan.with_radix(i, 1)), InternalError);
        const Plan other = plan.with_radix(i, 3);
        EXPECT_EQ(Plan::parse(other.to_text()), other);
        EXPECT_EQ(other.reversed().reversed(), other);
        EXPECT_EQ(other.with_method(ExchangeMethod::bruck), plan);
      }
      EXPECT_EQ(Plan::parse(plan.to_text()), plan);
      EXPECT_EQ(plan.with_method(ExchangeMethod::point_to_point),
                named.plan.with_method(ExchangeMethod::point_to_point));
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Bruck, more_ranks_than_can_be_listed_go_by_messages) {
  const Plan plan = make_plan(request_of("c2c:2048x2048", 2048));
  EXPECT_TRUE(plan.with_method(ExchangeMethod::bruck).goes_by(ExchangeMethod::point_to_point));
}

/// A network where starting a message is what costs.
MachineFigures slow_starts() {
  MachineFigures machine = built_in_machine().figures();
  machine.between_nodes.latency = 2e-6;
  machine.between_nodes.overhead = 1e-6;
  machine.between_nodes.gap = 2e-6;
  machine.between_nodes.per_byte = Curve(1e-10);
  machine.between_nodes.node_per_byte = 1e-10;
  return machine;
}

TEST(Bruck, are_taken_for_short_messages_with_the_cheapest_radix) {
  PlanRequest request = request_of("c2c:4096", 64);
  request.placement.ranks_per_node = 1;
  request.method = ExchangeMethod::any;
  request.machine = std::make_shared<const Machine>(slow_starts());
  const std::vector<NamedPlan> plans = all_plans(request);
  const Plan& best = plans.front().plan;
  ASSERT_EQ(best.exchanges(), 1) << best.to_text();
  ASSERT_TRUE(best.goes_by(ExchangeMethod::bruck)) << best.to_text();
  for (std::size_t i = 0; i < best.steps().size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&best.steps()[i]);
    if (exchange == nullptr) continue;
    // 16 bytes for everybody: by the formula alone. 14 messages in 2 rounds against 63.
    models::Network network;
    network.loggp = {2e-6, 1e-6, 2e-6, 1e-10};
    EXPECT_EQ(exchange->radix,
              models::cheapest_radix(models::Model::loggp, network, {64, 16}).radix);
    EXPECT_LT(exchange->traffic.most_messages_sent, 63);
    for (const Index radix : {2, 3, 4, 5, 6, 8, 12, 16, 32}) {
      EXPECT_LE(plans.front().cost.total.total(),
                price(best.with_radix(i, radix), slow_starts()).total.total() * (1 + 1e-12));
    }
  }
  // 64 kB for everybody.
  request.problem = Problem::parse("c2c:2^24");
  EXPECT_FALSE(make_plan(request).goes_by(ExchangeMethod::bruck));
}

TEST(Bruck, are_taken_where_they_are_asked_for) {
  for (const char* const problem : {"c2c:12x8x6", "c2c:64x64", "r2c:12x10x8"}) {
    PlanRequest request = request_of(problem, 8);
    request.method = ExchangeMethod::bruck;
    const Plan plan = make_plan(request);
    EXPECT_TRUE(plan.goes_by(ExchangeMethod::bruck)) << plan.to_text();
    // What is put together and what has arrived takes memory, which is announced.
    const Schedule stages = schedule(plan, false);
    EXPECT_GT(largest_workspace(plan, stages).transit, 0);
    EXPECT_EQ(workspace(plan.with_method(ExchangeMethod::point_to_point), stages, 0).transit, 0);
  }
  PlanRequest mirrored = request_of("r2c:256", 4);
  mirrored.method = ExchangeMethod::bruck;
  const Plan plan = make_plan(mirrored);
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange == nullptr) continue;
    EXPECT_EQ(exchange->method == ExchangeMethod::bruck, !exchange->hermitian());
  }
}

TEST(Bruck, are_priced_hop_by_hop) {
  // 8 ranks, 16 bytes for everybody, radix 2: 3 rounds of 1 message with 4 blocks. LogGP has
  // L + 2 o + (64 - 1) G for each.
  MachineFigures machine = slow_starts();
  machine.node.overlaps = false;
  PlanRequest request = request_of("c2c:64", 8);
  request.placement.ranks_per_node = 1;
  request.machine = std::make_shared<const Machine>(machine);
  const Plan plan = make_plan(request).with_method(ExchangeMethod::bruck);
  ASSERT_EQ(plan.exchanges(), 1) << plan.to_text();
  for (const StepCost& step : price(plan, machine).steps) {
    if (step.messages == 0) continue;
    EXPECT_EQ(step.messages, 8 * 3);
    EXPECT_EQ(step.bytes, 8 * 3 * 4 * 16);
    EXPECT_EQ(step.messages_between, step.messages);
    EXPECT_NEAR(step.cost.latency + step.cost.bandwidth - step.cost.hidden,
                3 * (2e-6 + 2 * 1e-6 + 63 * 1e-10), 3 * 64 * 1e-10);
  }
}

TEST(Bruck, are_priced_by_the_links_that_a_hop_shares) {
  // 64 nodes in 8 groups with 7 links each. Radix 8: of 56 messages that leave the ranks of a group
  // in the first round 28 stay and 28 go to the next group, 7 * 28 / 56 times what a link would
  // carry if all were as busy; in the second round 8 go to each other group. Radix 2: an eighth, a
  // quarter and a half to the next group, then three times all to one group. Links of groups reach
  // reached_inside_network of their rate.
  MachineFigures full = slow_starts();
  full.topology = Topology();
  MachineFigures grouped = full;
  grouped.topology.wiring = Wiring::dragonfly;
  grouped.topology.groups = 8;
  PlanRequest request = request_of("c2c:2^20", 64);
  request.placement.ranks_per_node = 1;
  const Plan plan = make_plan(request).with_method(ExchangeMethod::bruck);
  const auto carried = [&](const Machine& machine, Index radix) {
    double seconds = 0.;
    for (std::size_t i = 0; i < plan.steps().size(); ++i) {
      if (!std::holds_alternative<Exchange>(plan.steps()[i])) continue;
      seconds += price(plan.with_radix(i, radix), machine).total.bandwidth;
    }
    return seconds;
  };
  ASSERT_EQ(plan.exchanges(), 1) << plan.to_text();
  EXPECT_NEAR(carried(grouped, 8) / carried(full, 8), (3.5 + 1.) / 2. / reached_inside_network,
              0.01);
  EXPECT_NEAR(carried(grouped, 2) / carried(full, 2),
              (0.875 + 1.75 + 3.5 + 3 * 7.) / 6. / reached_inside_network, 0.01);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "planner/variants.hpp"

#include <gtest/gtest.h>

#include <set>

#include "machine/network.hpp"

namespace kallima {
namespace {

PlanRequest asked(const std::string& problem, Index ranks, Index per_node) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.placement.ranks_per_node = per_node;
  request.machine =
      std::make_shared<const Machine>(with_network(built_in_machine(), {false, 10e9}));
  return request;
}

/// Methods and parts of all exchanges.
std::vector<std::pair<ExchangeMethod, Index>> manners(const Plan& plan) {
  std::vector<std::pair<ExchangeMethod, Index>> result;
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange != nullptr) result.emplace_back(exchange->method, exchange->chunks.parts());
  }
  return result;
}

TEST(Variants, have_the_same_states_and_differ_in_how_they_exchange) {
  for (const char* const problem : {"c2c:64^3", "r2c:96x80x70", "c2c:2^16", "c2c:30x30:f32"}) {
    for (const auto& [ranks, per_node] : {std::pair<Index, Index>{2, 1}, {4, 2}, {4, 4}, {6, 1}}) {
      const PlanRequest request = asked(problem, ranks, per_node);
      const Plan plan = make_plan(request);
      const std::vector<Plan> all = variants_of(plan, request, 5);
      EXPECT_LE(all.size(), 5U);
      EXPECT_GE(all.size(), 2U) << problem << " on " << ranks;
      EXPECT_EQ(all.front(), plan);
      std::set<std::vector<std::pair<ExchangeMethod, Index>>> seen;
      for (const Plan& variant : all) {
        EXPECT_EQ(variant.states(), plan.states());
        EXPECT_TRUE(seen.insert(manners(variant)).second);
      }
    }
  }
}

TEST(Variants, are_only_those_that_a_request_leaves_open) {
  PlanRequest request = asked("c2c:64^3", 4, 1);
  request.method = ExchangeMethod::alltoallv;
  EXPECT_EQ(variants_of(make_plan(request), request, 5).size(), 1U);
  request.method = ExchangeMethod::point_to_point;
  request.chunks = 4;
  for (const Plan& variant : variants_of(make_plan(request), request, 5)) {
    for (const auto& [method, parts] : manners(variant)) {
      EXPECT_EQ(method, ExchangeMethod::point_to_point);
      EXPECT_GT(parts, 1);
    }
  }
}

std::vector<LineEngine> engines(const Plan& plan) {
  std::vector<LineEngine> result;
  for (const Step& step : plan.steps()) {
    if (const auto* const sweep = std::get_if<Sweep>(&step)) result.push_back(sweep->engine);
  }
  return result;
}

TEST(Variants, have_the_engines_of_their_plan_and_so_its_bits) {
  for (const LineEngine engine : {LineEngine::any, LineEngine::fftw, LineEngine::kernels}) {
    PlanRequest request = asked("c2c:96^3", 4, 1);
    request.engine = engine;
    const Plan plan = make_plan(request);
    for (const Plan& variant : variants_of(plan, request, 5)) {
      EXPECT_EQ(engines(variant), engines(plan));
    }
  }
}

TEST(Variants, to_time_are_by_both_engines_where_the_request_leaves_that_open) {
  PlanRequest request = asked("c2c:128^3", 2, 2);
  const auto all = [&] {
    std::set<std::vector<LineEngine>> result;
    for (const NamedPlan& each : plans_to_time(request, 1.5, 5)) result.insert(engines(each.plan));
    return result;
  };
  EXPECT_EQ(all().size(), 2U);
  EXPECT_EQ(plans_to_time(request, 0., 5).front().plan, make_plan(request));
  for (const LineEngine engine : {LineEngine::fftw, LineEngine::kernels}) {
    request.engine = engine;
    EXPECT_EQ(all().size(), 1U);
  }
}

TEST(Variants, to_time_are_in_chunks_and_in_one_piece) {
  const std::vector<NamedPlan> plans = plans_to_time(asked("c2c:128^3", 4, 1), 0.2, 5);
  std::set<bool> cut;
  for (const NamedPlan& each : plans) cut.insert(manners(each.plan).front().second > 1);
  EXPECT_EQ(cut.size(), 2U);
  EXPECT_LE(plans.size(), 5U);
  EXPECT_EQ(plans.front().plan, make_plan(asked("c2c:128^3", 4, 1)));
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that turn, all ranks in one process: there and back is N times what was given, and what is
// done at the turn is done to every frequency.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "kallima/price.hpp"
#include "plan/flaw.hpp"

namespace kallima {
namespace {

/// Runs a plan that turns, without work at the turn: the largest difference to N times the input.
double distance(const Plan& plan) {
  using Numbers = std::vector<std::complex<double>>;
  std::vector<Numbers> in;
  std::vector<Numbers> out;
  std::vector<const std::complex<double>*> sources;
  std::vector<std::complex<double>*> targets;
  const bool complex = plan.states().front().element.complex;
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const auto size = static_cast<std::size_t>(plan.input().allocated_size(rank));
    Numbers data(complex ? size : (size + 1) / 2);
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = {std::sin(static_cast<double>(3 * i + 1)), std::cos(static_cast<double>(5 * i))};
    }
    out.emplace_back(data.size());
    in.push_back(std::move(data));
  }
  for (std::size_t r = 0; r < in.size(); ++r) {
    sources.push_back(in[r].data());
    targets.push_back(out[r].data());
  }
  exec::Loopback<double> loopback(plan, false);
  loopback.run(sources, targets, 1. / static_cast<double>(plan.problem().logical_size()));
  double most = 0.;
  for (std::size_t r = 0; r < in.size(); ++r) {
    const auto size = static_cast<std::size_t>(plan.input().allocated_size(static_cast<Index>(r)));
    const auto* const is = reinterpret_cast<const double*>(out[r].data());
    const auto* const was = reinterpret_cast<const double*>(in[r].data());
    for (std::size_t i = 0; i < size * (complex ? 2 : 1); ++i) {
      most = std::max(most, std::abs(is[i] - was[i]));
    }
  }
  return most;
}

TEST(Turn, there_and_back_restores_the_input_and_has_a_text) {
  int turned = 0;
  for (const char* const text : {"c2c:12x10x8", "c2c:64", "c2c:48x20", "r2c:12x10x8", "r2c:20",
                                 "r2c:64", "r2c/y:9x7", "r2r/cosine-2:8x9", "r2r/sine-1,x=none:9x7",
                                 "c2c/x=cosine-1:8x9x5", "c2c:6x5*3", "c2c:16x16x1", "r2c:1x12"}) {
    for (Index ranks = 1; ranks <= 6; ++ranks) {
      for (const NamedPlan& named : all_plans([&] {
             PlanRequest request;
             request.problem = Problem::parse(text);
             request.ranks = ranks;
             return request;
           }())) {
        const std::optional<Plan> plan = named.plan.there_and_back();
        if (!plan) continue;
        ++turned;
        ASSERT_EQ(flaw_of(*plan), "") << plan->to_text();
        ASSERT_EQ(Plan::parse(plan->to_text()), *plan) << plan->to_text();
        ASSERT_EQ(plan->input(), plan->output());
        ASSERT_LE(plan->exchanges(), 2 * named.plan.exchanges());
        ASSERT_LE(distance(*plan), 1e-13) << plan->to_text();
        const PlanCost cost = price(*plan, built_in_machine());
        ASSERT_EQ(cost.bytes(), plan->total_volume().bytes);
        // A pass less than forward and backward, unless the last sweep shared one; of more memory
        // between them, which makes passes a little dearer.
        const auto* const last = std::get_if<Sweep>(&named.plan.steps().back());
        if (last == nullptr || last->joined) continue;
        ASSERT_LE(cost.total.total(), 2.05 * price(named.plan, built_in_machine()).total.total());
      }
    }
  }
  EXPECT_GE(turned, 150);
}

TEST(Turn, is_refused_where_no_sweep_computes_last) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8");
  request.ranks = 2;
  request.in = request.out = Layout::slab({8, 8}, 2);  // ends with an exchange and a copy
  EXPECT_FALSE(make_plan(request).there_and_back());
  const Plan backward = make_plan(request).reversed();
  EXPECT_FALSE(backward.there_and_back());
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Plans over split axes, all ranks in one process: the promised number of exchanges, counted, and
// the right result in the promised layout.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "support/reference.hpp"

namespace kallima {
namespace {

using test::flat_part;
using test::promised_error;
using test::reference;
using test::sample;

struct Outcome {
  double error = 0.0;       // relative L2, forward
  double round_trip = 0.0;  // relative L2, forward and back
  Index exchanges = 0;      // counted by rank 0
};

/// Runs a plan forward and its reverse on loopback.
Outcome run(const Plan& plan, bool in_place = false) {
  constexpr std::uint64_t seed = 7;
  const auto ranks = static_cast<std::size_t>(plan.ranks());
  std::vector<std::vector<std::complex<double>>> in(ranks);
  std::vector<std::vector<std::complex<double>>> out(ranks);
  std::vector<const std::complex<double>*> sources(ranks);
  std::vector<std::complex<double>*> targets(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.input(), static_cast<Index>(r));
    const auto held = static_cast<std::size_t>(plan.output().local_size(static_cast<Index>(r)));
    for (const Index flat : flats) in[r].push_back(sample<double>(seed, flat));
    in[r].resize(std::max(in[r].size(), held));
    out[r].resize(in[r].size());
    sources[r] = in[r].data();
    targets[r] = in_place ? in[r].data() : out[r].data();
  }
  exec::Loopback<double> forward(plan, in_place);
  forward.run(sources, targets, 1.0);
  const auto expected = reference<double>(plan.problem(), seed);
  Outcome outcome;
  outcome.exchanges = forward.counters(0).exchanges;
  long double wrong = 0.0L;
  long double norm = 0.0L;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.output(), static_cast<Index>(r));
    for (std::size_t i = 0; i < flats.size(); ++i) {
      const std::complex<long double> want = expected[static_cast<std::size_t>(flats[i])];
      wrong += std::norm(std::complex<long double>(targets[r][i]) - want);
      norm += std::norm(want);
    }
  }
  outcome.error = static_cast<double>(std::sqrt(wrong / norm));

  const Plan back = plan.reversed();
  exec::Loopback<double> backward(back, true);
  std::vector<const std::complex<double>*> again(targets.begin(), targets.end());
  backward.run(again, targets, 1.0 / static_cast<double>(plan.problem().elements()));
  wrong = norm = 0.0L;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.input(), static_cast<Index>(r));
    for (std::size_t i = 0; i < flats.size(); ++i) {
      const std::complex<long double> want(sample<double>(seed, flats[i]));
      wrong += std::norm(std::complex<long double>(targets[r][i]) - want);
      norm += std::norm(want);
    }
  }
  outcome.round_trip = static_cast<double>(std::sqrt(wrong / norm));
  return outcome;
}

PlanRequest same_layout(const Shape& shape, const Layout& layout, Index ranks) {
  PlanRequest request;
  request.problem = {shape, Precision::f64};
  request.ranks = ranks;
  request.in = layout;
  request.out = layout;
  return request;
}

void expect_right(const Plan& plan, const std::string& what) {
  const double promised = promised_error(Precision::f64, plan.problem().elements());
  for (const bool in_place : {false, true}) {
    const Outcome outcome = run(plan, in_place);
    EXPECT_EQ(outcome.exchanges, plan.exchanges()) << what;
    EXPECT_LE(outcome.error, promised) << what << "\n" << plan.to_text();
    EXPECT_LE(outcome.round_trip, 2.0 * promised) << what << "\n" << plan.to_text();
  }
  EXPECT_EQ(Plan::parse(plan.to_text()), plan);
  EXPECT_EQ(Plan::parse(plan.reversed().to_text()), plan.reversed());
}

/// The least t with (n/p)^t >= p (Bisseling, section 3.4).
Index exchanges_of(Index n, Index p) {
  Index t = 0;
  for (Index reach = 1; reach < p; reach *= n / p) ++t;
  return t;
}

TEST(Cyclic, one_axis_takes_t_exchanges_for_powers_of_two) {
  for (Index n = 2; n <= 4096; n *= 2) {
    for (Index p = 1; p <= 64 && p < n; p *= 2) {
      const Layout cyclic = Layout::cyclic({n}, {p});
      const Plan plan = make_plan(same_layout({n}, cyclic, p));
      EXPECT_EQ(plan.exchanges(), exchanges_of(n, p)) << n << " over " << p;
      EXPECT_EQ(plan.output(), cyclic);
      expect_right(plan, std::to_string(n) + " over " + std::to_string(p));
    }
  }
}

TEST(Cyclic, one_axis_takes_one_exchange_if_the_square_of_procs_divides_it) {
  for (Index n = 1; n <= 150; ++n) {
    for (Index p = 2; p <= 12; ++p) {
      const Plan plan = make_plan(same_layout({n}, Layout::cyclic({n}, {p}), p));
      if (n > 1) {
        EXPECT_EQ(plan.exchanges() == 1, n % (p * p) == 0) << n << " over " << p;
      }
      expect_right(plan, std::to_string(n) + " over " + std::to_string(p));
    }
  }
}

TEST(Cyclic, a_long_axis_is_split_near_its_root) {
  for (const Index p : {2, 3, 4, 6}) {
    for (const Index n : {2048 * p, 2052 * p, 4096 * p, 6000 * p, 2053 * p * p, 2048 * p * p}) {
      if (n % (p * p) != 0) continue;
      const Plan plan = make_plan(same_layout({n}, Layout::cyclic({n}, {p}), p));
      EXPECT_EQ(plan.exchanges(), 1) << n << " over " << p;
      Index longest = 0;
      for (std::size_t i = 0; i < plan.steps().size(); ++i) {
        const auto* const sweep = std::get_if<Sweep>(&plan.steps()[i]);
        if (sweep == nullptr) continue;
        const Shape& radices = plan.states()[i].layout.shape();
        longest = std::max(longest, radices[static_cast<std::size_t>(sweep->digit)]);
      }
      const bool splits = n / p > 2048 && n % 2053 != 0;
      EXPECT_EQ(longest <= 2048 && longest < n / p, splits) << plan.to_text();
      expect_right(plan, std::to_string(n) + " over " + std::to_string(p));
      expect_right(plan.with_method(ExchangeMethod::shared_memory),
                   std::to_string(n) + " by segments");
    }
  }
}

TEST(Cyclic, blocks_in_and_out_take_three_exchanges) {
  for (const Index p : {2, 3, 4, 6}) {
    for (const Index n : {p * p, 2 * p * p, 5 * p * p}) {
      const Plan plan = make_plan(same_layout({n}, Layout::block({n}, {p}), p));
      EXPECT_EQ(plan.exchanges(), 3) << n << " over " << p;
      expect_right(plan, std::to_string(n) + " in blocks over " + std::to_string(p));
    }
  }
}

TEST(Cyclic, blocks_in_and_any_out_take_two_exchanges_and_end_in_cards) {
  PlanRequest request = same_layout({144}, Layout::block({144}, {4}), 4);
  request.out.reset();
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.exchanges(), 2);
  EXPECT_EQ(plan.output(), Layout::cyclic({144}, {4}));
  expect_right(plan, "144 from blocks to any");
}

TEST(Cyclic, several_axes_take_one_exchange_together) {
  const std::vector<std::pair<Shape, std::vector<Index>>> cases = {
      {{16}, {4}},
      {{16, 36}, {2, 3}},
      {{8, 9, 4}, {2, 3, 2}},
      {{4, 9, 4, 8}, {2, 1, 2, 2}},
      {{12, 5, 18}, {2, 1, 3}},  // mixed: an axis that is whole between two that are cyclic
      {{7, 16}, {1, 4}},
  };
  for (const auto& [shape, procs] : cases) {
    const Layout cyclic = Layout::cyclic(shape, procs);
    PlanRequest request = same_layout(shape, cyclic, cyclic.ranks());
    const Plan plan = make_plan(request);
    EXPECT_EQ(plan.exchanges(), 1) << plan.to_text();
    EXPECT_EQ(plan.output(), cyclic);
    expect_right(plan, plan.problem().to_text());
    std::vector<int> backwards;
    for (std::size_t a = shape.size(); a-- > 0;) backwards.push_back(static_cast<int>(a));
    request.in = cyclic.with_order(backwards);
    request.out = request.in;
    const Plan turned = make_plan(request);
    EXPECT_EQ(turned.exchanges(), 1);
    expect_right(turned, "turned " + plan.problem().to_text());
  }
}

TEST(Cyclic, axes_of_different_exchanges_ride_together) {
  const Layout cyclic = Layout::cyclic({8, 64}, {4, 2});  // 2 and 1 exchanges alone
  const Plan plan = make_plan(same_layout({8, 64}, cyclic, 8));
  EXPECT_EQ(plan.exchanges(), 2);
  expect_right(plan, "8x64");
}

TEST(Cyclic, every_way_of_every_small_problem_is_right) {
  for (const Shape& shape :
       std::vector<Shape>{{16}, {12}, {7}, {6, 8}, {4, 5}, {4, 6, 9}, {1, 16}}) {
    for (const Index ranks : {1, 2, 3, 4, 6}) {
      PlanRequest request;
      request.problem = {shape, Precision::f64};
      request.ranks = ranks;
      for (const NamedPlan& named : all_plans(request)) {
        expect_right(named.plan, std::string(name_of(named.decomposition)) + " " +
                                     request.problem.to_text() + " on " + std::to_string(ranks));
      }
    }
  }
}

}  // namespace
}  // namespace kallima

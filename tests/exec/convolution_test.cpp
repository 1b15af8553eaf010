// SPDX-License-Identifier: BSD-3-Clause
//
// Axes of any length as convolutions (Bluestein's algorithm), all ranks in one process.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kallima/error.hpp"
#include "plan_checks.hpp"
#include "steps/digits.hpp"
#include "support/definition.hpp"
#include "support/random.hpp"

namespace kallima {
namespace {

using test::complaint_of;
using test::request_of;

PlanRequest convolution_of(const std::string& problem, Index ranks) {
  PlanRequest request = request_of(Problem::parse(problem), ranks);
  request.decomposition = Decomposition::convolution;
  return request;
}

void expect_right(const Plan& plan) {
  test::expect_sound(plan);
  ASSERT_TRUE(plan.convolves());
  ASSERT_EQ(complaint_of(plan), "") << plan.to_text();
}

/// Between ranks of two nodes, and in all layouts that one axis has.
TEST(Convolution, every_method_and_layout_gives_the_same) {
  const std::vector<const char*> layouts = {"x:block/3", "x:cyclic/2", "x:all", "x:cyclic/4",
                                            "x:cycle2/4"};
  for (const char* const text : {"c2c:101", "r2c:101", "c2c:101:f32", "r2c:102"}) {
    const Problem problem = Problem::parse(text);
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      PlanRequest request = convolution_of(text, 4);
      request.in = Layout::parse(layouts[i], problem.shape);
      if (i != 1) {
        request.out = Layout::parse(layouts[(i + 2) % layouts.size()], problem.frequency_shape());
      }
      request.placement.ranks_per_node = 2;
      for (const ExchangeMethod method :
           {ExchangeMethod::any, ExchangeMethod::point_to_point, ExchangeMethod::shared_memory,
            ExchangeMethod::alltoallv, ExchangeMethod::bruck, ExchangeMethod::node_aggregated}) {
        request.method = method;
        request.chunks = method == ExchangeMethod::point_to_point ? 3 : 0;
        expect_right(make_plan(request));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Every length to 600, complex and real. Beyond 64 on every `stride`-th number of ranks to 8,
/// other ones for each length.
void expect_lengths_right(Index stride) {
  for (Index n = 2; n <= 600; ++n) {
    for (const bool real : {false, true}) {
      const Index step = n <= 64 ? 1 : stride;
      for (Index ranks = 1 + (n + (real ? step / 2 : 0)) % step; ranks <= 8; ranks += step) {
        const Plan plan =
            make_plan(convolution_of((real ? "r2c:" : "c2c:") + std::to_string(n), ranks));
        expect_right(plan);
        if (testing::Test::HasFatalFailure()) return;
        ASSERT_GE(plan.points(), least_points(n, real));
      }
    }
  }
}

TEST(Convolution, every_length_on_up_to_8_ranks) { expect_lengths_right(8); }

/// Half a minute; --gtest_also_run_disabled_tests.
TEST(Convolution, DISABLED_every_length_on_every_number_of_ranks) { expect_lengths_right(1); }

Index next_prime(Index n) {
  for (;; ++n) {
    bool prime = n > 1;
    for (Index i = 2; prime && i * i <= n; ++i) prime = n % i != 0;
    if (prime) return n;
  }
}

using Exact = std::complex<long double>;

/// The k-th frequency by its definition.
Exact frequency(const std::vector<std::complex<double>>& x, Index k) {
  const auto n = static_cast<Index>(x.size());
  Exact sum{};
  for (Index j = 0; j < n; ++j) {
    const long double angle = -2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(j * k % n) / static_cast<long double>(n);
    sum += Exact(x[static_cast<std::size_t>(j)]) * Exact(std::cos(angle), std::sin(angle));
  }
  return sum;
}

/// 40 primes up to 10^6, each a fifth larger than the one before: sampled frequencies, and all of
/// what comes back, within the promised error. On these ranks, of 1 to 8: the i-th prime on every
/// `stride`-th number from 1 + i % stride.
void expect_primes_right(Index stride) {
  constexpr int samples = 4;
  double size = 614.;
  for (int i = 0; i < 40; ++i, size *= 1.208) {
    const Index n = next_prime(static_cast<Index>(size));
    ASSERT_LE(n, 1'000'003);
    test::Random random(static_cast<std::uint64_t>(n));
    std::vector<std::complex<double>> x(static_cast<std::size_t>(n));
    double norm = 0.;
    for (auto& value : x) {
      value = {random.real(), random.real()};
      norm += std::norm(value);
    }
    std::vector<std::pair<Index, Exact>> wanted;
    for (int s = 0; s < samples; ++s) {
      const Index k = random.between(0, n - 1);
      wanted.emplace_back(k, frequency(x, k));
    }
    for (Index ranks = 1 + i % stride; ranks <= 8; ranks += stride) {
      const Plan plan = make_plan(convolution_of("c2c:" + std::to_string(n), ranks));
      const double promised = promised_error(plan);
      const std::vector<std::complex<double>> there = test::run_plan(plan, x);
      long double apart = 0;
      for (const auto& [k, value] : wanted) {
        apart += std::norm(Exact(there[static_cast<std::size_t>(k)]) - value);
      }
      // Each frequency has a share of the norm: n times that of the input, over n of them.
      ASSERT_LE(std::sqrt(static_cast<double>(apart) / samples), promised * std::sqrt(norm)) << n;
      const std::vector<std::complex<double>> back = test::run_plan(plan.reversed(), there);
      double returned = 0.;
      for (std::size_t j = 0; j < x.size(); ++j) {
        returned += std::norm(back[j] / static_cast<double>(n) - x[j]);
      }
      ASSERT_LE(std::sqrt(returned / norm), 2 * promised) << n;
    }
  }
}

TEST(Convolution, primes_are_as_accurate_as_is_promised) { expect_primes_right(8); }

/// A minute, likewise.
TEST(Convolution, DISABLED_primes_on_every_number_of_ranks) { expect_primes_right(1); }

TEST(Convolution, is_taken_where_it_is_cheaper_than_gathering) {
  // On a machine whose links are slow a long prime is dearer to move twice than to wait for.
  PlanRequest request = request_of(Problem::parse("c2c:1000003"), 64);
  request.in = Layout::block({1'000'003}, {64});
  request.out = request.in;
  const std::vector<NamedPlan> plans = all_plans(request);
  const auto cheapest = [&](bool convolves) {
    double best = std::numeric_limits<double>::infinity();
    for (const NamedPlan& named : plans) {
      if (named.plan.convolves() == convolves) {
        best = std::min(best, named.cost.total.total());
      }
    }
    return best;
  };
  EXPECT_EQ(make_plan(request).convolves(), cheapest(true) < cheapest(false));
  EXPECT_LT(cheapest(true), cheapest(false)) << "64 ranks compute faster than one";
}

TEST(Convolution, axes_that_split_are_not_convolved) {
  for (const char* const text : {"c2c:4096", "r2c:4096", "c2c:1000000"}) {
    EXPECT_FALSE(make_plan(request_of(Problem::parse(text), 4)).convolves()) << text;
  }
}

TEST(Convolution, more_axes_than_one_are_refused) {
  EXPECT_THROW(make_plan(convolution_of("c2c:11x13", 4)), InvalidOption);
  EXPECT_THROW(make_plan(convolution_of("c2c/x=cosine-1:11", 4)), InvalidOption);
  EXPECT_THROW(make_plan(convolution_of("c2c/k=3:11", 4)), InvalidOption);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Axes of every kind, all ranks in one process, against sums term by term.
#include <gtest/gtest.h>

#include "plan_checks.hpp"
#include "support/definition.hpp"
#include "support/random.hpp"

namespace kallima {
namespace {

using test::complaint_of;
using test::request_of;

const std::vector<AxisKind> trigonometric_kinds = {
    AxisKind::cosine_1, AxisKind::cosine_2, AxisKind::cosine_3, AxisKind::cosine_4,
    AxisKind::sine_1,   AxisKind::sine_2,   AxisKind::sine_3,   AxisKind::sine_4};

const std::vector<ExchangeMethod> methods = {ExchangeMethod::point_to_point,
                                             ExchangeMethod::shared_memory,
                                             ExchangeMethod::alltoallv, ExchangeMethod::bruck};

Plan checked_plan(const PlanRequest& request) {
  Plan plan = make_plan(request);
  test::expect_sound(plan);
  return plan;
}

TEST(Kinds, cosines_and_sines_of_every_length_to_64_are_the_definition) {
  for (const AxisKind kind : trigonometric_kinds) {
    for (Index n = kind == AxisKind::cosine_1 ? 2 : 1; n <= 64; ++n) {
      for (const Kind numbers : {Kind::r2r, Kind::c2c}) {
        for (const Precision precision : {Precision::f64, Precision::f32}) {
          const Problem problem{{n}, precision, numbers, -1, {kind}};
          const Plan plan = checked_plan(request_of(problem, 1));
          ASSERT_EQ(complaint_of(plan), "") << plan.to_text();
        }
      }
    }
  }
}

TEST(Kinds, of_two_axes_one_lies_across_memory) {
  for (const AxisKind kind : trigonometric_kinds) {
    for (const Index n : {2, 3, 8, 17, 33}) {
      for (const Index lines : {1, 7, 40}) {
        for (const Kind numbers : {Kind::r2r, Kind::c2c}) {
          const Problem problem{{n, lines}, Precision::f64, numbers, -1, {kind, AxisKind::none}};
          const Plan plan = checked_plan(request_of(problem, 1));
          ASSERT_EQ(complaint_of(plan), "") << plan.to_text();
        }
      }
    }
  }
}

/// Kinds that go together with the kind of a problem.
std::vector<AxisKind> random_axes(test::Random& random, const Problem& problem) {
  std::vector<AxisKind> all = trigonometric_kinds;
  all.insert(all.end(), {AxisKind::none, AxisKind::none, AxisKind::batch});
  if (problem.kind != Kind::r2r) all.insert(all.end(), 5, AxisKind::fourier);
  std::vector<AxisKind> axes;
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    AxisKind kind = random.pick(all);
    if (kind == AxisKind::cosine_1 && problem.shape[a] == 1) kind = AxisKind::sine_1;
    if (problem.real() && a == problem.r2c_axis_index()) kind = AxisKind::real;
    axes.push_back(kind);
  }
  return axes;
}

TEST(Kinds, mixed_axes_are_the_definition_on_any_number_of_ranks_by_every_method) {
  test::Random random(3);
  for (int number = 0; number < 300; ++number) {
    Problem problem;
    problem.kind = random.pick<Kind>({Kind::c2c, Kind::r2c, Kind::r2r});
    problem.precision = random.pick<Precision>({Precision::f32, Precision::f64});
    const Index axes = random.between(1, 4);
    for (Index a = 0; a < axes; ++a) {
      Index n = random.pick<Index>({1, 2, 3, 4, 5, 8, 9, 12, 16});
      while (volume(problem.shape) * n > 600) n = (n + 1) / 2;
      problem.shape.push_back(n);
    }
    if (problem.real()) problem.r2c_axis = static_cast<int>(random.between(0, axes - 1));
    problem.axes = random_axes(random, problem);
    PlanRequest request = request_of(problem, random.between(1, 6));
    request.method = random.pick(methods);
    if (random.chance(30)) {
      request.in = Layout::slab(problem.shape, request.ranks,
                                static_cast<std::size_t>(random.between(0, axes - 1)));
    }
    const Plan plan = checked_plan(request);
    ASSERT_EQ(complaint_of(plan), "") << plan.to_text();
    const Problem again = Problem::parse(problem.to_text());
    ASSERT_EQ(again, problem) << problem.to_text();
  }
}

TEST(Kinds, along_an_axis_that_is_left_alone_nothing_is_exchanged) {
  for (const char* const problem :
       {"c2c/z=none:8x12x10", "c2c/x=none:10x12x8", "r2c/y=none:10x8x12", "c2c:2^10x16*8"}) {
    PlanRequest request = request_of(Problem::parse(problem), 4);
    const Plan plan = make_plan(request);
    const bool batch = plan.problem().axis_kind(0) == AxisKind::batch;
    EXPECT_EQ(plan.exchanges(), batch ? 1 : 0) << plan.to_text();
    for (std::size_t a = 0; a < plan.problem().shape.size(); ++a) {
      if (plan.problem().axis_kind(a) != AxisKind::batch) continue;
      EXPECT_TRUE(plan.input().whole(a) && plan.output().whole(a)) << plan.to_text();
    }
  }
}

TEST(Kinds, a_batch_of_lines_is_distributed_cyclically_along_them) {
  const Plan plan = make_plan(request_of(Problem::parse("c2c:2^12*3"), 4));
  EXPECT_EQ(plan.input(), Layout::cyclic({3, 4096}, {1, 4})) << plan.to_text();
  EXPECT_EQ(plan.exchanges(), 1);
  ASSERT_EQ(complaint_of(plan), "");
}

TEST(Kinds, what_is_not_to_be_done_along_an_axis_is_a_flaw) {
  const Problem problem = Problem::parse("c2c/x=cosine-2:4x6");
  const Layout layout = Layout::block(problem.shape, {1, 1});
  const auto plan_with = [&](Kernel first, Kernel second) {
    Sweep along_x;
    along_x.kernel = first;
    along_x.digit = 1;
    Sweep along_y;
    along_y.kernel = second;
    along_y.digit = 0;
    return Plan(problem, Direction::forward, 1, {}, layout, {along_x, along_y});
  };
  EXPECT_EQ(flaw_of(plan_with(Kernel::cosine_2, Kernel::fourier)), "");
  EXPECT_NE(flaw_of(plan_with(Kernel::cosine_3, Kernel::fourier)), "");
  EXPECT_NE(flaw_of(plan_with(Kernel::fourier, Kernel::fourier)), "");
  EXPECT_NE(flaw_of(plan_with(Kernel::cosine_2, Kernel::cosine_2)), "");
}

}  // namespace
}  // namespace kallima

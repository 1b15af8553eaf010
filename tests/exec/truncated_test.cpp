// SPDX-License-Identifier: BSD-3-Clause
//
// Truncated axes, all ranks in one process: forward the frequencies that are kept of the whole
// transform, backward what is left where all others are 0.
#include <gtest/gtest.h>

#include "plan_checks.hpp"
#include "support/definition.hpp"

namespace kallima {
namespace {

using test::complaint_of;
using test::request_of;

void expect_right(const Plan& plan) {
  test::expect_sound(plan);
  ASSERT_EQ(complaint_of(plan), "") << plan.to_text();
}

TEST(Truncated, one_axis_of_every_length_keeps_what_it_should) {
  for (Index n = 1; n <= 17; ++n) {
    for (Index most = 0; most <= n / 2; ++most) {
      for (const Kind kind : {Kind::c2c, Kind::r2c}) {
        for (const Shape& shape : {Shape{n}, Shape{n, 5}, Shape{5, n}}) {
          Problem problem{shape, Precision::f64, kind};
          problem.r2c_axis = shape.front() == n ? 0 : 1;
          problem.keep.assign(shape.size(), -1);
          problem.keep[static_cast<std::size_t>(problem.r2c_axis)] = most;
          for (const Index ranks : {1, 3}) {
            expect_right(make_plan(request_of(problem, ranks)));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Truncated, every_way_and_method_gives_the_same) {
  for (const char* const text :
       {"c2c/k=2:8x9x10", "r2c/k=3:8x9x10", "c2c/kz=1,kx=4:8x9x10:f32", "r2c/z,kz=2,kx=2:8x9x10",
        "c2c/k=3,y=cosine-1:8x9x10", "r2c/ky=0:8x9x6*2"}) {
    for (Index ranks = 1; ranks <= 6; ++ranks) {
      PlanRequest request = request_of(Problem::parse(text), ranks);
      request.placement.ranks_per_node = 2;
      for (const NamedPlan& named : all_plans(request)) {
        expect_right(named.plan);
        if (const std::optional<Plan> turning = named.plan.there_and_back()) {
          ASSERT_EQ(Plan::parse(turning->to_text()), *turning);
          ASSERT_EQ(complaint_of(*turning), "") << turning->to_text();
        }
        if (HasFatalFailure()) return;
      }
      for (const ExchangeMethod method : {ExchangeMethod::shared_memory, ExchangeMethod::alltoallv,
                                          ExchangeMethod::bruck, ExchangeMethod::node_aggregated}) {
        request.method = method;
        expect_right(make_plan(request));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Truncated, two_thirds_of_real_data_move_fewer_bytes) {
  // Slabs: two axes have lost a third each before the only exchange. Pencils: one before the first
  // exchange, two before the second.
  const auto bytes = [](const char* text, Decomposition decomposition) {
    PlanRequest request = request_of(Problem::parse(text), 16);
    request.decomposition = decomposition;
    request.method = ExchangeMethod::point_to_point;
    return static_cast<double>(make_plan(request).total_volume().bytes);
  };
  EXPECT_LE(bytes("r2c/k=31:96^3", Decomposition::slab),
            0.45 * bytes("r2c:96^3", Decomposition::slab));
  EXPECT_LE(bytes("r2c/k=31:96^3", Decomposition::pencil),
            0.57 * bytes("r2c:96^3", Decomposition::pencil));
}

}  // namespace
}  // namespace kallima

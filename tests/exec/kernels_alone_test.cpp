// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that have no line transformed by FFTW, of lengths and kinds that there are no kernels for.
#include <gtest/gtest.h>

#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "support/definition.hpp"

namespace kallima {
namespace {

TEST(KernelsAlone, plans_of_any_length_and_kind_are_right) {
  for (const char* const text :
       {"c2c:17x34", "c2c:3x19x11:f32", "r2c:23x31", "r2c:10x9:f32", "r2c:7x34x5",
        "r2r/cosine-2:19x16", "r2r/sine-4:9x17:f32", "c2c/x=cosine-1,y=sine-3:18x23"}) {
    for (const Index ranks : {1, 2, 3}) {
      PlanRequest request;
      request.problem = Problem::parse(text);
      request.ranks = ranks;
      request.engine = LineEngine::kernels;
      const Plan plan = make_plan(request);
      EXPECT_EQ(test::complaint_of(plan), "") << text << " on " << ranks;
      EXPECT_EQ(Plan::parse(plan.to_text()), plan);
      for (const Step& step : plan.steps()) {
        const auto* const sweep = std::get_if<Sweep>(&step);
        if (sweep == nullptr || sweep->kernel == Kernel::none) continue;
        EXPECT_EQ(sweep->engine, LineEngine::kernels) << text;
      }
    }
  }
}

TEST(KernelsAlone, fftw_is_refused_where_there_is_none) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8");
  request.engine = LineEngine::fftw;
  if (has_engine(LineEngine::fftw)) {
    EXPECT_NO_THROW(make_plan(request));
  } else {
    EXPECT_THROW(make_plan(request), InvalidOption);
  }
}

}  // namespace
}  // namespace kallima

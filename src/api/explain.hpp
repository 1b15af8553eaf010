// SPDX-License-Identifier: BSD-3-Clause
//
// Prices beside measurements, for people.
#pragma once

#include <string>

#include "kallima/price.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// A table with a line for each stage: priced, measured, their ratio, and what binds. Where a copy
/// of a rank's share takes `copy` seconds, also how many copies each took.
std::string explained(const Machine& machine, const PlanCost& cost, const Timings& took,
                      double copy = 0.);

/// A plan that was tried in runs of a transform that learns.
struct LearnedPlan {
  Plan plan;
  double seconds = 0.;  ///< 0: not timed yet
  bool chosen = false;
};

/// "point-to-point in 4 x 4 chunks": how the exchanges of a plan go.
std::string manner_of(const Plan& plan);

/// What a transform tried in so many runs, and what stays. Empty where there is nothing.
std::string learned_text(const std::vector<LearnedPlan>& plans, Index runs, bool done);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a plan can be run and computes its problem. That each step fits the state before it holds
// for every Plan (plan.cpp); what concerns several steps at once is here. The planner writes plans
// that are like this. A text, a file of wisdom or a user's own steps may be others.
#pragma once

#include <cstddef>
#include <string>

#include "kallima/plan.hpp"

namespace kallima {

/// Steps that a plan has at most. The longest that are made, of sorts on 2^26 ranks, have 107.
inline constexpr std::size_t most_steps = 512;

/// What keeps a plan from being run, or from computing its problem, in a few words; empty where
/// nothing does, and then the plan that undoes it is as good.
/// O(steps digits), and O(P) where layouts are boxes, or uneven beside exchanges in chunks.
std::string flaw_of(const Plan& plan);

}  // namespace kallima

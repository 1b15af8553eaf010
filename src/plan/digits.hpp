// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima {

/// Digits that a state has at most. The planner's have three for each of six axes; whoever walks
/// through an array has room for the places of so many.
inline constexpr std::size_t most_digits = 24;

/// The digits a plan starts with: whole axes. One of extent 1, which nothing transforms, counts
/// positions always.
std::vector<Digit> start_digits(const Problem& problem, Direction direction);

}  // namespace kallima

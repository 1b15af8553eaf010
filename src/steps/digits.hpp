// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "kallima/steps.hpp"

namespace kallima {

/// Digits that a state has at most. The planner's have three for each of six axes; whoever walks
/// through an array has room for the places of so many.
inline constexpr std::size_t most_digits = 24;

/// The digits a plan starts with: whole axes. One of extent 1, which nothing transforms, counts
/// positions always.
std::vector<Digit> start_digits(const Problem& problem, Direction direction);

/// How many there are along a digit: of a halved one, as many as it had positions.
Index radix_of(const State& state, std::size_t digit);

}  // namespace kallima

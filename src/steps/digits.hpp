// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "base/checked.hpp"
#include "kallima/steps.hpp"

namespace kallima {

/// Digits that a state has at most. The planner's have three for each of six axes; whoever walks
/// through an array has room for the places of so many.
inline constexpr std::size_t most_digits = 24;

/// The digits a plan starts with: whole axes. One of extent 1, which nothing transforms, counts
/// positions always.
std::vector<Digit> start_digits(const Problem& problem, Direction direction);

/// How many there are along a digit: of an r2c axis, as many as it had positions.
Index radix_of(const State& state, std::size_t digit);

/// So many elements, counted in complex ones: two reals take the room of one.
inline Index in_complex(Index count, const Element& element) {
  return element.complex ? count : ceil_div(count, 2);
}

}  // namespace kallima

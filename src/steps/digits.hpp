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

/// Frequencies of a whole line along a digit, in a state behind its sweep: those that are not kept,
/// too. (A truncated axis is one digit.)
inline Index line_frequencies(const Problem& problem, const State& state, std::size_t digit) {
  const Digit& its = state.digits[digit];
  return its.kept > 0 ? problem.frequencies_of_line(static_cast<std::size_t>(its.axis))
                      : state.layout.shape()[digit];
}

/// Points that a convolution of n positions needs at least: what the chirp's ends would wrap onto
/// is not read. Of real data half of the frequencies are wanted.
inline Index least_points(Index n, bool real) {
  return checked_add(n, (real ? half_extent(n) : n) - 1, "points of a convolution");
}

/// So many elements, counted in complex ones: two reals take the room of one.
inline Index in_complex(Index count, const Element& element) {
  return element.complex ? count : ceil_div(count, 2);
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// The cyclic FFT transforms axes that are distributed cyclically, digit by digit, and ends in the
// layout it began in (Inda and Bisseling 2001; Koopman and Bisseling's FFTU for several axes at
// once).
//
// With L = n/p the axis is j = p j_top + (r_1 .. r_t), the radices' product p, each at most L: the
// local digit j_top is transformed, then each exchange brings the next r digits of the rank into
// memory and leaves as many digits of the frequency on the ranks, lightest first, so that in the
// end the rank is k mod p. One exchange where p^2 divides n; t = ceil(log p / log L) for powers of
// two.
#pragma once

#include <optional>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima {

/// Lines longer than this do not stay in the first caches.
inline constexpr Index longest_line = 2048;

/// A line on one rank that is longer than this does not stay in the second cache.
inline constexpr Index longest_alone = Index{1} << 16;

/// Radices of an axis of n, cyclic over p processors, heaviest position digit first: n/p, r_1, ...,
/// r_t. Empty where no steps end in the layout they begin in. Where one exchange suffices and n/p
/// is a long line, two radices near the root of n instead, both multiples of p: the second digit is
/// then distributed cyclically itself, and every sweep's lines live in the cache. For p = 1 {n}, or
/// two near its root where it is longer than longest_alone.
std::vector<Index> cyclic_radices(Index n, Index procs);

/// The steps of a cyclic FFT over some axes of a layout.
struct CyclicSteps {
  std::vector<Digit> digits;    ///< at the start: positions of the axes it transforms, others whole
  Shape radices;                ///< of the digits
  std::vector<Layout> layouts;  ///< over the digits: start, behind each exchange
  std::vector<std::vector<int>> sweeps;  ///< digits transformed in each of them
};

/// The steps along all axes of a grid that are not `done`; empty where one cannot be transformed
/// so.
std::optional<CyclicSteps> find_cyclic_steps(const Problem& problem, const Layout& layout,
                                             const std::vector<bool>& done);

}  // namespace kallima

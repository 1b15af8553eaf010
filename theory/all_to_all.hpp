// SPDX-License-Identifier: BSD-3-Clause
//
// An all-to-all by digits: few long messages or many short ones. Bruck, Ho, Kipnis, Upfal,
// Weathersby 1997, "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", one port.
//
// The block from i to j travels by the digits of (j - i) mod P in some radix r: for each digit all
// blocks with the value d of it go d r^k processors further, in one message. Radix 2 is the
// butterfly of Solomonik 2015, slide "Butterfly all-to-all"; radix P sends straight to the targets.
#pragma once

#include <vector>

#include "machine/messages.hpp"

namespace kallima::models {

/// What every processor has for every other one.
struct AllToAll {
  Index procs = 2;        ///< P, from 1
  Index block_bytes = 1;  ///< from one to one
};

/// Of the numbers 0, ..., procs - 1, those whose digit of this weight, a power of the radix, is so
/// much.
Index blocks_with_digit(Index procs, Index radix, Index weight, Index digit);

/// The exchanges one after the other, as each processor sees them. Radix 2 to P; InvalidOption
/// otherwise. None for one processor.
std::vector<Load> rounds(const AllToAll& all_to_all, Index radix);

/// All rounds, each when the one before is through.
double all_to_all_seconds(Model model, const Network& network, const AllToAll& all_to_all,
                          Index radix);

/// A radix, and what it costs.
struct RadixCost {
  Index radix = 2;
  double seconds = 0;

  /// True where messages go straight to their targets.
  [[nodiscard]] bool direct(const AllToAll& all_to_all) const { return radix == all_to_all.procs; }
};

/// The cheapest of radix 2 to 64, the powers of two above, and P; P where that is
/// as cheap, otherwise the smallest of several. For two processors and more. O(log P) for each.
RadixCost cheapest_radix(Model model, const Network& network, const AllToAll& all_to_all);

}  // namespace kallima::models

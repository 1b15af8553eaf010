// SPDX-License-Identifier: BSD-3-Clause
//
// The one-dimensional transform that slides a group-cyclic layout along the index, in BSP.
// Bisseling, "Parallel scientific computation", section 3.4 (slides "Parallel fast Fourier
// transform").
#pragma once

#include <vector>

#include "kallima/index.hpp"
#include "machine/messages.hpp"
#include "theory/formula_version.hpp"

namespace kallima::models {

/// n = 2^m elements over p = 2^q processors, p < n. Each function throws InvalidOption otherwise.
struct GroupCyclicFft {
  Index extent = 2;       ///< n
  Index procs = 1;        ///< p
  double real_bytes = 8;  ///< of one of the two words of an element
};

/// What the processors are, besides the network.
struct BspMachine {
  Bsp network;
  double flop_seconds = 0;  ///< of one floating-point operation
};

/// t = ceil(q / (m - q)), slide "Last iteration of main loop"; the slides' redistributions.
Index exchanges(const GroupCyclicFft& fft);
/// t + 1, same slide.
Index computation_supersteps(const GroupCyclicFft& fft);
/// 2t + 1, slide "BSP cost".
Index synchronisations(const GroupCyclicFft& fft);
/// The cycles of the iterations: (n/p)^0, (n/p)^1, .., (n/p)^(t-1), p; slide "Last iteration of
/// main loop".
std::vector<Index> cycles(const GroupCyclicFft& fft);

/// Real words that the busiest processor sends or receives in all exchanges together.
/// printed: 2 n/p in each, slide "BSP cost", an upper bound. corrected: 2 (n/p)(1 - 1/r), r the
/// ratio of the cycles after and before, as one r-th of a part stays where it is: up to half as
/// much. That is for processors in their own order. The slides fold a reversal of processor numbers
/// into the first exchange; where others follow it, some processor then keeps nothing in it.
double words_moved(const GroupCyclicFft& fft, FormulaVersion form);

/// T_comp = 5 n log2(n) / p flops, slide "BSP cost".
double computation_seconds(const BspMachine& machine, const GroupCyclicFft& fft);
/// T_comm = g times words_moved.
double communication_seconds(const Bsp& network, const GroupCyclicFft& fft, FormulaVersion form);
/// T_sync = (2t + 1) l.
double synchronisation_seconds(const Bsp& network, const GroupCyclicFft& fft);
/// T_FFT, slide "Summary": the sum of the three.
double total_seconds(const BspMachine& machine, const GroupCyclicFft& fft, FormulaVersion form);

}  // namespace kallima::models

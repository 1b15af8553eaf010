// SPDX-License-Identifier: BSD-3-Clause
//
// A pipelined exchange with the sweeps beside it, as the executor runs it, as a program: Sahay's
// idea at the size of messages. Docs: decision 18.
//
// It is not his schedule of section 4. There a processor finishes all that one target wants before
// it begins with the next; here every chunk has something for every target, as chunks are cut along
// digits that are not exchanged. What they share: what is computed leaves at once, targets are
// taken by XOR, and what has come is computed with before all has.
#pragma once

#include "kallima/steps.hpp"
#include "theory/program.hpp"

namespace kallima::butterfly {

/// The same on every processor.
struct Pipelined {
  Index procs = 2;    ///< a power of two
  Chunks chunks;      ///< how sweeps are cut; digits do not matter
  double before = 0;  ///< seconds of the sweep before
  double behind = 0;  ///< seconds of the sweep behind
  double bytes = 0;   ///< that a processor sends to another, all parts together
};

/// Phases are "before" and "behind", their tasks the chunks.
Program pipelined_exchange(const Pipelined& pipelined);

}  // namespace kallima::butterfly

// SPDX-License-Identifier: BSD-3-Clause
//
// What a pipelined exchange takes together with the sweeps beside it.
//
// After Sahay 1993, section 4: what a processor sends leaves while it goes on computing (there node
// by node, here chunk by chunk), and the next phase begins with what has arrived. So the longer of
// computing and sending counts, not the sum (Czechowski et al. 2012, Eq. 1, for memory), and in
// addition what it takes to fill and to drain: the first chunk is computed before anything is sent,
// the last one after everything has arrived.
#pragma once

#include <span>
#include <vector>

#include "exchange/cost.hpp"
#include "kallima/price.hpp"

namespace kallima {

/// Seconds of the parts by themselves.
struct PipelineLoad {
  double before = 0.;    ///< sweep before
  double exchange = 0.;  ///< all messages, with what starting so many takes
  double busy = 0.;      ///< of that, what keeps the core busy: it is computing's loss
  double behind = 0.;    ///< sweep behind
};

/// Seconds of all together. Chunks of a side are equal. O(chunks).
double pipelined_seconds(const PipelineLoad& load, const Chunks& chunks);

/// What the exchange at `step` takes together with the sweeps beside it, for each way to cut it.
/// The plan has it in one piece.
std::vector<double> seconds_by_chunks(const Plan& plan, const Machine& machine, std::size_t step,
                                      std::span<const Chunks> ways, Divisions& divisions);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What collective communication costs. Solomonik 2015, "Design of parallel and high-performance
// computing: distributed-memory models and algorithms"; each function names its slide.
//
// Left out: what the slides give as an order alone, and scan, of which they say no more than that
// it goes like an allreduce.
#pragma once

#include "kallima/index.hpp"
#include "machine/messages.hpp"
#include "theory/formula_version.hpp"

namespace kallima::models {

/// Slide "Other types of collective communication": bytes are of the input of one-to-all, of the
/// output of all-to-one, and of one processor's input or output of all-to-all.
struct Collective {
  Index procs = 1;        ///< P
  double bytes = 0;       ///< s
  double local_work = 0;  ///< seconds of local reduction, which reductions add
};

/// Every processor sends one message of `bytes` to the next, all at once or one after the other.
/// Slide "A simple model for point-to-point messages".
double simultaneous_ring_seconds(const AlphaBeta& model, const Collective& ring);
double sequential_ring_seconds(const AlphaBeta& model, const Collective& ring);

/// 2 (log(P + 1) - 1)(alpha + s beta), slide "Broadcasts in the alpha-beta model".
double broadcast_binary_seconds(const AlphaBeta& model, const Collective& broadcast);
/// A binomial tree, same slide. printed: log(P + 1)(alpha + s beta), which is for P receivers and a
/// root, while all else on the slides counts the root among P. corrected: ceil(log P) rounds, since
/// those who have it at most double in each.
double broadcast_binomial_seconds(const AlphaBeta& model, const Collective& broadcast,
                                  FormulaVersion form);
/// The root hands out segments, which then go round: 2 (P - 1)(alpha + s beta / P), slide
/// "Large-message broadcasts".
double broadcast_ring_seconds(const AlphaBeta& model, const Collective& broadcast);

/// A binary tree in packets of `packet` bytes, slides "Pipelined binary tree broadcast". Of LogP,
/// packets are data: log(P)(L + 2g + o) + 2 (s/w) g. Leading terms only, as there.
double broadcast_pipelined_seconds(const LogP& model, const Collective& broadcast);
/// log(P)(L + 2g + o + 2kG) + 2 (s/k)(g + kG).
double broadcast_pipelined_seconds(const LogGp& model, const Collective& broadcast, double packet);
/// 2 (log P + s/k)(alpha + k beta).
double broadcast_pipelined_seconds(const AlphaBeta& model, const Collective& broadcast,
                                   double packet);
/// The packet that makes it shortest, for P >= 2: sqrt(s / log P) sqrt(g / G), or sqrt(alpha/beta).
double best_packet_bytes(const LogGp& model, const Collective& broadcast);
double best_packet_bytes(const AlphaBeta& model, const Collective& broadcast);
/// 2 log(P) alpha + 4 sqrt(s log P) sqrt(alpha beta) + 2 s beta: with the best packet.
double broadcast_best_pipelined_seconds(const AlphaBeta& model, const Collective& broadcast);
/// Two such trees, half the message each: 2 log(P) alpha + 2 sqrt(2 s log P) sqrt(alpha beta) +
/// s beta. Slide "Double pipelined binary tree".
double broadcast_double_tree_seconds(const AlphaBeta& model, const Collective& broadcast);
/// Johnsson and Ho's bound for packets of one size, same slide, which Träff and Ripke attain:
/// log(P) alpha + 2 sqrt(s log P) sqrt(alpha beta) + s beta.
double broadcast_bound_seconds(const AlphaBeta& model, const Collective& broadcast);

/// Pipelined binary tree: 2 log(P) alpha + s beta, slide "Tree collectives". A gather is the same
/// backwards.
double scatter_tree_seconds(const AlphaBeta& model, const Collective& scatter);
double gather_tree_seconds(const AlphaBeta& model, const Collective& gather);

// Through a butterfly, P a power of two; in between the formulas interpolate. Slides "Cost of
// butterfly allgather" to "Butterfly all-to-all".

/// log(P) alpha + s (1 - 1/P) beta: the sum that the slide rounds to s beta.
double allgather_seconds(const AlphaBeta& model, const Collective& allgather);
/// As much: the root parts with half of what it has at each level, or gets it.
double scatter_seconds(const AlphaBeta& model, const Collective& scatter);
double gather_seconds(const AlphaBeta& model, const Collective& gather);
/// T_allgather + local work.
double reduce_scatter_seconds(const AlphaBeta& model, const Collective& reduce_scatter);
/// T_reduce-scatter + T_allgather.
double allreduce_seconds(const AlphaBeta& model, const Collective& allreduce);
/// T_scatter + T_allgather.
double broadcast_seconds(const AlphaBeta& model, const Collective& broadcast);
/// T_reduce-scatter + T_gather.
double reduce_seconds(const AlphaBeta& model, const Collective& reduce);
/// (alpha + beta s/2) log P.
double all_to_all_butterfly_seconds(const AlphaBeta& model, const Collective& all_to_all);
/// Straight to the targets. printed: alpha P + beta s. corrected: nobody sends to itself, so
/// alpha (P - 1) + beta s (1 - 1/P).
double all_to_all_direct_seconds(const AlphaBeta& model, const Collective& all_to_all,
                                 FormulaVersion form);

// In BSP with h messages per superstep, alpha a synchronisation. Slides "(Reduce-)scatter and
// (all)gather in BSP" and "Other collectives in BSP".

/// log_h(P) alpha + s beta: a butterfly of radix h >= 2; scatter, gather, allgather and
/// reduce-scatter. One superstep where h >= P.
double bsp_butterfly_seconds(const AlphaBeta& model, const Collective& collective, Index radix);
/// Two of them: broadcast, reduce, allreduce.
double bsp_double_butterfly_seconds(const AlphaBeta& model, const Collective& collective,
                                    Index radix);

}  // namespace kallima::models

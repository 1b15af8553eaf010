// SPDX-License-Identifier: BSD-3-Clause
#include "theory/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kallima::models {

namespace {

double procs(const Collective& collective) { return static_cast<double>(collective.procs); }
double log_procs(const Collective& collective) { return std::log2(procs(collective)); }

/// sqrt(s log P) sqrt(alpha beta), the term that packets of the best size leave.
double packet_term(const AlphaBeta& model, const Collective& broadcast) {
  return std::sqrt(broadcast.bytes * log_procs(broadcast) * model.alpha * model.beta);
}

Collective half_of(Collective collective) {
  collective.bytes /= 2;
  return collective;
}

}  // namespace

double simultaneous_ring_seconds(const AlphaBeta& model, const Collective& ring) {
  return message_seconds(model, ring.bytes);
}

double sequential_ring_seconds(const AlphaBeta& model, const Collective& ring) {
  return procs(ring) * message_seconds(model, ring.bytes);
}

double broadcast_binary_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return 2 * (std::log2(procs(broadcast) + 1) - 1) * message_seconds(model, broadcast.bytes);
}

double broadcast_binomial_seconds(const AlphaBeta& model, const Collective& broadcast,
                                  FormulaVersion form) {
  const auto below = static_cast<std::uint64_t>(broadcast.procs - 1);
  const double rounds = form == FormulaVersion::printed
                            ? std::log2(procs(broadcast) + 1)
                            : static_cast<double>(std::bit_width(below));
  return rounds * message_seconds(model, broadcast.bytes);
}

double broadcast_ring_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return 2 * (procs(broadcast) - 1) * message_seconds(model, broadcast.bytes / procs(broadcast));
}

double broadcast_pipelined_seconds(const LogP& model, const Collective& broadcast) {
  return log_procs(broadcast) * (model.latency + 2 * model.gap + model.overhead) +
         2 * broadcast.bytes / model.datum_bytes * model.gap;
}

double broadcast_pipelined_seconds(const LogGp& model, const Collective& broadcast, double packet) {
  const double bytes = packet * model.gap_per_byte;
  return log_procs(broadcast) * (model.latency + 2 * model.gap + model.overhead + 2 * bytes) +
         2 * broadcast.bytes / packet * (model.gap + bytes);
}

double broadcast_pipelined_seconds(const AlphaBeta& model, const Collective& broadcast,
                                   double packet) {
  return 2 * (log_procs(broadcast) + broadcast.bytes / packet) * message_seconds(model, packet);
}

double best_packet_bytes(const LogGp& model, const Collective& broadcast) {
  return std::sqrt(broadcast.bytes / log_procs(broadcast) * model.gap / model.gap_per_byte);
}

double best_packet_bytes(const AlphaBeta& model, const Collective& broadcast) {
  return std::sqrt(broadcast.bytes / log_procs(broadcast) * model.alpha / model.beta);
}

double broadcast_best_pipelined_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return 2 * log_procs(broadcast) * model.alpha + 4 * packet_term(model, broadcast) +
         2 * broadcast.bytes * model.beta;
}

double broadcast_double_tree_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return broadcast_best_pipelined_seconds(model, half_of(broadcast));
}

double broadcast_bound_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return log_procs(broadcast) * model.alpha + 2 * packet_term(model, broadcast) +
         broadcast.bytes * model.beta;
}

double scatter_tree_seconds(const AlphaBeta& model, const Collective& scatter) {
  return 2 * log_procs(scatter) * model.alpha + scatter.bytes * model.beta;
}

double gather_tree_seconds(const AlphaBeta& model, const Collective& gather) {
  return scatter_tree_seconds(model, gather);
}

double allgather_seconds(const AlphaBeta& model, const Collective& allgather) {
  return log_procs(allgather) * model.alpha +
         allgather.bytes * (1 - 1 / procs(allgather)) * model.beta;
}

double scatter_seconds(const AlphaBeta& model, const Collective& scatter) {
  return allgather_seconds(model, scatter);
}

double gather_seconds(const AlphaBeta& model, const Collective& gather) {
  return allgather_seconds(model, gather);
}

double reduce_scatter_seconds(const AlphaBeta& model, const Collective& reduce_scatter) {
  return allgather_seconds(model, reduce_scatter) + reduce_scatter.local_work;
}

double allreduce_seconds(const AlphaBeta& model, const Collective& allreduce) {
  return reduce_scatter_seconds(model, allreduce) + allgather_seconds(model, allreduce);
}

double broadcast_seconds(const AlphaBeta& model, const Collective& broadcast) {
  return scatter_seconds(model, broadcast) + allgather_seconds(model, broadcast);
}

double reduce_seconds(const AlphaBeta& model, const Collective& reduce) {
  return reduce_scatter_seconds(model, reduce) + gather_seconds(model, reduce);
}

double all_to_all_butterfly_seconds(const AlphaBeta& model, const Collective& all_to_all) {
  return log_procs(all_to_all) * message_seconds(model, all_to_all.bytes / 2);
}

double all_to_all_direct_seconds(const AlphaBeta& model, const Collective& all_to_all,
                                 FormulaVersion form) {
  const double printed = model.alpha * procs(all_to_all) + model.beta * all_to_all.bytes;
  return form == FormulaVersion::printed ? printed : printed * (1 - 1 / procs(all_to_all));
}

double bsp_butterfly_seconds(const AlphaBeta& model, const Collective& collective, Index radix) {
  const double levels = log_procs(collective) / std::log2(static_cast<double>(radix));
  // The last level of a radix above P is not cheaper than a superstep; nor is there one for P = 1.
  const double supersteps = collective.procs == 1 ? 0 : std::max(1.0, levels);
  return supersteps * model.alpha + collective.bytes * model.beta + collective.local_work;
}

double bsp_double_butterfly_seconds(const AlphaBeta& model, const Collective& collective,
                                    Index radix) {
  Collective second = collective;
  second.local_work = 0;
  return bsp_butterfly_seconds(model, collective, radix) +
         bsp_butterfly_seconds(model, second, radix);
}

}  // namespace kallima::models

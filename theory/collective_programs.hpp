// SPDX-License-Identifier: BSD-3-Clause
//
// Collective communication as programs, message by message. Solomonik 2015, "Distributed-memory
// models and algorithms"; what they cost by its formulas is in theory/collectives.hpp.
//
// Those that go through a butterfly need a power of two of processors, InvalidOption otherwise.
// Processor 0 is the root.
#pragma once

#include "theory/program.hpp"

namespace kallima::butterfly {

/// Bytes as in models::Collective: of the input of one-to-all, of the output of all-to-one, of one
/// processor's input or output of all-to-all.
struct Collective {
  Index procs = 2;
  double bytes = 0;
  double work_per_byte = 0;  ///< seconds of a reduction, per byte of its result
};

/// Recursive doubling: what a processor has doubles in each round.
Program allgather(const Collective& collective);
/// Recursive halving: of what it has, each keeps half and adds what its partner had of it.
Program reduce_scatter(const Collective& collective);
/// Reduce-scatter, then allgather.
Program allreduce(const Collective& collective);
/// The same messages; on the way back each processor works out its own prefix and its partner's:
/// twice the work of the way there in addition.
Program scan(const Collective& collective);
/// The root parts with half of what it has in each round: a binomial tree.
Program scatter(const Collective& collective);
/// The same backwards.
Program gather(const Collective& collective);
/// Reduce-scatter, then gather.
Program reduce(const Collective& collective);

/// Any number of processors: everyone who has it sends it on.
Program broadcast_binomial(const Collective& collective);
/// Scatter, then allgather.
Program broadcast_scatter_allgather(const Collective& collective);
/// A binary tree, in packets of so many bytes, each to the left and then to the right. Any number
/// of processors.
Program broadcast_pipelined(const Collective& collective, double packet);
/// Two binary trees over all but the root, which sends packets to both in turns. Those who have
/// children in one have none in the other, but for one. Any number of processors.
Program broadcast_double_tree(const Collective& collective, double packet);

/// Straight to the targets, i + 1, i + 2, ... Any number of processors.
Program all_to_all_direct(const Collective& collective);
/// By the digits of a radix, 2 to P: see theory/all_to_all.hpp. Any number of processors.
Program all_to_all_by_digits(const Collective& collective, Index radix);

}  // namespace kallima::butterfly

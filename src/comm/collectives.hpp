// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls of MPI that know deadlines and failing peers: each is the non-blocking one, and
// a wait that looks around. Where one throws, the ranks have no longer made the same collective
// calls: the peers are told, and the communicator is not used again.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace kallima::comm {

/// Reduces values over all ranks, in place.
void all_reduce(const Communicator& communicator, std::span<std::int64_t> values, MPI_Op op);

/// The bytes of rank `root` on every rank.
void broadcast_bytes(const Communicator& communicator, std::span<char> all, int root);

/// A value of every rank, by rank.
template <class Value>
std::vector<Value> all_gather(const Communicator& communicator, const Value& mine);

/// The same for plain bytes.
void all_gather_bytes(const Communicator& communicator, const void* mine, std::size_t size,
                      void* all);

template <class Value>
std::vector<Value> all_gather(const Communicator& communicator, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> all(static_cast<std::size_t>(communicator.size));
  all_gather_bytes(communicator, &mine, sizeof mine, all.data());
  return all;
}

/// True where all ranks say so.
bool everywhere(const Communicator& communicator, bool mine);

/// What rank 0 says, on every rank.
bool as_rank_0_says(const Communicator& communicator, bool mine);

}  // namespace kallima::comm

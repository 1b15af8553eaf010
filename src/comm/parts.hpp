// SPDX-License-Identifier: BSD-3-Clause
//
// How messages of any number of bytes become calls of MPI. Private to comm.
#pragma once

#include <algorithm>

#include "base/checked.hpp"
#include "comm/channel.hpp"

namespace kallima::comm {

/// Of what a rank sends when a call has failed on it.
inline constexpr int failure_tag = 0;

/// Any other tag will do: the communicator is ours, and messages between two ranks keep their
/// order. Pipelined that are under way at once take the tags behind.
inline constexpr int message_tag = 1;

/// Calls of MPI that a message of so many bytes takes.
inline Index count_parts(Index bytes, const Limits& limits) {
  const bool large = limits.large_counts && has_large_counts();
  return std::max<Index>(1, ceil_div(bytes, large ? limits.most_bytes : limits.most_by_int()));
}

/// Calls visit(data, bytes) for each.
template <class Visit>
void for_each_part(const Message& message, const Limits& limits, Visit visit) {
  const Index count = count_parts(message.data.bytes, limits);
  const Index part = ceil_div(message.data.bytes, count);
  for (Index at = 0; at < message.data.bytes; at += part) {
    visit(message.data.data + at, std::min(part, message.data.bytes - at));
  }
}

}  // namespace kallima::comm

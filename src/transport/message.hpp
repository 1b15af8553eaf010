// SPDX-License-Identifier: BSD-3-Clause
//
// What a transport carries, and in what order.
#pragma once

#include <bit>
#include <cstdint>

#include "kallima/buffer.hpp"

namespace kallima::transport {

/// One piece on its way from or to a peer.
struct Message {
  Index peer = 0;
  BufferView data;
};

/// When a part of a pipelined exchange may go, or come, and who waits for it.
struct Turn {
  Index lane = 0;   ///< numbers the peers from 0
  Index needs = 0;  ///< to send: chunks that must be computed
  Index taken = 0;  ///< to receive: the chunk that wants it
  Index apart = 0;  ///< bytes that the receiver has room for before it has sent as many
};

/// Bytes and messages really moved between different ranks, and exchanges done.
struct Counters {
  Index bytes_sent = 0;
  Index bytes_received = 0;
  Index messages_sent = 0;
  Index messages_received = 0;
  Index exchanges = 0;

  friend bool operator==(const Counters&, const Counters&) = default;
};

/// The round in which `rank` sends to `peer`. In every round a rank sends to one peer and receives
/// from one, so nobody is flooded: i XOR j for powers of two (Sahay, section 5), a shift otherwise.
inline Index round_of(Index rank, Index peer, Index ranks) {
  if (std::has_single_bit(static_cast<std::uint64_t>(ranks))) return rank ^ peer;
  return (peer - rank + ranks) % ranks;
}

}  // namespace kallima::transport

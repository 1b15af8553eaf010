// SPDX-License-Identifier: BSD-3-Clause
//
// What a channel carries.
#pragma once

#include <cstdint>

#include "kallima/buffer.hpp"
#include "layout/rounds.hpp"

namespace kallima::comm {

/// One piece on its way from or to a peer.
struct Message {
  Index peer = 0;
  BufferView data;
};

/// Bytes and messages really moved between different ranks, and exchanges done. Bytes that others
/// read in place, in shared memory, are in no messages.
struct Counters {
  Index bytes_sent = 0;
  Index bytes_received = 0;
  Index messages_sent = 0;
  Index messages_received = 0;
  Index exchanges = 0;

  friend bool operator==(const Counters&, const Counters&) = default;
};

}  // namespace kallima::comm

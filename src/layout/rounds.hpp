// SPDX-License-Identifier: BSD-3-Clause
//
// In what order ranks take their peers, and what a part of a pipelined exchange waits for.
#pragma once

#include <bit>
#include <cstdint>

#include "kallima/index.hpp"

namespace kallima {

/// When a part of a pipelined exchange may go, or come, and who waits for it.
struct Dependency {
  Index peer_number = 0;  ///< numbers the peers from 0
  Index needs = 0;        ///< to send: chunks that must be computed
  Index taken = 0;        ///< to receive: the chunk that wants it
  Index send_offset = 0;  ///< what the receiver has room for before it has sent as much
};

/// The low half of a number's bits, mirrored into the high half of so many bits.
inline Index mirrored_up(Index number, int bits) {
  Index result = 0;
  for (int b = 0; b < bits / 2; ++b) result |= ((number >> b) & 1) << (bits - 1 - b);
  return result;
}

/// The round in which a pipelined exchange of `rank` serves `peer`: i XOR j for powers of two
/// (Sahay, section 5), a shift otherwise. At every moment each rank receives from one other if all
/// take as long.
inline Index pipelined_round_of(Index rank, Index peer, Index ranks) {
  if (std::has_single_bit(static_cast<std::uint64_t>(ranks))) return rank ^ peer;
  return (peer - rank + ranks) % ranks;
}

/// The round in which `rank` sends to `peer` in one piece. In every round a rank sends to one peer
/// and receives from one, so nobody is flooded; the same among any ranks whose numbers differ in
/// some bits only, as those of a row or a column of a grid.
///
/// For powers of two it is i XOR j (Sahay, section 5), begun elsewhere: neighbours send far apart.
/// With i XOR j itself all ranks of a group send to the same other group in one round, by the one
/// link of a dragonfly or along the one direction of a torus that leads there, while all others
/// idle (docs/decisions/0021). Otherwise a shift.
inline Index round_of(Index rank, Index peer, Index ranks) {
  const auto count = static_cast<std::uint64_t>(ranks);
  if (!std::has_single_bit(count)) return (peer - rank + ranks) % ranks;
  return rank ^ mirrored_up(rank, std::countr_zero(count)) ^ peer;
}

}  // namespace kallima

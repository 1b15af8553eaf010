// SPDX-License-Identifier: BSD-3-Clause
//
// In what order ranks take their peers, and what a part of a pipelined exchange waits for.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "kallima/index.hpp"
#include "layout/sample.hpp"

namespace kallima {

/// When a part of a pipelined exchange may go, or come, and who waits for it.
struct Dependency {
  Index peer_number = 0;  ///< numbers the peers from 0
  Index needs = 0;        ///< to send: chunks that must be computed
  Index taken = 0;        ///< to receive: the chunk that wants it
  Index send_offset = 0;  ///< what the receiver has room for before it has sent as much
};

/// The round in which a pipelined exchange of `rank` serves `peer`: i XOR j for powers of two
/// (Sahay, section 5), a shift otherwise. At every moment each rank receives from one other if all
/// take as long.
inline Index pipelined_round_of(Index rank, Index peer, Index ranks) {
  if (std::has_single_bit(static_cast<std::uint64_t>(ranks))) return rank ^ peer;
  return (peer - rank + ranks) % ranks;
}

/// The lowest `count` bits of a number, mirrored into the high end of `bits` bits.
inline Index mirrored_up(Index number, int count, int bits) {
  Index result = 0;
  for (int b = 0; b < count; ++b) result |= ((number >> b) & 1) << (bits - 1 - b);
  return result;
}

/// The order in which ranks that exchange among themselves, numbered from 0, send to each other in
/// one piece. In every round a rank sends to one and receives from one, so nobody is flooded.
///
/// With i + r or i XOR r all ranks of a group send to the same other group in one round, by the one
/// link of a dragonfly or along the one direction of a torus that leads there, while all others
/// idle. So neighbours send far apart (docs/decisions/0021):
///
/// - powers of two: rank i in round r to i XOR m(i) XOR r, where m mirrors the low half of the bits
///   into the high half
/// - other P: to g i + h r (mod P), with g and h prime to P, and g / P and h / P near the constants
///   of a sequence of low discrepancy in the plane (Roberts' R2: 1 / p and 1 / p^2, p^3 = p + 1)
class PeerOrder {
 public:
  /// Among so many. Of a machine's ranks `first` is the first of them: other columns of a process
  /// grid begin elsewhere.
  explicit PeerOrder(Index ranks, Index first = 0)
      : ranks_(ranks), bits_(std::countr_zero(static_cast<std::uint64_t>(ranks))) {
    if (power_of_two()) {
      turn_ = mirrored_up(first, bits_, bits_);
      return;
    }
    turn_ = sampled(first % ranks, ranks);
    of_rank_ = prime_to(ranks, 1 / plastic);
    const Index of_round = prime_to(ranks, 1 / (plastic * plastic));
    while (per_step_ * of_round % ranks != 1) ++per_step_;
  }

  /// The round in which `rank` sends to `peer`, from 0 on.
  [[nodiscard]] Index round_of(Index rank, Index peer) const {
    if (power_of_two()) return rank ^ mirrored_up(rank, bits_ / 2, bits_) ^ turn_ ^ peer;
    const Index steps = (peer + 2 * ranks_ - of_rank_ * rank % ranks_ - turn_) % ranks_;
    return steps * per_step_ % ranks_;
  }

 private:
  static constexpr double plastic = 1.324717957244746;

  [[nodiscard]] bool power_of_two() const { return Index{1} << bits_ == ranks_; }

  /// What has no divisor in common with P, near a part of it.
  static Index prime_to(Index ranks, double part) {
    const Index near = std::llround(part * static_cast<double>(ranks));
    for (Index off = 0; off < near; ++off) {
      if (std::gcd(near - off, ranks) == 1) return near - off;
      if (std::gcd(near + off, ranks) == 1) return near + off;
    }
    return 1;
  }

  Index ranks_;
  int bits_;
  Index turn_ = 0;
  Index of_rank_ = 1;   ///< g
  Index per_step_ = 1;  ///< 1 / h (mod P)
};

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What carries messages between simulated processors. One set of rules, of which alpha-beta, LogP
// and LogGP are cases; the numbers are those of machine/messages.hpp.
//
// A message goes in packets. A packet keeps the sender's processor busy for the overhead, travels
// for the latency, takes some time to pass the receiver's port, and keeps the receiver's processor
// busy for the overhead. Between two packets of a port, at either end, lies an interval.
//
//   LogP        a packet is a datum and passes at once; the interval is g; at most ceil(L/g) are in
//               transit from or to one processor
//   LogGP       one packet passes in (k - 1) G; the interval is that and g
//   alpha-beta  one packet passes in alpha + k beta and holds both ports so long: sender and
//               receiver meet, one packet from and one to a processor at a time
#pragma once

#include "kallima/index.hpp"
#include "machine/messages.hpp"

namespace kallima::butterfly {

/// Times are in whatever unit the work of a program is in.
struct Network {
  double latency = 0;     ///< L, at most
  double overhead = 0;    ///< o
  double gap = 0;         ///< between packets of one port, besides what they take to pass
  double start = 0;       ///< of passing, before the first byte
  double per_byte = 0;    ///< of passing
  double head = 0;        ///< bytes of a packet that take no time to pass
  double most_bytes = 0;  ///< of a packet; 0: any
  Index capacity = 0;     ///< packets in transit from or to one processor; 0: any
  bool meets = false;     ///< a packet is in transit until it has passed, not until it is let in

  [[nodiscard]] Index packets(double bytes) const;
  /// From the first to the last byte of a packet, at one port.
  [[nodiscard]] double passing(double bytes) const;
  /// From the beginning of a packet to that of the next.
  [[nodiscard]] double interval(double bytes) const;
};

Network network_of(const models::AlphaBeta& model);
Network network_of(const models::LogP& model);
/// Without a limit of what is in transit, which long messages make no sense of.
Network network_of(const models::LogGp& model);

}  // namespace kallima::butterfly

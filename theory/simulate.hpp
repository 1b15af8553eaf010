// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program on a network, processor by processor and message by message.
//
// A processor that is free does the first it can of: send what is due, take in what has arrived,
// compute. Sending and taking in cost it the overhead; without one they go on beside computing, as
// in Sahay 1993, section 2. A message that would exceed the network's capacity makes its processor
// stall: it takes in what arrives and does nothing else until the message can leave.
//
// Exact where all times are whole numbers below 2^53.
#pragma once

#include <functional>
#include <vector>

#include "theory/network.hpp"
#include "theory/program.hpp"

namespace kallima::butterfly {

/// When a message was sent and taken in.
struct Passage {
  double sent = -1;     ///< its first packet began to leave
  double arrived = -1;  ///< its last packet was let in; overhead and passing are still to come
  double through = -1;  ///< the receiver has it all
};

/// A processor that wanted to send and was not let.
struct Stall {
  Index proc = 0;
  double begin = 0;
  double end = 0;
};

/// All that happened.
struct Outcome {
  double completion = 0;
  std::vector<double> ended;      ///< of each task; it began so much earlier as its work is
  std::vector<Passage> passages;  ///< of each message
  std::vector<Stall> stalls;
  Index packets = 0;
  Index most_in_transit = 0;  ///< packets, of all processors together
  Index most_of_one = 0;      ///< from or to one processor
};

/// Latency of a message's packets, at most that of the network. Messages may overtake each other
/// then.
using Latency = std::function<double(MessageId)>;

/// Cost: about a logarithm of processors and packets in transit for each task and packet.
/// InternalError where tasks wait for each other for ever.
Outcome simulate(const Program& program, const Network& network, const Latency& latency = {});

}  // namespace kallima::butterfly

// SPDX-License-Identifier: BSD-3-Clause
//
// What an outcome says in figures, and as a list of what each processor did when.
#pragma once

#include <string>
#include <vector>

#include "theory/simulate.hpp"

namespace kallima::butterfly {

/// Times in the unit of the program.
struct Figures {
  double completion = 0;
  double speed_up = 0;   ///< all work over the completion
  double idle = 0;       ///< mean of the processors, neither computing nor paying overheads
  double most_idle = 0;  ///< of one processor
  double stalled = 0;    ///< mean of the processors; of what they are idle
  double last_sent = 0;  ///< when the last message began to leave
  Index messages = 0;
  Index packets = 0;
  Index most_in_transit = 0;  ///< packets, of all processors together
  Index most_of_one = 0;      ///< from or to one processor
};

Figures figures_of(const Program& program, const Network& network, const Outcome& outcome);

/// Something that a processor does, or one of its messages under way.
struct Activity {
  enum class Kind { compute, wait, send, receive };

  Index proc = 0;
  Kind kind = Kind::compute;
  std::string name;  ///< a phase, "stalled", "idle", or the peer of a message
  double begin = 0;
  double end = 0;
};

/// All of the first `procs` processors. Tasks of one phase that follow each other at once are one
/// activity. Messages to send last from when they leave to when they are through; messages that
/// come, from when the port lets the last packet in.
std::vector<Activity> activities_of(const Program& program, const Network& network,
                                    const Outcome& outcome, Index procs);

}  // namespace kallima::butterfly

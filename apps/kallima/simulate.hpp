// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of `kallima simulate`, one file each, and what they have in common.
#pragma once

#include <string>

#include "command.hpp"
#include "theory/figures.hpp"
#include "timeline.hpp"

namespace kallima::cli {

/// `kallima simulate butterfly`: Sahay's schedules of the butterfly.
void add_simulate_butterfly(Command simulate, Action& chosen);

/// `kallima simulate collective`: collective communication, message by message.
void add_simulate_collective(Command simulate, Action& chosen);

/// What the processors did, to be drawn.
Timeline timeline_of(const std::string& title, const std::string& note,
                     const butterfly::Program& program, const butterfly::Network& network,
                     const butterfly::Outcome& outcome);

/// `kallima simulate PROBLEM --platform F`: the library itself, on a platform of SimGrid. Its
/// options are those of the command, which has subcommands beside them.
void add_simulate_platform(Command command, Action& chosen);

}  // namespace kallima::cli

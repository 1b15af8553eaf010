// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of `kallima simulate`.
#pragma once

#include "command.hpp"

namespace kallima::cli {

/// `kallima simulate PROBLEM --platform F`: the library itself, on a platform of SimGrid. Its
/// options are those of the command, which may have subcommands beside them.
void add_simulate_platform(Command command, Action& chosen);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima simulate`: what is simulated decides which file goes on.
#include "simulate.hpp"

#include "options.hpp"

namespace kallima::cli {

void add_simulate(Command program, Action& chosen) {
  Command command = program.add_subcommand(
      "simulate", "Run a transform on ranks that are not there, over a simulated network");
  add_simulate_platform(command, chosen);
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "machine_arguments.hpp"

#include <fmt/format.h>

#include "machine/pace.hpp"
#include "options.hpp"

namespace kallima::cli {

void MachineArguments::add_to(Command command) {
  command
      .add_option("--machine", name,
                  "Price on it: a file or a name (default: KALLIMA_MACHINE's, or built-in)")
      .type_name("M");
}

void MachineArguments::add_placement_to(Command command) {
  command
      .add_option("--ranks-per-node", ranks_per_node,
                  "How many share a node (default: the machine's)")
      .type_name("K")
      .at_least(1);
}

Placement MachineArguments::placement(const Machine& machine, Index ranks) const {
  return {ranks_on_a_node(ranks_per_node, machine, ranks)};
}

std::shared_ptr<const Machine> MachineArguments::machine() const {
  return std::make_shared<const Machine>(name.empty() ? default_machine() : find_machine(name));
}

std::string priced_on(const Machine& machine) {
  if (machine == built_in_machine()) {
    return "priced on the built-in machine, which nobody measured; `mpirun -n 2 kallima calibrate "
           "-o here.toml` measures yours\n";
  }
  return fmt::format("priced on machine {}{}\n", machine.name,
                     machine.about.empty() ? "" : ": " + machine.about);
}

}  // namespace kallima::cli

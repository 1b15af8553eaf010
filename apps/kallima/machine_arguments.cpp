// SPDX-License-Identifier: BSD-3-Clause
#include "machine_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "machine/figures.hpp"
#include "machine/rate_interpolation.hpp"
#include "options.hpp"

namespace kallima::cli {

namespace {

/// "in_node (gap, overhead), speed (beyond, in_cache)": of a table's parts each figure once.
std::string grouped_figures(const std::vector<std::string>& names) {
  std::map<std::string, std::set<std::string>> tables;
  for (const std::string& name : names) {
    tables[name.substr(0, name.find('.'))].insert(name.substr(name.rfind('.') + 1));
  }
  std::vector<std::string> parts;
  for (const auto& [table, figures] : tables) {
    parts.push_back(fmt::format("{} ({})", table, fmt::join(figures, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What a price on a machine of GPUs is worth; nothing of other machines.
std::string accelerator_text(const Machine& machine) {
  if (!machine->node.accelerators) return {};
  const std::vector<std::string> assumed = assumed_figures(machine);
  return fmt::format(
      "Its ranks are GPUs: Kallima itself runs on CPUs, and nothing of this was measured with it.\n"
      "What sweeps take there follows from bandwidth of memory and peak of flops.\n{}",
      assumed.empty()
          ? std::string()
          : fmt::format("Assumed, not published: {}; [sources] of the machine's file says how.\n",
                        grouped_figures(assumed)));
}

/// Of a machine that was calibrated with FFTW alone.
std::string kernels_text(const Machine& machine) {
  if (machine->sources.count("speed.f64.kernels") == 0) return {};
  return "What kernels take there is assumed from what FFTW takes; `kallima calibrate` measures "
         "it.\n";
}

}  // namespace

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
  return fmt::format("priced on machine {}{}\n{}{}", machine->name,
                     machine->about.empty() ? "" : ": " + machine->about, accelerator_text(machine),
                     kernels_text(machine));
}

std::vector<std::string> assumed_figures(const Machine& machine) {
  std::vector<std::string> names;
  for (const auto& [name, source] : machine->sources) {
    if (source.find("assumed") != std::string::npos) names.push_back(name);
  }
  return names;
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// The machine that plan, predict, advise and bench price on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kallima/machine.hpp"
#include "kallima/plan.hpp"

namespace kallima::cli {

class Command;

/// `--machine` and `--ranks-per-node` of the command line, unread.
struct MachineArguments {
  std::string name;
  Index ranks_per_node = 0;

  /// Adds `--machine`.
  void add_to(Command command);
  /// Adds `--ranks-per-node`, for those who place ranks as the machine has them by default.
  void add_placement_to(Command command);
  /// The machine that was named, or the default one. FileError, ParseError.
  [[nodiscard]] std::shared_ptr<const Machine> machine() const;
  /// How so many ranks are laid on its nodes.
  [[nodiscard]] Placement placement(const Machine& machine, Index ranks) const;
};

/// One line that says on what prices are, and that nothing was measured where that is so.
std::string priced_on(const Machine& machine);

/// Dotted names of the figures that the machine's sources say are assumed, as "speed.f64.real".
std::vector<std::string> assumed_figures(const Machine& machine);

}  // namespace kallima::cli

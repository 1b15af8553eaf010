// SPDX-License-Identifier: BSD-3-Clause
//
// Machines to test with.
#pragma once

#include <memory>

#include "machine/figures.hpp"

namespace kallima::samples {

/// Exchanges cost a second each, a message 10 us, a byte 1 ns, the rest next to nothing: plans have
/// the fewest exchanges there, then few bytes in few messages.
inline std::shared_ptr<const Machine> far_apart() {
  MachineFigures machine = built_in_machine().figures();
  machine.name = "far-apart";
  for (Link* const link : {&machine.in_node, &machine.between_nodes}) {
    link->latency = 1.;
    link->overhead = 0.;
    link->gap = 1e-5;
    link->per_byte = Curve(1e-9);
    link->node_per_byte = 0.;
  }
  machine.shared_memory.barrier = Curve(1.);
  machine.node.ranks = 1;
  return std::make_shared<const Machine>(std::move(machine));
}

}  // namespace kallima::samples

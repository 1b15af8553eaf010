// SPDX-License-Identifier: BSD-3-Clause
//
// What a plan costs on a machine, step by step, before it is run. The steps that are priced are
// those that run: the stages of the plan's schedule, the bytes and messages of its exchanges.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/cost.hpp"
#include "kallima/export.h"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"

namespace kallima {

/// A stage of the schedule: one or two sweeps in one pass, a copy, or an exchange.
struct StepCost {
  int first = -1;           ///< index of its first step in the plan; -1 for a copy that is no step
  int steps = 1;            ///< how many
  std::string what;         ///< in words, short
  Cost cost;                ///< of the slowest rank
  Index bytes = 0;          ///< between ranks, all together
  Index messages = 0;       ///< between ranks, all together; in shared memory none
  Index bytes_between = 0;  ///< of these, between nodes
  Index messages_between = 0;  ///< likewise

  friend bool operator==(const StepCost&, const StepCost&) = default;
};

/// What a plan costs.
struct KALLIMA_API PlanCost {
  std::vector<StepCost> steps;  ///< in order
  Cost total;                   ///< their sum
  double arrays = 0.;           ///< bytes of all arrays that a rank goes through
  double spread = 0.;  ///< relative: about half of the measurements lie within the total times
                       ///< 1 -+ spread
  std::vector<std::string> beyond;  ///< what was asked for beyond what was calibrated, or is there

  /// Bytes that change ranks.
  [[nodiscard]] Index bytes() const;
  /// Messages that carry them.
  [[nodiscard]] Index messages() const;
};

/// How a plan is run, and by which model its exchanges are priced.
struct PriceOptions {
  bool in_place = false;       ///< in one array
  Model model = Model::loggp;  ///< of exchanges
  Index ranks_per_node = 0;    ///< 0: the plan's placement, or the machine's
};

/// Prices a plan. Pure; O(steps) and what a walk over pairs of ranks on a node costs (at
/// most 2^12 pairs an exchange; beyond that the share that stays in nodes is of sampled ranks).
KALLIMA_API PlanCost price(const Plan& plan, const Machine& machine,
                           const PriceOptions& options = {});

}  // namespace kallima

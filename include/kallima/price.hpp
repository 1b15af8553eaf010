// SPDX-License-Identifier: BSD-3-Clause
//
// What a plan costs on a machine, step by step, before it is run. The steps that are priced are
// those that run: the legs of the plan's schedule, the bytes and messages of its exchanges.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/export.h"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"

namespace kallima {

/// How the time of an exchange is put together from what a link is.
enum class Model : std::uint8_t {
  loggp,       ///< latency, overhead, gap per message, gap per byte (Alexandrov et al. 1995)
  alpha_beta,  ///< a start-up per message and a time per byte (Solomonik 2014, section 2)
  logp,        ///< LogGP without long messages: so many short ones (Culler et al. 1993)
  bsp          ///< g h + l (Valiant 1990; Bisseling)
};

/// "loggp", ...
KALLIMA_API std::string_view name_of(Model model);

/// Seconds of the slowest rank, on a named machine.
struct KALLIMA_API Cost {
  double latency = 0.;    ///< waiting for each other, starting messages
  double bandwidth = 0.;  ///< bytes on their way
  double memory = 0.;     ///< bytes between memory and caches
  double compute = 0.;    ///< arithmetic, and what is moved in cache
  double hidden = 0.;     ///< of these, what goes on beside the others

  /// What it takes.
  [[nodiscard]] double total() const { return latency + bandwidth + memory + compute - hidden; }
  /// The largest part: "latency", "bandwidth", "memory" or "compute".
  [[nodiscard]] std::string_view binds() const;
  /// Adds part by part.
  Cost& operator+=(const Cost& other);

  friend bool operator==(const Cost&, const Cost&) = default;
};

/// A leg of the schedule: one or two sweeps in one pass, a copy, or an exchange.
struct StepCost {
  int first = -1;           ///< index of its first step in the plan; -1 for a copy that is no step
  int steps = 1;            ///< how many
  std::string what;         ///< in words, short
  Cost cost;                ///< of the slowest rank
  Index bytes = 0;          ///< between ranks, all together
  Index messages = 0;       ///< between ranks, all together; by windows none
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/steps.hpp"

namespace kallima {

/// An exchange where it stands.
struct Site {
  const StepList& plan;
  std::size_t step = 0;

  [[nodiscard]] const Exchange& exchange() const { return std::get<Exchange>(plan.steps()[step]); }
  [[nodiscard]] const State& before() const { return plan.states()[step]; }
  [[nodiscard]] const State& after() const { return plan.states()[step + 1]; }
  /// True where a rank may have several boxes, on one side.
  [[nodiscard]] bool several_boxes() const {
    return before().layout.several_boxes() || after().layout.several_boxes();
  }
  /// The side of this rank, where it sends or where it receives.
  [[nodiscard]] const State& mine(bool sending) const { return sending ? before() : after(); }
  [[nodiscard]] const State& theirs(bool sending) const { return sending ? after() : before(); }
};

}  // namespace kallima

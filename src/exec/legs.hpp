// SPDX-License-Identifier: BSD-3-Clause
//
// From a plan to the places in memory that one rank's legs read and write. Pure, and the same for
// float and double.
#pragma once

#include "exec/executor.hpp"

namespace kallima::exec {

/// The legs of `rank`, engines not yet chosen.
std::vector<LegLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank);

/// The chunks of a leg that is cut, engines chosen; none of one that is not. Each is a leg by
/// itself, with a part of the places.
std::vector<LegLayout> chunks_of(const LegLayout& leg);

}  // namespace kallima::exec

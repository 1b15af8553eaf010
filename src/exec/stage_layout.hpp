// SPDX-License-Identifier: BSD-3-Clause
//
// From a plan to the places in memory that one rank's stages read and write. Pure, and the same for
// float and double.
#pragma once

#include "exec/executor.hpp"

namespace kallima::exec {

/// The stages of `rank`, engines not yet chosen.
std::vector<StageLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank);

/// The chunks of a stage that is cut, engines chosen; none of one that is not. Each is a stage by
/// itself, with a part of the places.
std::vector<StageLayout> chunks_of(const StageLayout& stage);

}  // namespace kallima::exec

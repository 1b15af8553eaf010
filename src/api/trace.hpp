// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "base/recorder.hpp"
#include "kallima/plan.hpp"
#include "plan/flaw.hpp"

namespace kallima {

/// What one rank recorded, as lines of JSON: each an event of the trace format of Chrome and
/// Perfetto, with a comma behind all but the last. Stages are numbered variant by variant (forward
/// out of place, in place, backward likewise), `stage_stride` from one variant to the next.
std::string trace_events(const Recorder& recorder, const std::array<Plan, 2>& plans, int rank);

/// The whole file around such lines, of one rank or of several.
std::string trace_file(const std::string& events, const Plan& forward);

/// From one variant's stages to the next one's.
inline constexpr Index stage_stride = 1024;
static_assert(most_steps < stage_stride);

/// FILE.json becomes FILE.HASH.RANK.json: one for each transform and rank of a job.
std::string trace_name(const std::string& file, const Plan& forward, int rank);

}  // namespace kallima

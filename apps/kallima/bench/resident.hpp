// SPDX-License-Identifier: BSD-3-Clause
//
// Memory as the system sees it: what a contender really holds, whatever it says.
#pragma once

#include <optional>

#include "kallima/index.hpp"

namespace kallima::cli {

/// Bytes of this process that lie in memory now; nothing where the system does not tell.
std::optional<Index> resident_bytes();

/// The most since the last forget_peak(). Pages shared with other ranks count in each that touched
/// them.
std::optional<Index> peak_resident_bytes();

/// Starts the peak anew at what lies in memory now.
void forget_peak();

}  // namespace kallima::cli

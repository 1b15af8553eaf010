// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "calibration/calibrate.hpp"
#include "chart/chart.hpp"

namespace kallima::cli {

/// What a calibration found, to look at: sweeps in cache and beyond, and each link that was
/// measured beside what the models say of it.
std::vector<Chart> charts_of(const calibration::Calibration& found);

}  // namespace kallima::cli

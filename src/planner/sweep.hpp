// SPDX-License-Identifier: BSD-3-Clause
//
// How a sweep's tiles are chosen; in one place, so that what is calibrated is what is planned.
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// The sweep along a digit of a layout, by itself; by kernels where there are any, unless the
/// request is for FFTW. Which engine is cheaper is found out when the plan is made (engines.hpp).
Sweep line_sweep(const PlanRequest& request, Kernel kernel, const Layout& layout,
                 std::size_t digit);

}  // namespace kallima

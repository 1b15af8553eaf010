// SPDX-License-Identifier: BSD-3-Clause
#define KALLIMA_REAL float
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/line_passes_f32.cpp"
#include "fft/line_targets.hpp"

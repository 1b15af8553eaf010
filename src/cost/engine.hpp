// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kallima/price.hpp"

namespace kallima {

/// Steps of a plan whose lines kernels transform, and which would take clearly less time with FFTW.
/// Two sweeps in one pass go one way or the other together.
std::vector<std::size_t> faster_by_fftw(const Plan& plan, const Machine& machine);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/planner.hpp"

namespace kallima {

/// A plan whose lines go by kernels wherever there are any, with FFTW instead in those sweeps where
/// that is cheaper on the machine.
Plan by_cheaper_engines(const Plan& plan, const Machine& machine);

/// The same steps with one engine in all sweeps: kernels as far as there are any.
Plan by_engine(const Plan& plan, LineEngine engine);

}  // namespace kallima

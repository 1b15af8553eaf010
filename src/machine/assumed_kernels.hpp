// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine/figures.hpp"

namespace kallima {

/// Takes the rates of kernels to be FFTW's times typical factors, and says so in the sources: of
/// machines that were calibrated with FFTW alone.
void assume_kernels(MachineFigures& machine);

}  // namespace kallima

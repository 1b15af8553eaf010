// SPDX-License-Identifier: BSD-3-Clause
//
// The factors are rounded medians over lengths from 16 to 4,096 (docs/decisions/0045). Kernels are
// nowhere taken to be slower than FFTW, so that where nothing was measured they are chosen.
#include "machine/assumed_kernels.hpp"

namespace kallima {

namespace {

FftRates assumed(const FftRates& fftw) {
  constexpr double lines_beyond = 0.6;
  constexpr double across_in_cache = 0.5;
  constexpr double ragged = 1.5;
  FftRates kernels = fftw;
  kernels.lines.beyond = fftw.lines.beyond.scaled(lines_beyond);
  kernels.interleaved.in_cache = fftw.interleaved.in_cache.scaled(across_in_cache);
  kernels.ragged = ragged;
  return kernels;
}

}  // namespace

void assume_kernels(MachineFigures& machine) {
  for (Speed& speed : machine.speeds) {
    speed.kernels_f32 = assumed(speed.f32);
    speed.kernels_f64 = assumed(speed.f64);
  }
  for (const char* const figures : {"speed.f32.kernels", "speed.f64.kernels"}) {
    machine.sources[figures] = "assumed: FFTW's times typical factors";
  }
}

}  // namespace kallima

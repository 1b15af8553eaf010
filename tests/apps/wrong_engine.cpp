// SPDX-License-Identifier: BSD-3-Clause
//
// An FFT engine that is wrong in one element of every call: what `bench --verify` must notice. It
// is loaded before FFTW (LD_PRELOAD) and passes on to it.
#include <dlfcn.h>
#include <fftw3.h>

extern "C" void fftw_execute_dft(const fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  using Execute = void (*)(fftw_plan, fftw_complex*, fftw_complex*);
  static const auto right = reinterpret_cast<Execute>(dlsym(RTLD_NEXT, "fftw_execute_dft"));
  right(plan, in, out);
  out[0][0] *= 1.0 + 1e-9;
}

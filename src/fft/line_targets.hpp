// SPDX-License-Identifier: BSD-3-Clause
//
// Which passes there are of a precision. Which of them a processor can run base/processor.hpp
// tells, so that nothing of the library that they are written with is linked. Included by the
// source of each precision, once for every set of instructions.

// Left out: those that differ from others in what passes do not use, and vectors of a length that
// is not known when compiling, which cannot lie in arrays.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
// After it, for it includes this file again.
#include "fft/line_passes_impl.hpp"

#if HWY_ONCE
namespace kallima::fft {

namespace {

// NOLINTNEXTLINE(misc-definitions-in-headers): each precision's source alone includes this.
constexpr TargetPasses<KALLIMA_REAL> all_passes[] = {
#if HWY_TARGETS & HWY_AVX3
    {Vectors::avx512, N_AVX3::passes},
#endif
#if HWY_TARGETS & HWY_AVX2
    {Vectors::avx2, N_AVX2::passes},
#endif
#if HWY_TARGETS & HWY_SSE4
    {Vectors::sse4, N_SSE4::passes},
#endif
#if HWY_TARGETS & HWY_NEON
    {Vectors::neon, N_NEON::passes},
#endif
};

}  // namespace

template <>
std::span<const TargetPasses<KALLIMA_REAL>> line_passes() {  // NOLINT(misc-definitions-in-headers)
  return all_passes;
}

}  // namespace kallima::fft
#endif

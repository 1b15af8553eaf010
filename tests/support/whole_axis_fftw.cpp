// SPDX-License-Identifier: BSD-3-Clause
#include <fftw3.h>

#include <array>

#include "support/whole_axis.hpp"

namespace kallima::test {

namespace {

fftw_r2r_kind r2r_kind(AxisKind kind) {
  constexpr std::array kinds = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[static_cast<std::size_t>(kind) - static_cast<std::size_t>(AxisKind::cosine_1)];
}

}  // namespace

void transform_axis(Whole& data, const Shape& shape, std::size_t axis, AxisKind kind, int sign) {
  Index inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  const Index n = shape[axis];
  const Index outer = static_cast<Index>(data.size()) / inner / n;
  auto* const raw = reinterpret_cast<fftwl_complex*>(data.data());
  auto* const reals = reinterpret_cast<long double*>(data.data());
  fftwl_plan plan = nullptr;
  if (is_trigonometric(kind)) {
    const fftw_iodim64 line{n, 2 * inner, 2 * inner};
    const std::array<fftw_iodim64, 2> lines = {
        {{outer, 2 * n * inner, 2 * n * inner}, {2 * inner, 1, 1}}};
    const fftw_r2r_kind what = r2r_kind(kind);
    plan = fftwl_plan_guru64_r2r(1, &line, 2, lines.data(), reals, reals, &what, FFTW_ESTIMATE);
  } else {
    const fftw_iodim64 line{n, inner, inner};
    const std::array<fftw_iodim64, 2> lines = {{{outer, n * inner, n * inner}, {inner, 1, 1}}};
    plan = fftwl_plan_guru64_dft(1, &line, 2, lines.data(), raw, raw, sign, FFTW_ESTIMATE);
  }
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
}

}  // namespace kallima::test

// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays that are whole, in a longer precision: by FFTW (whole_axis_fftw.cpp), or by the definition
// (whole_axis.cpp) where the library is built without FFTW.
#pragma once

#include <complex>
#include <vector>

#include "kallima/problem.hpp"

namespace kallima::test {

using Whole = std::vector<std::complex<long double>>;

/// Transforms a row-major array along one axis, in place. sign is -1 for forward.
void transform_axis(Whole& data, const Shape& shape, std::size_t axis, AxisKind kind, int sign);

}  // namespace kallima::test

// SPDX-License-Identifier: BSD-3-Clause
//
// Test data by global index, and their transform in a longer precision.
#pragma once

#include <complex>
#include <vector>

#include "kallima/layout.hpp"
#include "kallima/plan.hpp"

namespace kallima::test {

/// Element `flat` (row-major) of the test array of a seed, representable in T.
template <class T>
std::complex<T> sample(std::uint64_t seed, Index flat);

/// Row-major number of an index.
Index flat_index(const Shape& shape, const std::vector<Index>& index);

/// Row-major numbers of what `rank` holds, in the order of its memory.
std::vector<Index> flat_part(const Layout& layout, Index rank);

/// Transform of the whole test array, row-major, unscaled, in long double; of its real parts alone
/// where asked.
template <class T>
std::vector<std::complex<long double>> reference(const Shape& shape, std::uint64_t seed,
                                                 Direction direction, bool real = false);

/// The library's promise: relative L2 error at most max(eps, 1.5 eps sqrt(log2 N)).
double promised_error(Precision precision, Index elements);

}  // namespace kallima::test

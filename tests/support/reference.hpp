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

/// An element that a rank holds: its row-major number, and its place in memory.
struct HeldElement {
  Index flat = 0;
  std::size_t offset = 0;
};

/// What `rank` holds, in the order of its memory.
std::vector<HeldElement> held_part(const Layout& layout, Index rank);

/// Row-major numbers of what `rank` holds, in the order of its memory.
std::vector<Index> flat_part(const Layout& layout, Index rank);

/// Transform of the whole test array forward, row-major, unscaled, in long double, with all
/// frequencies; of its real parts alone where positions are real.
template <class T>
std::vector<std::complex<long double>> reference(const Problem& problem, std::uint64_t seed);

/// The test array again, of which only frequencies |k| <= problem.keep are left.
template <class T>
std::vector<std::complex<long double>> low_pass(const Problem& problem, std::uint64_t seed);

/// The library's promise: relative L2 error at most max(eps, 1.5 eps sqrt(log2 N)).
double promised_error(Precision precision, Index elements);

}  // namespace kallima::test

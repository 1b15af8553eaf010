// SPDX-License-Identifier: BSD-3-Clause
//
// What plans have to know of the kernels for lines: which lengths there are, and what they take.
#pragma once

#include <algorithm>

#include "kallima/index.hpp"

namespace kallima {

/// Longest lines that there are kernels for: their passes stay in the second cache.
inline constexpr Index longest_kernel_line = 4096;

/// True for products of primes to 13.
inline bool has_small_primes(Index length) {
  for (const Index prime : {2, 3, 5, 7, 11, 13}) {
    while (length % prime == 0) length /= prime;
  }
  return length == 1;
}

/// True for lengths that there is a kernel for.
inline bool has_kernel(Index length) {
  return length >= 2 && length <= longest_kernel_line && has_small_primes(length);
}

/// Roots of unity between the sweeps of a split axis are products of two, of so many and of others.
inline constexpr Index fine_roots = 32;

/// Bytes that a group of lines, which a kernel transforms together, has of each element. Two cache
/// lines: written past the caches, each by itself would be on another page than the one before,
/// which takes a sixth longer even where one alone would leave the group in the first cache
/// (lines of 256 out of memory; launches one after the other).
inline constexpr Index group_bytes = 128;

/// Bytes that a kernel wants as scratch, whole cache lines: a group of lines twice, once in rows
/// with gaps, since rows a power of two apart would meet in few sets of the cache; what elements
/// lie where, four times; and roots, two groups each.
inline Index kernel_scratch(Index length) {
  constexpr Index longest_rows = 16 * 17;  // of two passes
  const Index rows = std::max(length + 16, longest_rows);
  const Index work = (rows + length) * group_bytes;
  const Index tables = (length + 1) / 2 * 64;
  const Index roots = 2 * (fine_roots + length / fine_roots + 1) * group_bytes;
  return work + tables + roots;
}

/// The same for lines of reals, two neighbours as one number: beside the kernel's own there is room
/// for a group of lines.
inline Index real_kernel_scratch(Index pairs) {
  return kernel_scratch(pairs) + pairs * group_bytes;
}

}  // namespace kallima

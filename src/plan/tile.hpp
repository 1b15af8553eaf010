// SPDX-License-Identifier: BSD-3-Clause
//
// How tiles lie in their buffer. Rows of a tile begin an odd number of cache lines apart: powers of
// two, which most extents are, would put all rows into few sets of the cache.
#pragma once

#include "kallima/plan.hpp"

namespace kallima {

/// Bytes of a cache line.
inline constexpr Index cache_line = 64;

/// Elements from one row of this many to the next.
inline Index padded_row(Index elements, Index element_bytes) {
  const Index lines = ceil_div(elements * element_bytes, cache_line);
  return (lines + 1 - lines % 2) * cache_line / element_bytes;
}

/// Lines of a tile that lie across memory are transformed so many at a time, and rows of a plane
/// likewise: two cache lines' worth, which stay in the first cache with all their elements.
inline Index chunk_lines(Index element_bytes) { return 2 * cache_line / element_bytes; }

/// Elements of the buffer of a sweep along a digit of this extent.
inline Index tile_elements(const Sweep& sweep, Index length, Index element_bytes) {
  if (sweep.form == TileForm::lines) return sweep.lines * length;
  return length * padded_row(sweep.lines, element_bytes);
}

/// Elements of the buffer of two joined sweeps: rows along the digit that is fastest in memory.
inline Index plane_elements(Index fast, Index slow, Index element_bytes) {
  return slow * padded_row(fast, element_bytes);
}

}  // namespace kallima

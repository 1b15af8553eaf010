// SPDX-License-Identifier: BSD-3-Clause
//
// How tiles lie in their buffer. Lines are gathered as they lie in memory, interleaved where they
// lie across it; the engine leaves each line in one piece. Measured, that is its fastest way by far
// for lines that lie across memory: in place it takes up to twice as long.
//
// Rows of a tile begin an odd number of cache lines apart: powers of two, which most extents are,
// would put all rows into few sets of the cache. Sizes are whole cache lines.
#pragma once

#include <algorithm>

#include "base/strides.hpp"
#include "kallima/plan.hpp"

namespace kallima {

/// Bytes of a cache line.
inline constexpr Index cache_line = 64;

/// Elements from one row of this many to the next.
inline Index padded_row(Index elements, Index element_bytes) {
  const Index lines = ceil_div(elements * element_bytes, cache_line);
  return (lines + 1 - lines % 2) * cache_line / element_bytes;
}

/// Lines that lie across memory are transformed so many at a time, and rows of a plane likewise:
/// two cache lines' worth, which stay in the first cache with all their elements.
inline Index chunk_lines(Index element_bytes) { return 2 * cache_line / element_bytes; }

/// The tile of a sweep: where lines are gathered and, behind that, where the engine leaves them.
struct TileShape {
  Index length = 1;  ///< of a line
  Index lines = 1;   ///< gathered at a time
  Index chunk = 1;   ///< transformed at a time; divides the lines
  Strides gathered;
  Strides done;
  Index gathered_size = 1;  ///< elements
  Index done_size = 0;      ///< elements; 0: in place

  [[nodiscard]] Index size() const { return gathered_size + done_size; }
  [[nodiscard]] bool in_place() const { return done_size == 0; }
};

/// Of a sweep along a digit of this extent.
inline TileShape tile_shape(const Sweep& sweep, Index length, Index element_bytes) {
  // One line that exceeds the caches by itself is transformed where it is, to save memory.
  constexpr Index long_line = Index{1} << 20;
  const Index done_row = padded_row(length, element_bytes);
  TileShape shape;
  shape.length = length;
  shape.lines = sweep.lines;
  if (sweep.form == TileForm::lines) {
    shape.chunk = sweep.lines;
    shape.gathered = {1, length};
    shape.gathered_size = padded_row(sweep.lines * length, element_bytes);
    const bool in_place = length * element_bytes > long_line;
    shape.done = in_place ? shape.gathered : Strides{1, done_row};
    shape.done_size = in_place ? 0 : sweep.lines * done_row;
    return shape;
  }
  const Index chunk = chunk_lines(element_bytes);
  shape.chunk = sweep.lines % chunk == 0 ? chunk : sweep.lines;
  shape.gathered = {padded_row(sweep.lines, element_bytes), 1};
  shape.gathered_size = length * shape.gathered.element;
  shape.done = {1, done_row};
  shape.done_size = shape.lines * done_row;
  return shape;
}

/// The tile of two joined sweeps: a plane, whose rows lie along the digit that is fastest in
/// memory, and room aside for chunks of its rows or columns.
struct PlaneShape {
  Index rows = 1;
  Index columns = 1;
  Index row = 1;           ///< elements from row to row
  Index row_chunk = 1;     ///< rows at a time
  Index column_chunk = 1;  ///< columns at a time
  Index column = 1;        ///< elements from column to column, aside
  Index wide = 1;          ///< columns that fit aside
  Index aside = 0;         ///< elements

  [[nodiscard]] Index plane_size() const { return rows * row; }
  [[nodiscard]] Index size() const { return plane_size() + aside; }
};

/// Of sweeps along the digit that is fastest in memory and another, whose extents are these.
inline PlaneShape plane_shape(const Sweep& fast, Index columns, const Sweep& slow, Index rows,
                              Index element_bytes) {
  PlaneShape shape;
  shape.rows = rows;
  shape.columns = columns;
  shape.row = padded_row(columns, element_bytes);
  shape.row_chunk = fast.lines;
  shape.column_chunk = slow.lines;
  shape.column = padded_row(rows, element_bytes);
  shape.wide = std::min(columns, 4 * shape.column_chunk);
  shape.aside =
      std::max(padded_row(shape.row_chunk * columns, element_bytes), shape.wide * shape.column);
  return shape;
}

}  // namespace kallima

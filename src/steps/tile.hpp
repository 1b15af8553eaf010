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

#include "base/any_line.hpp"
#include "base/checked.hpp"
#include "base/line_kernel.hpp"
#include "base/strides.hpp"
#include "kallima/steps.hpp"

namespace kallima {

/// Bytes of a cache line.
inline constexpr Index cache_line = 64;

/// Elements from one row of this many to the next.
inline Index padded_row(Index elements, Index element_bytes) {
  const Index lines = ceil_div(elements * element_bytes, cache_line);
  return (lines + 1 - lines % 2) * cache_line / element_bytes;
}

/// The same where kernels work on them, by whole groups.
inline Index group_row(Index elements, Index element_bytes) {
  const Index group = 2 * cache_line / element_bytes;
  return padded_row(ceil_div(elements, group) * group, element_bytes);
}

/// Lines that lie across memory are transformed so many at a time, and rows of a plane likewise:
/// two cache lines' worth, which stay in the first cache with all their elements.
inline Index chunk_lines(Index element_bytes) { return 2 * cache_line / element_bytes; }

/// One side of a tile: lines of so many elements of so many bytes.
struct TileSide {
  Index length = 1;  ///< elements of a line
  Index bytes = 16;  ///< of an element
  Strides strides;   ///< in elements
};

/// The tile of a sweep: where lines are gathered and, behind that, where the engine leaves them.
struct TileShape {
  Index length = 1;  ///< of a line, in positions
  Index lines = 1;   ///< gathered at a time
  Index chunk = 1;   ///< transformed at a time; divides the lines
  TileSide gathered;
  TileSide done;
  Index gathered_size = 1;  ///< in complex elements
  Index done_size = 0;      ///< in complex elements; 0: in place

  [[nodiscard]] Index size() const { return gathered_size + done_size; }
  [[nodiscard]] bool in_place() const { return done_size == 0; }
};

/// Of a sweep along a digit whose positions are so many; an element is a complex number, but
/// `of_reals` real numbers are swept to real ones.
inline TileShape tile_shape(const Sweep& sweep, Direction direction, Index length,
                            Index element_bytes, bool of_reals = false) {
  // One line that exceeds the caches by itself is transformed where it is, to save memory.
  constexpr Index long_line = Index{1} << 20;
  const bool real = sweep.kernel == Kernel::real;
  const Index half = element_bytes / 2;
  const TileSide positions{length, real || of_reals ? half : element_bytes, {}};
  const TileSide frequencies{
      real ? half_extent(length) : length, of_reals ? half : element_bytes, {}};
  const bool forward = direction == Direction::forward;
  const auto room = [&](Index elements, Index bytes) {
    return ceil_div(elements * bytes, element_bytes);
  };
  TileShape shape;
  shape.length = length;
  shape.lines = sweep.lines;
  shape.gathered = forward ? positions : frequencies;
  shape.done = forward ? frequencies : positions;
  TileSide& gathered = shape.gathered;
  TileSide& done = shape.done;
  done.strides = {1, padded_row(done.length, done.bytes)};
  shape.done_size = room(sweep.lines * done.strides.line, done.bytes);
  if (sweep.form == TileForm::lines) {
    shape.chunk = sweep.lines;
    gathered.strides = {1, gathered.length};
    shape.gathered_size =
        padded_row(room(sweep.lines * gathered.length, gathered.bytes), element_bytes);
    if (!real && length * element_bytes > long_line) {
      done.strides = gathered.strides;
      shape.done_size = 0;
    }
    return shape;
  }
  if (sweep.engine == LineEngine::kernels && !sweep.turns) {  // which leave lines as they find them
    done.strides = {group_row(sweep.lines, done.bytes), 1};
    shape.done_size = room(done.length * done.strides.element, done.bytes);
  }
  const Index chunk = chunk_lines(element_bytes);
  shape.chunk = sweep.lines % chunk == 0 ? chunk : sweep.lines;
  gathered.strides = {sweep.engine == LineEngine::kernels ? group_row(sweep.lines, gathered.bytes)
                                                          : padded_row(sweep.lines, gathered.bytes),
                      1};
  shape.gathered_size = room(gathered.length * gathered.strides.element, gathered.bytes);
  return shape;
}

/// True for what kernels compute, of any length.
inline bool has_kernels(Kernel kernel) {
  return kernel == Kernel::fourier || kernel == Kernel::real || is_trigonometric(kernel);
}

/// True where there is a kernel for the lines of a sweep, of so many positions, as they are: of
/// reals two neighbours are one number.
inline bool has_kernel(const Sweep& sweep, Index positions) {
  if (sweep.kernel == Kernel::fourier) return has_kernel(positions);
  return sweep.kernel == Kernel::real && sweep.form == TileForm::lines && positions % 2 == 0 &&
         has_kernel(positions / 2);
}

/// Complex elements that a sweep's engine wants behind the tile, for lines of so many positions.
inline Index engine_scratch(const Sweep& sweep, Index positions, Index element_bytes) {
  if (sweep.engine != LineEngine::kernels) return 0;
  const auto bytes = [&] {
    if (is_trigonometric(sweep.kernel)) {
      const int kind = static_cast<int>(sweep.kernel) - static_cast<int>(Kernel::cosine_1);
      return combined_lines_scratch(trigonometric_points(kind, positions), sweep.lines,
                                    element_bytes);
    }
    if (sweep.kernel == Kernel::fourier) {
      return complex_lines_scratch(positions, sweep.lines, element_bytes);
    }
    return has_kernel(sweep, positions)
               ? real_kernel_scratch(positions / 2)
               : combined_lines_scratch(real_points(positions), sweep.lines, element_bytes);
  };
  return bytes() / element_bytes;
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
  Index wide_row = 1;      ///< elements from row to row, where that many columns lie aside as rows
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
  shape.wide_row = slow.engine == LineEngine::kernels ? group_row(shape.wide, element_bytes)
                                                      : padded_row(shape.wide, element_bytes);
  shape.aside =
      std::max({shape.row_chunk * shape.row, shape.wide * shape.column, rows * shape.wide_row});
  return shape;
}

}  // namespace kallima

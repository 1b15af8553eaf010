// SPDX-License-Identifier: BSD-3-Clause
//
// The layouts in which rivals that work in pencils are met: whole lines along x in position, along
// z in frequency, on the same grid of ranks. With one row of ranks these are slabs, and one
// exchange leads from one to the other; so rows are added only where there are more ranks than
// planes.
#pragma once

#include <algorithm>
#include <optional>

#include "kallima/layout.hpp"

namespace kallima::cli {

/// Ranks in a grid: rank = row * columns + column.
struct PencilGrid {
  Index rows = 1;
  Index columns = 1;
};

/// The grid with the fewest rows in which every rank has lines along x, y and z of a shape of three
/// axes; nothing where there is none.
inline std::optional<PencilGrid> pencil_grid(const Shape& shape, Index ranks) {
  const Index z = shape[0];
  const Index y = shape[1];
  const Index x = shape[2];
  for (Index rows = 1; rows <= std::min({ranks, x, y}); ++rows) {
    if (ranks % rows == 0 && ranks / rows <= std::min(y, z)) return PencilGrid{rows, ranks / rows};
  }
  return std::nullopt;
}

/// y over the rows, z over the columns.
inline Layout pencils_along_x(const Shape& shape, PencilGrid grid) {
  return Layout::grid(
      {{shape[0], grid.columns}, {shape[1], grid.rows, 1, grid.columns}, {shape[2]}});
}

/// x over the rows, y over the columns.
inline Layout pencils_along_z(const Shape& shape, PencilGrid grid) {
  return Layout::grid(
      {{shape[0]}, {shape[1], grid.columns}, {shape[2], grid.rows, 1, grid.columns}});
}

}  // namespace kallima::cli

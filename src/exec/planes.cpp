// SPDX-License-Identifier: BSD-3-Clause
//
// Two joined sweeps: planes of both digits are gathered and transformed in cache, first along their
// rows, then along their columns, and each chunk of columns is scattered as soon as it is done.
// Which axis comes first does not matter to the result: nothing is multiplied in between.
#include "exec/executor.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

namespace {

/// What a part of a plane has in common with each patch: copy(patch, common). Lines of `common` are
/// rows of the plane; the tile begins at the part.
template <class Copy>
void for_each_common(const LegLayout& leg, const Places& at, const std::vector<Patch>& patches,
                     const Range& rows, const Range& columns, const Strides& tile, Copy copy) {
  for (const Patch& patch : patches) {
    Common common;
    if (!offset_in(patch, leg.others, at, common.in_patch)) continue;
    const Progression& down = patch.places[leg.plane.slow];
    const Progression& along = patch.places[leg.plane.fast];
    const Run met_rows = run_of(down, rows);
    const Run met_columns = run_of(along, columns);
    if (met_rows.count == 0 || met_columns.count == 0) continue;
    common.patch = {patch.strides[leg.plane.fast], patch.strides[leg.plane.slow]};
    common.in_patch += met_rows.skip * common.patch.line + met_columns.skip * common.patch.element;
    common.in_tile = (met_rows.first - rows.begin) * tile.line +
                     (met_columns.first - columns.begin) * tile.element;
    common.tile = {along.step * tile.element, down.step * tile.line};
    common.lines = met_rows.count;
    common.length = met_columns.count;
    copy(patch, common);
  }
}

}  // namespace

template <class T>
void Executor<T>::sweep_planes(const LegLayout& leg, const Areas& areas, T factor,
                               const Worker& worker) const {
  using Element = std::complex<T>;
  const PlaneShape& shape = leg.plane.shape;
  Element* const plane = worker.tile;
  Element* const aside = plane + shape.plane_size();
  const Range all_rows{0, shape.rows};
  const Range all_columns{0, shape.columns};
  // Rows that lie in the source as the engine wants them are read from there.
  const Patch* const only = leg.sources.size() == 1 ? &leg.sources.front() : nullptr;
  const bool dense = only != nullptr && only->strides[leg.plane.fast] == 1 &&
                     only->strides[leg.plane.slow] == shape.columns;

  Index planes = 1;
  for (const int digit : leg.others) planes *= leg.local_shape[static_cast<std::size_t>(digit)];
  const Range mine = share(planes, worker.number, worker.count);
  Places at{};
  place_at(at, mine.begin, leg.others, leg.local_shape);
  for (Index number = mine.begin; number < mine.end; ++number) {
    Index offset = 0;
    const Element* source = nullptr;
    if (dense && offset_in(*only, leg.others, at, offset)) {
      source = readable<T>(areas, only->area, only->owner) + offset;
    }
    for (Index row = 0; row < shape.rows; row += shape.row_chunk) {
      const Range rows{row, std::min(shape.rows, row + shape.row_chunk)};
      const Element* from = source == nullptr ? nullptr : source + row * shape.columns;
      if (from == nullptr || !local::Engine<T>::aligned(from)) {
        for_each_common(leg, at, leg.sources, rows, all_columns, {1, shape.columns},
                        [&](const Patch& patch, const Common& common) {
                          gather<T>(aside, areas, patch, common);
                        });
        from = aside;
      }
      const bool whole = rows.size() == shape.row_chunk;
      engines_[whole ? leg.plane.rows : leg.plane.last_rows].run(from, plane + row * shape.row);
    }
    for (Index column = 0; column < shape.columns; column += leg.at_once) {
      const Range columns{column, std::min(shape.columns, column + leg.at_once)};
      for (Index begin = column; begin < columns.end; begin += shape.column_chunk) {
        const bool whole = shape.columns - begin >= shape.column_chunk;
        engines_[whole ? leg.plane.columns : leg.plane.last_columns].run(
            plane + begin, aside + (begin - column) * shape.column);
      }
      scale_lines(aside, shape.column, columns.size(), shape.rows, factor);
      for_each_common(leg, at, leg.targets, all_rows, columns, {shape.column, 1},
                      [&](const Patch& patch, const Common& common) {
                        scatter<T>(aside, areas, patch, common, leg.streams);
                      });
    }
    place_next(at, leg.others, leg.local_shape);
  }
}

template void Executor<float>::sweep_planes(const LegLayout&, const Areas&, float,
                                            const Worker&) const;
template void Executor<double>::sweep_planes(const LegLayout&, const Areas&, double,
                                             const Worker&) const;

}  // namespace kallima::exec

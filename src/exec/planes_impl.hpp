// SPDX-License-Identifier: BSD-3-Clause
//
// Two joined sweeps: planes of both digits are gathered and transformed in cache, first along their
// rows, then along their columns, and each chunk of columns is scattered as soon as it is done.
// Which axis comes first does not matter to the result: nothing is multiplied in between.
#pragma once

#include "exec/executor.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

/// What a part of a plane has in common with each block: copy(block, common). Lines of `common` are
/// rows of the plane; the tile begins at the part.
template <class Copy>
void for_each_common(const StageLayout& stage, const Places& at,
                     const std::vector<StridedBlock>& blocks, const Range& rows,
                     const Range& columns, const Strides& tile, Copy copy) {
  for (const StridedBlock& block : blocks) {
    Common common;
    if (!offset_in(block, stage.others, at, common.in_block)) continue;
    const Progression& down = block.places[stage.plane.slow];
    const Progression& along = block.places[stage.plane.fast];
    const Run met_rows = run_of(down, rows);
    const Run met_columns = run_of(along, columns);
    if (met_rows.count == 0 || met_columns.count == 0) continue;
    common.block = {block.strides[stage.plane.fast], block.strides[stage.plane.slow]};
    common.in_block += met_rows.skip * common.block.line + met_columns.skip * common.block.element;
    common.in_tile = (met_rows.first - rows.begin) * tile.line +
                     (met_columns.first - columns.begin) * tile.element;
    common.tile = {along.step * tile.element, down.step * tile.line};
    common.lines = met_rows.count;
    common.length = met_columns.count;
    copy(block, common);
  }
}

/// Calls visit(at) for the planes of a stage that a thread works on.
template <class Visit>
void for_each_plane(const StageLayout& stage, Index thread, Index threads, Visit visit) {
  Index planes = 1;
  for (const int digit : stage.others) planes *= stage.local_shape[static_cast<std::size_t>(digit)];
  const Range mine = share(planes, thread, threads);
  Places at{};
  place_at(at, mine.begin, stage.others, stage.local_shape);
  for (Index number = mine.begin; number < mine.end; ++number) {
    visit(at);
    place_next(at, stage.others, stage.local_shape);
  }
}

/// Calls visit(range, whole) for chunks of [begin, end); whole is false for what is left over.
template <class Visit>
void for_each_chunk(Index begin, Index end, Index chunk, Visit visit) {
  for (; begin < end; begin += chunk) {
    const Range range{begin, std::min(end, begin + chunk)};
    visit(range, range.size() == chunk);
  }
}

/// True where a backward sweep finds nothing for some frequencies: they are not kept.
inline bool pads(const StageLayout& stage) {
  return stage.direction == Direction::backward &&
         stage.plane.dropped_rows.size() + stage.plane.dropped_columns.size() > 0;
}

/// True where nothing of a part is kept.
inline bool inside(const Range& part, const Range& dropped) {
  return part.begin >= dropped.begin && part.end <= dropped.end;
}

/// Transforms the rows of a plane, whose elements are of type From. Rows that lie in the source as
/// the engine wants them are read from there.
template <class T, class From>
void transform_rows(const StageLayout& stage, const typename Executor<T>::Areas& areas,
                    const EngineSet<T>& engines, const Places& at, Number<T>* plane,
                    Number<T>* aside) {
  const PlaneShape& shape = stage.plane.shape;
  const Strides lying{1, stage.plane.source_row};
  const Range all{0, stage.from_real ? stage.length : shape.columns};
  const bool padded = pads(stage);
  const From* source = nullptr;
  for (const StridedBlock& block : stage.sources) {
    Index offset = 0;
    const bool lies = block.strides[stage.plane.fast] == lying.element &&
                      block.strides[stage.plane.slow] == lying.line &&
                      block.places[stage.plane.fast].count == all.end &&
                      block.places[stage.plane.slow].count == shape.rows && !block.conjugated;
    if (padded || !lies || !offset_in(block, stage.others, at, offset)) continue;
    source = reinterpret_cast<const From*>(readable<T>(areas, block.area, block.owner)) + offset;
    break;
  }
  for_each_chunk(0, shape.rows, shape.row_chunk, [&](const Range& rows, bool whole) {
    if (padded) {
      if (inside(rows, stage.plane.dropped_rows)) {
        std::fill_n(plane + rows.begin * shape.row, rows.size() * shape.row, Number<T>{});
        return;
      }
      std::fill_n(aside, rows.size() * lying.line, Number<T>{});
    }
    const Number<T>* from = aside;
    if (source != nullptr) {
      from = reinterpret_cast<const Number<T>*>(source + rows.begin * lying.line);
    }
    if (source == nullptr || !EngineSet<T>::Engine::aligned(from)) {
      from = aside;
      for_each_common(stage, at, stage.sources, rows, all, lying,
                      [&](const StridedBlock& block, const Common& common) {
                        gather<T>(reinterpret_cast<From*>(aside), areas, block, common);
                      });
    }
    engines[whole ? stage.plane.rows : stage.plane.last_rows].run(from,
                                                                  plane + rows.begin * shape.row);
  });
}

/// Transforms some columns, chunk by chunk. The first begins at `from` and is left at `to`;
/// neighbours are so far apart.
template <class T>
void transform_columns(const StageLayout& stage, const EngineSet<T>& engines, const Range& columns,
                       const Number<T>* from, Index from_stride, Number<T>* to, Index to_stride) {
  const auto run = [&](const Range& chunk, bool whole) {
    const Index at = chunk.begin - columns.begin;
    engines[whole ? stage.plane.columns : stage.plane.last_columns].run(from + at * from_stride,
                                                                        to + at * to_stride);
  };
  for_each_chunk(columns.begin, columns.end, stage.plane.shape.column_chunk, run);
}

template <class T>
void Executor<T>::sweep_planes(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                               const Worker& worker) const {
  const PlaneShape& shape = stage.plane.shape;
  Number<T>* const plane = worker.tile;
  Number<T>* const aside = plane + shape.plane_size();
  const auto rows_of = [&](const Places& at) {
    if constexpr (has_reals<T>) {
      if (stage.from_real) {
        return transform_rows<T, RealNumber<T>>(stage, areas, engines_, at, plane, aside);
      }
    }
    transform_rows<T, Number<T>>(stage, areas, engines_, at, plane, aside);
  };
  const bool skips = stage.direction == Direction::forward;
  for_each_plane(stage, worker.number, worker.count, [&](const Places& at) {
    rows_of(at);
    for_each_chunk(0, shape.columns, stage.at_once, [&](const Range& columns, bool) {
      if (skips && inside(columns, stage.plane.dropped_columns)) return;
      transform_columns<T>(stage, engines_, columns, plane + columns.begin, 1, aside, shape.column);
      Operation<T>::scale(engines_.setup(), aside, shape.column, columns.size(), shape.rows,
                          factor);
      for_each_common(stage, at, stage.targets, {0, shape.rows}, columns, {shape.column, 1},
                      [&](const StridedBlock& block, const Common& common) {
                        scatter<T>(aside, areas, block, common, stage.streams);
                      });
      worker.progress();
    });
  });
}

// Reals come last, so here the columns are first.
template <class T>
void Executor<T>::sweep_planes_to_real(const StageLayout& stage, const Areas& areas,
                                       Factor<T> factor, const Worker& worker) const {
  const PlaneShape& shape = stage.plane.shape;
  Number<T>* const plane = worker.tile;
  Number<T>* const aside = plane + shape.plane_size();
  auto* const reals = reinterpret_cast<RealNumber<T>*>(aside);
  const bool padded = pads(stage);
  const auto clear_columns = [&](const Range& columns) {
    for (Index row = 0; row < shape.rows; ++row) {
      std::fill_n(plane + row * shape.row + columns.begin, columns.size(), Number<T>{});
    }
  };
  for_each_plane(stage, worker.number, worker.count, [&](const Places& at) {
    for_each_chunk(0, shape.columns, shape.wide, [&](const Range& columns, bool) {
      if (padded) {
        if (inside(columns, stage.plane.dropped_columns)) return clear_columns(columns);
        std::fill_n(aside, shape.rows * shape.wide_row, Number<T>{});
      }
      for_each_common(stage, at, stage.sources, {0, shape.rows}, columns, {1, shape.wide_row},
                      [&](const StridedBlock& block, const Common& common) {
                        gather<T>(aside, areas, block, common);
                      });
      transform_columns<T>(stage, engines_, columns, aside, 1, plane + columns.begin, 1);
    });
    for_each_chunk(0, shape.rows, shape.row_chunk, [&](const Range& rows, bool whole) {
      engines_[whole ? stage.plane.rows : stage.plane.last_rows].run(plane + rows.begin * shape.row,
                                                                     aside);
      Operation<T>::scale(engines_.setup(), reals, stage.plane.real_row, rows.size(), stage.length,
                          factor);
      for_each_common(stage, at, stage.targets, rows, {0, stage.length}, {1, stage.plane.real_row},
                      [&](const StridedBlock& block, const Common& common) {
                        scatter<T>(reals, areas, block, common, stage.streams);
                      });
      worker.progress();
    });
  });
}

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
//
// Two joined sweeps: planes of both digits are gathered and transformed in cache, first along their
// rows, then along their columns, and each chunk of columns is scattered as soon as it is done.
// Which axis comes first does not matter to the result: nothing is multiplied in between.
#pragma once

#include "exec/elements.hpp"
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
    Index begin = 0;
    if (!offset_in(block, stage.others, at, begin)) continue;
    const Progression& down = block.places[stage.plane.slow];
    const Progression& along = block.places[stage.plane.fast];
    const Run met_rows = run_of(down, rows);
    const Run met_columns = run_of(along, columns);
    common.block = {block.strides[stage.plane.fast], block.strides[stage.plane.slow]};
    common.tile = {along.step * tile.element, down.step * tile.line};
    for_each_panel(block, stage.plane.slow, met_rows.skip, met_rows.count,
                   [&](Index row, Index some_rows, Index to_row) {
                     for_each_panel(block, stage.plane.fast, met_columns.skip, met_columns.count,
                                    [&](Index column, Index some_columns, Index to_column) {
                                      common.in_block = begin + to_row + to_column;
                                      common.in_tile =
                                          (down.at(row) - rows.begin) * tile.line +
                                          (along.at(column) - columns.begin) * tile.element;
                                      common.lines = some_rows;
                                      common.length = some_columns;
                                      copy(block, common);
                                    });
                   });
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

/// What the engine may use.
template <class E>
E* scratch_of(const StageLayout& stage, E* tile) {
  return tile + stage.tile_size;
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
                      block.places[stage.plane.slow].count == shape.rows &&
                      block.panels.width == 0 && !block.conjugated;
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
    const auto& engine = engines[whole ? stage.plane.rows : stage.plane.last_rows];
    if (source == nullptr || !engine.aligned(from)) {
      from = aside;
      for_each_common(stage, at, stage.sources, rows, all, lying,
                      [&](const StridedBlock& block, const Common& common) {
                        gather<T>(reinterpret_cast<From*>(aside), areas, block, common);
                      });
    }
    engine.run(from, plane + rows.begin * shape.row, scratch_of(stage, plane));
  });
}

/// Transforms some columns, chunk by chunk. The first begins at `from` and is left at `to`;
/// neighbours are so far apart.
template <class T>
void transform_columns(const StageLayout& stage, const EngineSet<T>& engines, const Range& columns,
                       const Number<T>* from, Index from_stride, Number<T>* to, Index to_stride,
                       Number<T>* scratch) {
  const auto run = [&](const Range& chunk, bool whole) {
    const Index at = chunk.begin - columns.begin;
    engines[whole ? stage.plane.columns : stage.plane.last_columns].run(
        from + at * from_stride, to + at * to_stride, scratch);
  };
  for_each_chunk(columns.begin, columns.end, stage.plane.shape.column_chunk, run);
}

/// Columns of a plane by a kernel: each group to where its lines are wanted, if neighbours lie side
/// by side there, and otherwise aside first.
template <class T>
class PlaneColumns {
 public:
  using Areas = typename Executor<T>::Areas;
  using Kernel = fft::LineKernel<RealNumber<T>>;

  PlaneColumns(const StageLayout& stage, const Areas& areas, const Kernel& kernel, Number<T>* plane)
      : stage_(stage),
        shape_(stage.plane.shape),
        areas_(areas),
        kernel_(kernel),
        plane_(plane),
        aside_(plane + shape_.plane_size()),
        scratch_(plane + stage.tile_size),
        in_plane_(kernel.table(scratch_, 0)),
        targets_{nullptr, kernel.table(scratch_, 1)},
        results_(kernel.table(scratch_, 2)),
        in_aside_(kernel.table(scratch_, 3)) {
    for (std::size_t i = 0; i < kernel_.results().size(); ++i) {
      in_plane_[i] = kernel_.elements()[i] * shape_.row * number_bytes;
      in_aside_[i] = kernel_.results()[i] * shape_.wide_row * number_bytes;
    }
  }

  /// Transforms and scatters columns from one on, up to all; how many.
  Index leave(const Places& at, Index column, Factor<T> factor) {
    const LinePlace place{at,     stage_.others, stage_.plane.fast, stage_.plane.slow,
                          column, shape_.rows,   shape_.columns};
    find_elements(
        targets_, stage_.targets, place, nullptr, number_bytes,
        [&](const StridedBlock& block) { return writable<T>(areas_, block.area, block.owner); });
    const Index left = shape_.columns - column;
    const bool direct = targets_.on_cache_lines() || !stage_.streams;
    const Index count = std::min(left, direct ? targets_.lines : 0) / lanes_ * lanes_;
    if (count == 0) {
      Index alike = targets_.lines > 0 ? targets_.lines : left;
      if (stage_.streams && targets_.before > 0) alike = targets_.before;
      return leave_by_aside(at, {column, column + std::min({left, alike, shape_.wide})}, factor);
    }
    for (std::size_t i = 0; i < kernel_.results().size(); ++i) {
      results_[i] = targets_.offsets[kernel_.results()[i]];
    }
    transform({column, column + count}, {targets_.data, results_, stage_.streams}, factor);
    return count;
  }

 private:
  static constexpr auto number_bytes = static_cast<Index>(sizeof(Number<T>));

  /// The last group may reach into what rows have behind their columns.
  void transform(const Range& columns, const typename Kernel::Target& to, Factor<T> factor) {
    const auto* const from = reinterpret_cast<const char*>(plane_ + columns.begin);
    for (Index done = 0; done < columns.size(); done += lanes_) {
      kernel_.across({from + done * number_bytes, in_plane_},
                     {to.data + done * number_bytes, to.offsets, to.streams}, factor, scratch_);
    }
  }

  Index leave_by_aside(const Places& at, const Range& columns, Factor<T> factor) {
    const bool skips = stage_.direction == Direction::forward;
    if (skips && inside(columns, stage_.plane.dropped_columns)) return columns.size();
    transform(columns, {reinterpret_cast<char*>(aside_), in_aside_, false}, factor);
    for_each_common(stage_, at, stage_.targets, {0, shape_.rows}, columns, {1, shape_.wide_row},
                    [&](const StridedBlock& block, const Common& common) {
                      scatter<T>(aside_, areas_, block, common, stage_.streams);
                    });
    return columns.size();
  }

  const StageLayout& stage_;
  const PlaneShape& shape_;
  const Areas& areas_;
  const Kernel& kernel_;
  const Index lanes_ = kernel_.lanes();
  Number<T>* plane_;
  Number<T>* aside_;
  Number<T>* scratch_;
  Index* in_plane_;
  Elements<char> targets_;
  Index* results_;
  Index* in_aside_;
};

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
  const auto& engine = engines_[stage.plane.columns];
  for_each_plane(stage, worker.number, worker.count, [&](const Places& at) {
    rows_of(at);
    if constexpr (has_kernels<T>) {
      if (engine.kernel() != nullptr) {
        PlaneColumns<T> columns(stage, areas, *engine.kernel(), plane);
        for (Index column = 0; column < shape.columns; worker.progress()) {
          column += columns.leave(at, column, factor);
        }
        return;
      }
    }
    for_each_chunk(0, shape.columns, stage.at_once, [&](const Range& columns, bool) {
      if (skips && inside(columns, stage.plane.dropped_columns)) return;
      transform_columns<T>(stage, engines_, columns, plane + columns.begin, 1, aside, shape.column,
                           scratch_of(stage, plane));
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
      transform_columns<T>(stage, engines_, columns, aside, 1, plane + columns.begin, 1,
                           scratch_of(stage, plane));
    });
    for_each_chunk(0, shape.rows, shape.row_chunk, [&](const Range& rows, bool whole) {
      engines_[whole ? stage.plane.rows : stage.plane.last_rows].run(
          plane + rows.begin * shape.row, aside, scratch_of(stage, plane));
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

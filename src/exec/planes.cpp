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

/// Calls visit(at) for the planes of a leg that a thread works on.
template <class Visit>
void for_each_plane(const LegLayout& leg, Index thread, Index threads, Visit visit) {
  Index planes = 1;
  for (const int digit : leg.others) planes *= leg.local_shape[static_cast<std::size_t>(digit)];
  const Range mine = share(planes, thread, threads);
  Places at{};
  place_at(at, mine.begin, leg.others, leg.local_shape);
  for (Index number = mine.begin; number < mine.end; ++number) {
    visit(at);
    place_next(at, leg.others, leg.local_shape);
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

/// Transforms the rows of a plane, whose elements are of type From. Rows that lie in the source as
/// the engine wants them are read from there.
template <class T, class From>
void transform_rows(const LegLayout& leg, const typename Executor<T>::Areas& areas,
                    const EngineSet<T>& engines, const Places& at, Number<T>* plane,
                    Number<T>* aside) {
  const PlaneShape& shape = leg.plane.shape;
  const Strides lying{1, leg.plane.source_row};
  const Range all{0, leg.from_real ? leg.length : shape.columns};
  const Patch* const only = leg.sources.size() == 1 ? &leg.sources.front() : nullptr;
  const From* source = nullptr;
  Index offset = 0;
  if (only != nullptr && only->strides[leg.plane.fast] == lying.element &&
      only->strides[leg.plane.slow] == lying.line && offset_in(*only, leg.others, at, offset)) {
    source = reinterpret_cast<const From*>(readable<T>(areas, only->area, only->owner)) + offset;
  }
  for_each_chunk(0, shape.rows, shape.row_chunk, [&](const Range& rows, bool whole) {
    const Number<T>* from = aside;
    if (source != nullptr) {
      from = reinterpret_cast<const Number<T>*>(source + rows.begin * lying.line);
    }
    if (source == nullptr || !EngineSet<T>::Engine::aligned(from)) {
      from = aside;
      for_each_common(leg, at, leg.sources, rows, all, lying,
                      [&](const Patch& patch, const Common& common) {
                        gather<T>(reinterpret_cast<From*>(aside), areas, patch, common);
                      });
    }
    engines[whole ? leg.plane.rows : leg.plane.last_rows].run(from, plane + rows.begin * shape.row);
  });
}

/// Transforms some columns, chunk by chunk. The first begins at `from` and is left at `to`;
/// neighbours are so far apart.
template <class T>
void transform_columns(const LegLayout& leg, const EngineSet<T>& engines, const Range& columns,
                       const Number<T>* from, Index from_apart, Number<T>* to, Index to_apart) {
  const auto run = [&](const Range& chunk, bool whole) {
    const Index at = chunk.begin - columns.begin;
    engines[whole ? leg.plane.columns : leg.plane.last_columns].run(from + at * from_apart,
                                                                    to + at * to_apart);
  };
  for_each_chunk(columns.begin, columns.end, leg.plane.shape.column_chunk, run);
}

}  // namespace

template <class T>
void Executor<T>::sweep_planes(const LegLayout& leg, const Areas& areas, Factor<T> factor,
                               const Worker& worker) const {
  const PlaneShape& shape = leg.plane.shape;
  Number<T>* const plane = worker.tile;
  Number<T>* const aside = plane + shape.plane_size();
  const auto rows_of = [&](const Places& at) {
    if constexpr (has_reals<T>) {
      if (leg.from_real) {
        return transform_rows<T, RealNumber<T>>(leg, areas, engines_, at, plane, aside);
      }
    }
    transform_rows<T, Number<T>>(leg, areas, engines_, at, plane, aside);
  };
  for_each_plane(leg, worker.number, worker.count, [&](const Places& at) {
    rows_of(at);
    for_each_chunk(0, shape.columns, leg.at_once, [&](const Range& columns, bool) {
      transform_columns<T>(leg, engines_, columns, plane + columns.begin, 1, aside, shape.column);
      Operation<T>::scale(engines_.setup(), aside, shape.column, columns.size(), shape.rows,
                          factor);
      for_each_common(leg, at, leg.targets, {0, shape.rows}, columns, {shape.column, 1},
                      [&](const Patch& patch, const Common& common) {
                        scatter<T>(aside, areas, patch, common, leg.streams);
                      });
      worker.pulse();
    });
  });
}

// Reals come last, so here the columns are first.
template <class T>
void Executor<T>::sweep_planes_to_real(const LegLayout& leg, const Areas& areas, Factor<T> factor,
                                       const Worker& worker) const {
  const PlaneShape& shape = leg.plane.shape;
  Number<T>* const plane = worker.tile;
  Number<T>* const aside = plane + shape.plane_size();
  auto* const reals = reinterpret_cast<RealNumber<T>*>(aside);
  for_each_plane(leg, worker.number, worker.count, [&](const Places& at) {
    for_each_chunk(0, shape.columns, shape.wide, [&](const Range& columns, bool) {
      for_each_common(leg, at, leg.sources, {0, shape.rows}, columns, {1, shape.wide_row},
                      [&](const Patch& patch, const Common& common) {
                        gather<T>(aside, areas, patch, common);
                      });
      transform_columns<T>(leg, engines_, columns, aside, 1, plane + columns.begin, 1);
    });
    for_each_chunk(0, shape.rows, shape.row_chunk, [&](const Range& rows, bool whole) {
      engines_[whole ? leg.plane.rows : leg.plane.last_rows].run(plane + rows.begin * shape.row,
                                                                 aside);
      Operation<T>::scale(engines_.setup(), reals, leg.plane.real_row, rows.size(), leg.length,
                          factor);
      for_each_common(leg, at, leg.targets, rows, {0, leg.length}, {1, leg.plane.real_row},
                      [&](const Patch& patch, const Common& common) {
                        scatter<T>(reals, areas, patch, common, leg.streams);
                      });
      worker.pulse();
    });
  });
}

#define KALLIMA_INSTANTIATE(T)                                                               \
  template void Executor<T>::sweep_planes(const LegLayout&, const Areas&, Factor<T>,         \
                                          const Worker&) const;                              \
  template void Executor<T>::sweep_planes_to_real(const LegLayout&, const Areas&, Factor<T>, \
                                                  const Worker&) const;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATE)
#undef KALLIMA_INSTANTIATE

}  // namespace kallima::exec

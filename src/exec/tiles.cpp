// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep along one digit: tiles of lines are gathered, and chunk by chunk transformed, multiplied
// by roots of unity where the axis is split, and scattered.
#include "exec/executor.hpp"
#include "exec/twiddle.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

namespace {

/// A place in the sequence of lines: those of a row follow each other along the fastest digit.
struct Cursor {
  Places at{};  ///< of the row
  Index in_row = 0;
};

/// The lines of a leg, in the order in which tiles take them.
class Lines {
 public:
  explicit Lines(const LegLayout& leg)
      : leg_(leg),
        digits_(leg.others),
        row_digits_(digits_.first(std::max(1UL, digits_.size()) - 1)) {
    if (!digits_.empty()) {
      fast_ = static_cast<std::size_t>(digits_.back());
      row_ = leg.local_shape[fast_];
    }
    for (const int digit : digits_) count_ *= leg.local_shape[static_cast<std::size_t>(digit)];
  }

  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] Cursor cursor(Index line) const {
    Cursor cursor;
    cursor.in_row = line % row_;
    place_at(cursor.at, line / row_, row_digits_, leg_.local_shape);
    return cursor;
  }

  /// Calls visit(cursor, line, count) for every part of a row among the next `count` lines; `line`
  /// counts from 0. Moves the cursor behind them.
  template <class Visit>
  void for_each_row(Cursor& cursor, Index count, Visit visit) const {
    for (Index line = 0; line < count;) {
      const Index run = std::min(count - line, row_ - cursor.in_row);
      visit(cursor, line, run);
      line += run;
      cursor.in_row += run;
      if (cursor.in_row < row_) continue;
      cursor.in_row = 0;
      place_next(cursor.at, row_digits_, leg_.local_shape);
    }
  }

  /// Calls copy(patch, common) for what the next `count` lines, which lie in a tile with these
  /// strides, have in common with each patch. Moves the cursor behind them.
  template <class Copy>
  void for_each_common(Cursor& cursor, Index count, const std::vector<Patch>& patches,
                       const Strides& tile, Copy copy) const {
    const auto swept = static_cast<std::size_t>(leg_.sweep.digit);
    for_each_row(cursor, count, [&](const Cursor& here, Index line, Index run) {
      for (const Patch& patch : patches) {
        Common common;
        if (!offset_in(patch, row_digits_, here.at, common.in_patch)) continue;
        Index first = 0;  // line of the part that the patch has
        common.lines = 1;
        common.tile.line = tile.line;
        common.patch.line = 0;
        if (!digits_.empty()) {
          const Progression& across = patch.places[fast_];
          const Run met = run_of(across, {here.in_row, here.in_row + run});
          if (met.count == 0) continue;
          first = met.first - here.in_row;
          common.lines = met.count;
          common.tile.line = across.step * tile.line;
          common.patch.line = patch.strides[fast_];
          common.in_patch += met.skip * common.patch.line;
        }
        const Progression& along = patch.places[swept];
        common.in_tile = (line + first) * tile.line + along.first * tile.element;
        common.tile.element = along.step * tile.element;
        common.patch.element = patch.strides[swept];
        common.length = along.count;
        copy(patch, common);
      }
    });
  }

  /// Calls visit(line, count, j, step) for parts of rows, with the twiddle's number of their first
  /// line and by how much it grows from line to line.
  template <class Visit>
  void for_each_number(Cursor cursor, Index count, Visit visit) const {
    const Twiddle& twiddle = leg_.twiddle;
    for_each_row(cursor, count, [&](const Cursor& here, Index line, Index run) {
      Index j = 0;
      Index step = 0;
      for (const Twiddle::Term& term : twiddle.terms) {
        const bool fast = !digits_.empty() && term.digit == fast_;
        j += term.values.at(fast ? here.in_row : here.at[term.digit]) * term.weight;
        if (fast) step = term.values.step * term.weight;
      }
      visit(line, run, j, step);
    });
  }

  /// Moves the cursor behind the next `count` lines.
  void skip(Cursor& cursor, Index count) const {
    for_each_row(cursor, count, [](const Cursor&, Index, Index) {});
  }

  /// True where the next `count` lines lie in the only source one behind the other, from `offset`.
  [[nodiscard]] bool in_one_piece(const Cursor& cursor, Index count, Index length,
                                  Index& offset) const {
    if (leg_.sources.size() != 1) return false;
    const Patch& patch = leg_.sources.front();
    const bool dense = patch.strides[static_cast<std::size_t>(leg_.sweep.digit)] == 1 &&
                       (digits_.empty() || patch.strides[fast_] == length);
    if (!dense || cursor.in_row + count > row_) return false;
    if (!offset_in(patch, row_digits_, cursor.at, offset)) return false;
    offset += cursor.in_row * length;
    return true;
  }

 private:
  const LegLayout& leg_;
  std::span<const int> digits_;      // slowest first
  std::span<const int> row_digits_;  // all but the fastest
  std::size_t fast_ = 0;
  Index row_ = 1;
  Index count_ = 1;
};

/// Sets lines [begin, end) of a tile to 0: what a line becomes must not depend on leftovers.
template <class T>
void pad(std::complex<T>* tile, const Strides& strides, Index begin, Index end, Index length) {
  for (Index i = 0; i < length; ++i) {
    for (Index line = begin; line < end; ++line) {
      tile[line * strides.line + i * strides.element] = {};
    }
  }
}

}  // namespace

template <class T>
void Executor<T>::sweep_tiles(const LegLayout& leg, const Areas& areas, T factor,
                              const Worker& worker) const {
  using Element = std::complex<T>;
  const TileShape& shape = leg.tile;
  const local::Engine<T>& engine = engines_[leg.engine];
  Element* const gathered = worker.tile;
  Element* const done = shape.in_place() ? gathered : gathered + shape.gathered_size;
  const bool twiddles = leg.twiddle.modulus > 0;
  const bool backward = direction_ == Direction::backward;
  const Lines lines(leg);
  const auto twiddle_by_roots = [&](Element* data, const Strides& strides, const Cursor& at,
                                    Index count) {
    lines.for_each_number(at, count, [&](Index line, Index run, Index j, Index step) {
      twiddle<T>({data + line * strides.line, strides, run, shape.length, j, step},
                 engines_.roots(leg.twiddle.table), backward);
    });
  };

  // Lines that lie in memory as the engine wants them need not be gathered.
  const bool reads_source =
      leg.sweep.form == TileForm::lines && !shape.in_place() && !(twiddles && backward);

  const Range tiles = share(ceil_div(lines.count(), shape.lines), worker.number, worker.count);
  Cursor reading = lines.cursor(tiles.begin * shape.lines);
  Cursor writing = reading;
  for (Index tile = tiles.begin; tile < tiles.end; ++tile) {
    const Index count = std::min(shape.lines, lines.count() - tile * shape.lines);
    const Element* from = nullptr;
    Index offset = 0;
    if (reads_source && count == shape.lines &&
        lines.in_one_piece(reading, count, shape.length, offset)) {
      const Patch& source = leg.sources.front();
      from = readable<T>(areas, source.area, source.owner) + offset;
    }
    if (from != nullptr && local::Engine<T>::aligned(from)) {
      lines.skip(reading, count);
    } else {
      from = gathered;
      lines.for_each_common(reading, count, leg.sources, shape.gathered,
                            [&](const Patch& source, const Common& common) {
                              gather<T>(gathered, areas, source, common);
                            });
      if (twiddles && backward) twiddle_by_roots(gathered, shape.gathered, writing, count);
      const Index padded = ceil_div(count, shape.chunk) * shape.chunk;
      pad(gathered, shape.gathered, count, padded, shape.length);
    }
    for (Index begin = 0; begin < count; begin += leg.at_once) {
      const Index here = std::min(leg.at_once, count - begin);
      for (Index line = 0; line < here; line += shape.chunk) {
        engine.run(from + (begin + line) * shape.gathered.line, done + line * shape.done.line);
      }
      if (twiddles && !backward) twiddle_by_roots(done, shape.done, writing, here);
      scale_lines(done, shape.done.line, here, shape.length, factor);
      lines.for_each_common(writing, here, leg.targets, shape.done,
                            [&](const Patch& target, const Common& common) {
                              scatter<T>(done, areas, target, common, leg.streams);
                            });
    }
  }
}

template void Executor<float>::sweep_tiles(const LegLayout&, const Areas&, float,
                                           const Worker&) const;
template void Executor<double>::sweep_tiles(const LegLayout&, const Areas&, double,
                                            const Worker&) const;

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep along one digit: tiles of lines are gathered, and chunk by chunk transformed, multiplied
// by roots of unity where the axis is split, and scattered.
#pragma once

#include "base/checked.hpp"
#include "exec/executor.hpp"
#include "exec/twiddle.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

/// A place in the sequence of lines: those of a row follow each other along the fastest digit.
struct Cursor {
  Places at{};  ///< of the row
  Index in_row = 0;
};

/// The lines of a stage, in the order in which tiles take them.
class Lines {
 public:
  explicit Lines(const StageLayout& stage)
      : stage_(stage),
        digits_(stage.others),
        row_digits_(digits_.first(std::max(1UL, digits_.size()) - 1)) {
    if (!digits_.empty()) {
      fast_ = static_cast<std::size_t>(digits_.back());
      row_ = stage.local_shape[fast_];
    }
    for (const int digit : digits_) count_ *= stage.local_shape[static_cast<std::size_t>(digit)];
  }

  [[nodiscard]] Index count() const { return count_; }
  /// Digits that number rows, and the one that numbers lines in a row, where there is one.
  [[nodiscard]] std::span<const int> row_digits() const { return row_digits_; }
  [[nodiscard]] std::size_t fast() const { return fast_; }
  /// Lines of a row.
  [[nodiscard]] Index row() const { return row_; }
  /// Lines from a place to the end of its row.
  [[nodiscard]] Index left_in_row(const Cursor& cursor) const { return row_ - cursor.in_row; }

  [[nodiscard]] Cursor cursor(Index line) const {
    Cursor cursor;
    cursor.in_row = line % row_;
    place_at(cursor.at, line / row_, row_digits_, stage_.local_shape);
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
      place_next(cursor.at, row_digits_, stage_.local_shape);
    }
  }

  /// Calls copy(block, common) for what the next `count` lines, which lie in a tile with these
  /// strides, have in common with each block. Moves the cursor behind them.
  template <class Copy>
  void for_each_common(Cursor& cursor, Index count, const std::vector<StridedBlock>& blocks,
                       const Strides& tile, Copy copy) const {
    const auto swept = static_cast<std::size_t>(stage_.sweep.digit);
    for_each_row(cursor, count, [&](const Cursor& here, Index line, Index run) {
      for (const StridedBlock& block : blocks) {
        Common common;
        Index begin = 0;  // of the row, in the block
        if (!offset_in(block, row_digits_, here.at, begin)) continue;
        const Progression& along = block.places[swept];
        common.tile.element = along.step * tile.element;
        common.block.element = block.strides[swept];
        const auto with_elements = [&](Index in_tile, Index in_block) {
          for_each_panel(block, swept, 0, along.count, [&](Index i, Index length, Index distance) {
            common.in_tile = in_tile + along.at(i) * tile.element;
            common.in_block = in_block + distance;
            common.length = length;
            copy(block, common);
          });
        };
        if (digits_.empty()) {
          common.lines = 1;
          common.tile.line = tile.line;
          with_elements(line * tile.line, begin);
          continue;
        }
        const Progression& across = block.places[fast_];
        const Run met = run_of(across, {here.in_row, here.in_row + run});
        common.tile.line = across.step * tile.line;
        common.block.line = block.strides[fast_];
        for_each_panel(
            block, fast_, met.skip, met.count, [&](Index i, Index met_lines, Index distance) {
              common.lines = met_lines;
              with_elements((line + across.at(i) - here.in_row) * tile.line, begin + distance);
            });
      }
    });
  }

  /// Calls visit(line, count, j, step) for parts of rows, with the twiddle's number of their first
  /// line and by how much it grows from line to line.
  template <class Visit>
  void for_each_number(Cursor cursor, Index count, Visit visit) const {
    const Twiddle& twiddle = stage_.twiddle;
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

  /// Calls visit(line, offset) for the next `count` lines of a convolution, with where the chirp's
  /// frequencies for them begin.
  template <class Visit>
  void for_each_filter(Cursor cursor, Index count, Visit visit) const {
    const std::vector<Index>& strides = stage_.turn.filter;
    for_each_row(cursor, count, [&](const Cursor& here, Index line, Index run) {
      Index offset = stage_.turn.filter_offset;
      for (const int digit : row_digits_) {
        const auto d = static_cast<std::size_t>(digit);
        offset += here.at[d] * strides[d];
      }
      const Index step = digits_.empty() ? 0 : strides[fast_];
      offset += here.in_row * step;
      for (Index i = 0; i < run; ++i) visit(line + i, offset + i * step);
    });
  }

  /// Calls visit(line, index) for the next `count` lines of a sweep that turns, with the index of
  /// their first frequency.
  template <class Visit>
  void for_each_line(Cursor cursor, Index count, Visit visit) const {
    const std::vector<Turn::Term>& terms = stage_.turn.terms;
    const auto swept = static_cast<std::size_t>(stage_.sweep.digit);
    for_each_row(cursor, count, [&](const Cursor& here, Index line, Index run) {
      MultiIndex index;
      for (std::size_t d = 0; d < terms.size(); ++d) {
        if (d == swept) continue;
        const bool fast = !digits_.empty() && d == fast_;
        index[terms[d].axis] +=
            terms[d].values.at(fast ? here.in_row : here.at[d]) * terms[d].weight;
      }
      for (Index i = 0; i < run; ++i) {
        visit(line + i, index);
        if (digits_.empty()) continue;
        index[terms[fast_].axis] += terms[fast_].values.step * terms[fast_].weight;
      }
    });
  }

  /// Moves the cursor behind the next `count` lines.
  void skip(Cursor& cursor, Index count) const {
    for_each_row(cursor, count, [](const Cursor&, Index, Index) {});
  }

  /// The source in which the next `count` lines lie one behind the other, from `offset` on; null
  /// where there is none.
  [[nodiscard]] const StridedBlock* in_one_piece(const Cursor& cursor, Index count, Index length,
                                                 Index& offset) const {
    if (cursor.in_row + count > row_) return nullptr;
    const auto swept = static_cast<std::size_t>(stage_.sweep.digit);
    for (const StridedBlock& block : stage_.sources) {
      const bool lies = block.strides[swept] == 1 && block.places[swept].count == length &&
                        block.panels.width == 0 &&
                        (digits_.empty() || block.strides[fast_] == length) && !block.conjugated;
      if (!lies || !offset_in(block, row_digits_, cursor.at, offset)) continue;
      if (digits_.empty()) return &block;
      const Run run = run_of(block.places[fast_], {cursor.in_row, cursor.in_row + count});
      if (run.count < count) continue;
      offset += run.skip * length;
      return &block;
    }
    return nullptr;
  }

 private:
  const StageLayout& stage_;
  std::span<const int> digits_;      // slowest first
  std::span<const int> row_digits_;  // all but the fastest
  std::size_t fast_ = 0;
  Index row_ = 1;
  Index count_ = 1;
};

/// Sets lines [begin, end) of a tile to 0: what a line becomes must not depend on leftovers.
template <class E>
void pad(E* tile, const TileSide& side, Index begin, Index end) {
  for (Index i = 0; i < side.length; ++i) {
    for (Index line = begin; line < end; ++line) {
      tile[line * side.strides.line + i * side.strides.element] = {};
    }
  }
}

/// Sets what is not kept of the first lines of a tile to 0.
template <class E>
void clear(E* tile, const TileSide& side, Index lines, const Range& dropped) {
  for (Index line = 0; line < lines; ++line) {
    for (Index i = dropped.begin; i < dropped.end; ++i) {
      tile[line * side.strides.line + i * side.strides.element] = {};
    }
  }
}

/// A sweep from elements of one type to elements of another: From and To are numbers or reals.
template <class T, class From, class To>
class TileSweep {
 public:
  using Areas = typename Executor<T>::Areas;
  using Engine = typename Operation<T>::Engine;
  using Roots = typename Operation<T>::Roots;
  using Setup = typename Operation<T>::Setup;

  TileSweep(const StageLayout& stage, const Areas& areas, const Engine& engine, const Setup& setup,
            Number<T>* tile)
      : stage_(stage),
        shape_(stage.tile),
        areas_(areas),
        engine_(engine),
        setup_(setup),
        lines_(stage),
        gathered_(reinterpret_cast<From*>(tile)),
        done_(reinterpret_cast<To*>(shape_.in_place() ? tile : tile + shape_.gathered_size)),
        scratch_(tile + stage.tile_size) {}

  template <class Pulsing>
  void run(Factor<T> factor, const Roots* roots, bool backward, const Range& tiles,
           Pulsing progress) {
    // Lines that lie in memory as the engine wants them need not be gathered.
    const bool pads = backward && stage_.dropped.size() > 0;
    const bool reads_source = stage_.sweep.form == TileForm::lines && !shape_.in_place() &&
                              !(roots != nullptr && backward) && !pads;
    Cursor reading = lines_.cursor(tiles.begin * shape_.lines);
    Cursor writing = reading;
    for (Index tile = tiles.begin; tile < tiles.end; ++tile) {
      const Index count = std::min(shape_.lines, lines_.count() - tile * shape_.lines);
      const From* const from = take(reading, count, reads_source);
      if (pads) clear(gathered_, shape_.gathered, count, stage_.dropped);
      if (roots != nullptr && backward)
        twiddle_side(gathered_, shape_.gathered, writing, count, *roots, true);
      for (Index begin = 0; begin < count; begin += stage_.at_once) {
        const Index here = std::min(stage_.at_once, count - begin);
        for (Index line = 0; line < here; line += shape_.chunk) {
          engine_.run(reinterpret_cast<const Number<T>*>(from + (begin + line) *
                                                                    shape_.gathered.strides.line),
                      reinterpret_cast<Number<T>*>(done_ + line * shape_.done.strides.line),
                      scratch_);
        }
        if (roots != nullptr && !backward)
          twiddle_side(done_, shape_.done, writing, here, *roots, false);
        scale(here, factor);
        leave(done_, shape_.done, writing, here);
      }
      progress();
    }
  }

  /// A sweep that turns: forward, what users do, backward by the other engine, one chunk of lines
  /// behind the other, and out again.
  template <class Pulsing>
  void turn(Factor<T> factor, const Engine& back, const Range& tiles, Pulsing progress) {
    const bool reads_source = stage_.sweep.form == TileForm::lines && !shape_.in_place();
    const bool real = stage_.sweep.kernel == Kernel::real;
    Cursor reading = lines_.cursor(tiles.begin * shape_.lines);
    Cursor writing = reading;
    for (Index tile = tiles.begin; tile < tiles.end; ++tile) {
      const Index count = std::min(shape_.lines, lines_.count() - tile * shape_.lines);
      const From* const from = take(reading, count, reads_source);
      const auto chunk_at = [&](auto* side, const TileSide& shape, Index line) {
        return side + line * shape.strides.line;
      };
      for (Index line = 0; line < count; line += shape_.chunk) {
        engine_.run(reinterpret_cast<const Number<T>*>(chunk_at(from, shape_.gathered, line)),
                    reinterpret_cast<Number<T>*>(chunk_at(done_, shape_.done, line)), scratch_);
      }
      Operation<T>::scale(setup_, done_, shape_.done.strides.line, count, shape_.done.length,
                          areas_.turn_factor);
      if (stage_.turn.filter.empty()) {
        work_on(writing, count);
      } else {
        convolve(writing, count);
      }
      clear(done_, shape_.done, count, stage_.dropped);
      Operation<T>::scale(setup_, done_, shape_.done.strides.line, count, shape_.done.length,
                          factor);
      for (Index line = 0; line < count; line += shape_.chunk) {
        Number<T>* const lines = reinterpret_cast<Number<T>*>(chunk_at(done_, shape_.done, line));
        back.run(
            lines,
            real ? reinterpret_cast<Number<T>*>(chunk_at(gathered_, shape_.gathered, line)) : lines,
            scratch_);
      }
      if (real) {
        leave(gathered_, shape_.gathered, writing, count);
      } else {
        leave(done_, shape_.done, writing, count);
      }
      progress();
    }
  }

  [[nodiscard]] Index tiles() const { return ceil_div(lines_.count(), shape_.lines); }

 private:
  /// The next `count` lines: in the source, where the engine may read them there, otherwise
  /// gathered, with zeros behind them up to a whole chunk. Moves the cursor behind them.
  const From* take(Cursor& reading, Index count, bool reads_source) {
    const From* const there = reads_source && count == shape_.lines ? in_source(reading) : nullptr;
    if (there != nullptr) {
      lines_.skip(reading, count);
      return there;
    }
    lines_.for_each_common(reading, count, stage_.sources, shape_.gathered.strides,
                           [&](const StridedBlock& source, const Common& common) {
                             gather<T>(gathered_, areas_, source, common);
                           });
    pad(gathered_, shape_.gathered, count, ceil_div(count, shape_.chunk) * shape_.chunk);
    return gathered_;
  }

  /// Multiplies the first lines that are done.
  void scale(Index lines, Factor<T> factor) const {
    const TileSide& side = shape_.done;
    if (side.strides.element == 1) {
      Operation<T>::scale(setup_, done_, side.strides.line, lines, side.length, factor);
    } else {
      Operation<T>::scale(setup_, done_, side.strides.element, side.length, lines, factor);
    }
  }

  /// Scatters the next `count` lines, which begin a side of the tile. Moves the cursor behind them.
  template <class E>
  void leave(E* lines, const TileSide& side, Cursor& writing, Index count) const {
    lines_.for_each_common(writing, count, stage_.targets, side.strides,
                           [&](const StridedBlock& target, const Common& common) {
                             scatter<T>(lines, areas_, target, common, stage_.streams);
                           });
  }

  /// Multiplies the next `count` lines by the chirp's frequencies, or makes these.
  void convolve(const Cursor& at, Index count) const {
    if constexpr (has_reals<T> && std::is_same_v<To, Number<T>>) {
      using Real = RealNumber<T>;
      const Index length = shape_.done.length;
      const Real sign = stage_.turn.conjugated ? Real{-1} : Real{1};
      lines_.for_each_filter(at, count, [&](Index line, Index offset) {
        To* const data = done_ + line * shape_.done.strides.line;
        if (areas_.makes_filter) {
          std::copy(data, data + length, areas_.filter + offset);
          return;
        }
        const To* const filter = areas_.filter + offset;
        for (Index i = 0; i < length; ++i) {
          const Real re = filter[i].real();
          const Real im = sign * filter[i].imag();
          data[i] = {data[i].real() * re - data[i].imag() * im,
                     data[i].real() * im + data[i].imag() * re};
        }
      });
    }
  }

  /// Hands the next `count` lines over, each as one row, or as two where wavenumbers jump.
  void work_on(const Cursor& at, Index count) const {
    if (areas_.work == nullptr) return;
    const Turn::Term& along = stage_.turn.terms[static_cast<std::size_t>(stage_.sweep.digit)];
    const Index stride = shape_.done.strides.element;
    lines_.for_each_line(at, count, [&](Index line, const MultiIndex& first) {
      MultiIndex index = first;
      Index done = 0;
      Progression left =
          Progression::make(first[along.axis], along.weight, stage_.turn.frequencies);
      while (!left.empty()) {
        const Index size = areas_.spectrum->even_count(left, along.axis);
        index[along.axis] = left.first;
        // Of a truncated axis, which is one digit, -K .. -1 lie behind a gap.
        const bool behind_gap = stage_.dropped.size() > 0 && left.first >= stage_.dropped.begin;
        To* const data = done_ + line * shape_.done.strides.line +
                         (done + (behind_gap ? stage_.dropped.size() : 0)) * stride;
        (*areas_.work)(data, size, stride, areas_.spectrum->row(index, along.axis, along.weight));
        done += size;
        left = size == left.count ? Progression{}
                                  : Progression::make(left.at(size), left.step, left.count - size);
      }
    });
  }

  /// The next tile in a source, where it lies there in one piece; null elsewhere.
  [[nodiscard]] const From* in_source(const Cursor& cursor) const {
    Index offset = 0;
    const StridedBlock* const source =
        lines_.in_one_piece(cursor, shape_.lines, shape_.gathered.length, offset);
    if (source == nullptr) return nullptr;
    const auto* const from =
        reinterpret_cast<const From*>(readable<T>(areas_, source->area, source->owner)) + offset;
    return engine_.aligned(reinterpret_cast<const Number<T>*>(from)) ? from : nullptr;
  }

  /// Reals are never multiplied: roots belong to frequencies.
  template <class E>
  void twiddle_side(E* data, const TileSide& side, const Cursor& at, Index count,
                    const Roots& roots, bool conjugate) const {
    if constexpr (std::is_same_v<E, Number<T>>) {
      lines_.for_each_number(at, count, [&](Index line, Index run, Index j, Index step) {
        Operation<T>::twiddle(
            {data + line * side.strides.line, side.strides, run, side.length, j, step}, roots,
            conjugate);
      });
    }
  }

  const StageLayout& stage_;
  const TileShape& shape_;
  const Areas& areas_;
  const Engine& engine_;
  const Setup& setup_;
  Lines lines_;
  From* gathered_;
  To* done_;
  Number<T>* scratch_;
};

}  // namespace kallima::exec

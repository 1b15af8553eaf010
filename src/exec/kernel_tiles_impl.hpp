// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep by a kernel along a digit that lies across memory. Where neighbouring lines lie side by
// side, the kernel reads them from their source and writes them to their target, a group at a time,
// while it has the next group fetched; where they do not on one side, or would not begin on cache
// lines that are written past the caches, a tile is gathered, or scattered, on that side alone.
#pragma once

#include "exec/elements.hpp"
#include "exec/tiles_impl.hpp"

namespace kallima::exec {

template <class T>
class KernelSweep {
 public:
  using Areas = typename Executor<T>::Areas;
  using Kernel = fft::LineKernel<RealNumber<T>>;
  using Roots = typename Operation<T>::Roots;

  /// `roots` for a sweep that multiplies by them, otherwise null.
  KernelSweep(const StageLayout& stage, const Areas& areas, const Kernel& kernel,
              const Roots* roots, Number<T>* tile)
      : stage_(stage),
        shape_(stage.tile),
        areas_(areas),
        kernel_(kernel),
        roots_(roots),
        lines_(stage),
        gathered_(tile),
        done_(tile + shape_.gathered_size),
        scratch_(tile + stage.tile_size),
        multiplies_first_(roots != nullptr && stage.direction == Direction::backward),
        here_{nullptr, kernel.table(scratch_, 0)},
        ahead_{nullptr, kernel.table(scratch_, 1)},
        targets_{nullptr, kernel.table(scratch_, 2)},
        results_(kernel.table(scratch_, 3)) {}

  /// True for what this does: complex lines, and all of them.
  static bool does(const StageLayout& stage) {
    return stage.sweep.form == TileForm::interleaved && !stage.sweep.turns && !stage.from_real &&
           !stage.to_real && stage.dropped.size() == 0;
  }

  [[nodiscard]] Index tiles() const { return ceil_div(lines_.count(), shape_.lines); }

  template <class Pulsing>
  void run(Factor<T> factor, const Range& tiles, Pulsing progress) {
    const Index end = std::min(lines_.count(), tiles.end * shape_.lines);
    Index since = 0;  // the last progress, in lines
    Cursor at = lines_.cursor(tiles.begin * shape_.lines);
    find_sources(here_, at);
    for (Index line = tiles.begin * shape_.lines; line < end;) {
      find_targets(at);
      const Step step = next_step(at, end - line);
      Cursor behind = at;
      lines_.skip(behind, step.lines);
      ahead_.lines = 0;
      if (line + step.lines < end) find_sources(ahead_, behind);
      if (!step.reads) gather_lines(at, step.lines);
      const Source from = step.reads ? Source{here_.data, here_.offsets} : rows_of(shape_.gathered);
      prepare(step);
      for (Index done = 0; done < step.lines; done += lanes_) {
        const bool last = done + lanes_ >= step.lines;
        const Elements<const char>& next = last ? ahead_ : here_;
        const bool fetches = last ? ahead_.lines > 0 : step.reads;
        transform(
            moved(from, done), step, Group{at, done, std::min(lanes_, step.lines - done)}, factor,
            fetches ? Source{next.data + (last ? 0 : (done + lanes_) * number_bytes), next.offsets}
                    : Source{});
        since += lanes_;
        if (since < shape_.lines) continue;
        progress();
        since = 0;
      }
      if (step.way == Way::tile) scatter_lines(at, step.lines);
      at = behind;
      line += step.lines;
      std::swap(here_, ahead_);
    }
  }

 private:
  using Source = typename Kernel::Source;
  using Target = typename Kernel::Target;
  static constexpr auto number_bytes = static_cast<Index>(sizeof(Number<T>));
  /// A processor knows the places of so many pages at a time, or twice as many. Of lines that have
  /// elements on more of them, every group would look all of them up again, so as many as a tile
  /// has are gathered at a time: lines of 2048, 16 KiB apart, take two thirds of the time.
  static constexpr Index known_pages = 1024;

  /// Where results go.
  enum class Way : std::uint8_t {
    direct,  ///< where they are wanted
    lines,   ///< the same, where elements of a line follow each other
    tile     ///< to a tile
  };
  /// What is done at a time.
  struct Step {
    Index lines = 0;
    bool reads = false;  ///< sources where they are; otherwise they are gathered
    Way way = Way::tile;
  };
  /// Lines of a step that are transformed together.
  struct Group {
    const Cursor& begin;  ///< of the step
    Index first = 0;      ///< in it
    Index lines = 1;
  };

  [[nodiscard]] LinePlace place_of(const Cursor& at) const {
    return {
        at.at,     lines_.row_digits(), lines_.fast(), static_cast<std::size_t>(stage_.sweep.digit),
        at.in_row, shape_.length,       lines_.row()};
  }
  void find_sources(Elements<const char>& elements, const Cursor& at) const {
    find_elements(
        elements, stage_.sources, place_of(at), multiplies_first_ ? nullptr : kernel_.places(),
        number_bytes,
        [&](const StridedBlock& block) { return readable<T>(areas_, block.area, block.owner); });
  }
  void find_targets(const Cursor& at) {
    find_elements(
        targets_, stage_.targets, place_of(at), nullptr, number_bytes,
        [&](const StridedBlock& block) { return writable<T>(areas_, block.area, block.owner); });
  }

  /// Groups as many as lie alike on both sides; or one whose sources do not; or what is left over
  /// of such, or of lines in no order, which may be of several rows, by tiles.
  [[nodiscard]] Step next_step(const Cursor& at, Index left) const {
    const bool reads = here_.lines > 0 && here_.pages <= known_pages;
    const bool writes = targets_.lines > 0 && (!stage_.streams || targets_.on_cache_lines());
    const Index in_tile = std::max(lanes_, shape_.lines / lanes_ * lanes_);
    // Roots are made for lines of one row.
    const Index alike = roots_ == nullptr ? left : std::min(left, lines_.left_in_row(at));
    const Index written = targets_.lines > 0 ? std::min(alike, targets_.lines) : alike;
    Index together = reads ? std::min(written, here_.lines) : written;
    if (writes && together < lanes_ && written >= lanes_) return {lanes_, false, Way::direct};
    if (stage_.streams && targets_.before > 0) together = std::min(together, targets_.before);
    const Index whole = together / lanes_ * lanes_;
    if (whole > 0 && (writes || turned())) {
      return {reads ? whole : std::min(whole, in_tile), reads, writes ? Way::direct : Way::lines};
    }
    if (whole > 0 && reads) return {std::min(whole, in_tile), true, Way::tile};
    const bool ordered = reads || targets_.lines > 0;
    return {std::min(ordered ? together : left, shape_.lines), false, Way::tile};
  }

  /// True where elements of a line follow each other in the targets.
  [[nodiscard]] bool turned() const {
    const auto swept = static_cast<std::size_t>(stage_.sweep.digit);
    return std::all_of(stage_.targets.begin(), stage_.targets.end(), [&](const StridedBlock& b) {
      return b.strides[swept] == 1 && !b.conjugated;
    });
  }

  static Source moved(const Source& from, Index lines) {
    return {from.data + lines * number_bytes, from.offsets};
  }
  /// A side of the tile, as kernels see it.
  Source rows_of(const TileSide& side) {
    const Index row = side.strides.element * number_bytes;
    for (Index i = 0; i < shape_.length; ++i) {
      here_.offsets[multiplies_first_ ? i : kernel_.places()[i]] = i * row;
    }
    return {reinterpret_cast<const char*>(gathered_), here_.offsets};
  }
  /// Where elements go, natural order first, then in the order of results.
  void prepare(const Step& step) {
    if (step.way == Way::tile) {
      const Index row = shape_.done.strides.element * number_bytes;
      for (Index i = 0; i < shape_.length; ++i) targets_.offsets[i] = i * row;
      targets_.data = reinterpret_cast<char*>(done_);
    }
    if (step.way == Way::lines) return;
    for (std::size_t i = 0; i < kernel_.results().size(); ++i) {
      results_[i] = targets_.offsets[kernel_.results()[i]];
    }
  }

  void transform(const Source& from, const Step& step, const Group& group, Factor<T> factor,
                 const Source& next) {
    auto* const room = reinterpret_cast<char*>(kernel_.room(scratch_));
    const Source in_room{room, kernel_.room_offsets()};
    const Target to_room{room, kernel_.room_results(), false};
    char* const to = step.way == Way::lines ? nullptr : targets_.data + group.first * number_bytes;
    const bool streams = step.way == Way::direct && stage_.streams;
    Source source = from;
    if (roots_ != nullptr) number(group);
    if (multiplies_first_) {
      kernel_.multiply(from, {room, kernel_.room_offsets(), false}, scratch_);
      source = {room, kernel_.room_elements()};
    }
    const bool multiplies = roots_ != nullptr && !multiplies_first_;
    if (step.way != Way::lines && !multiplies) {
      return kernel_.across(source, {to, results_, streams}, factor, scratch_, next);
    }
    kernel_.across(source, to_room, factor, scratch_, next);
    if (step.way != Way::lines) {
      return kernel_.multiply(in_room, {to, targets_.offsets, streams}, scratch_);
    }
    if (multiplies) kernel_.multiply(in_room, {room, kernel_.room_offsets(), false}, scratch_);
    leave_lines(group);
  }

  /// The numbers that roots depend on.
  void number(const Group& group) {
    Cursor at = group.begin;
    lines_.skip(at, group.first);
    typename Kernel::Numbering numbers;
    lines_.for_each_number(at, group.lines, [&](Index line, Index, Index j, Index step) {
      if (line == 0) numbers = {j, step, group.lines};
    });
    kernel_.make_roots(scratch_, *roots_, numbers, stage_.direction == Direction::backward);
  }

  /// From room to lines.
  void leave_lines(const Group& group) {
    Cursor at = group.begin;
    lines_.skip(at, group.first);
    const Strides in_room{lanes_, 1};
    Number<T>* const room = kernel_.room(scratch_);
    lines_.for_each_common(at, group.lines, stage_.targets, in_room,
                           [&](const StridedBlock& block, const Common& common) {
                             if (common.lines < lanes_ || common.block.element != 1) {
                               return scatter<T>(room, areas_, block, common, stage_.streams);
                             }
                             auto* const area = writable<T>(areas_, block.area, block.owner);
                             kernel_.turn_out(reinterpret_cast<const char*>(room + common.in_tile),
                                              common.tile.element * number_bytes, common.length,
                                              reinterpret_cast<char*>(area + common.in_block),
                                              common.block.line * number_bytes, stage_.streams);
                           });
  }

  /// Gathers lines, with zeros behind them up to a whole group.
  void gather_lines(Cursor at, Index count) {
    lines_.for_each_common(at, count, stage_.sources, shape_.gathered.strides,
                           [&](const StridedBlock& block, const Common& common) {
                             gather<T>(gathered_, areas_, block, common);
                           });
    pad(gathered_, shape_.gathered, count, ceil_div(count, lanes_) * lanes_);
  }
  void scatter_lines(Cursor at, Index count) {
    lines_.for_each_common(at, count, stage_.targets, shape_.done.strides,
                           [&](const StridedBlock& block, const Common& common) {
                             scatter<T>(done_, areas_, block, common, stage_.streams);
                           });
  }

  const StageLayout& stage_;
  const TileShape& shape_;
  const Areas& areas_;
  const Kernel& kernel_;
  const Index lanes_ = kernel_.lanes();
  const Roots* roots_;
  Lines lines_;
  Number<T>* gathered_;
  Number<T>* done_;
  Number<T>* scratch_;
  bool multiplies_first_;      // by roots, backward
  Elements<const char> here_;  // in the order of the kernel's elements(), or, where it multiplies
                               // first, in natural order
  Elements<const char> ahead_;
  Elements<char> targets_;
  Index* results_;
};

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
#include "exec/executor.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "exec/legs.hpp"
#include "kallima/error.hpp"
#include "local/copy.hpp"
#include "plan/tile.hpp"

namespace kallima::exec {

namespace {

/// More digits than any state has: three for each of six axes, and room.
constexpr std::size_t most_digits = 24;
using Places = std::array<Index, most_digits>;

/// Bytes from which a sweep writes past the caches. Below, what it writes is still there when the
/// next one reads it.
constexpr Index stream_from = Index{1} << 22;

template <class T>
std::complex<T>* writable(const typename Executor<T>::Areas& areas, Area area, Index owner = 0) {
  switch (area) {
    case Area::input:
    case Area::output:
      return areas.output;
    case Area::workspace:
      return areas.workspace;
    case Area::window:
      return areas.windows[0].empty() ? nullptr : areas.windows[0][static_cast<std::size_t>(owner)];
    case Area::other_window:
      return areas.windows[1].empty() ? nullptr : areas.windows[1][static_cast<std::size_t>(owner)];
  }
  return nullptr;
}

template <class T>
const std::complex<T>* readable(const typename Executor<T>::Areas& areas, Area area,
                                Index owner = 0) {
  return area == Area::input ? areas.input : writable<T>(areas, area, owner);
}

/// Lines [begin, end) along the fastest line digit, all others fixed.
struct Row {
  Index begin = 0;
  Index end = 0;
};

/// The places of a progression that lie in a row: `first` is the first of them, the `skip`-th of
/// the progression.
struct Run {
  Index first = 0;
  Index skip = 0;
  Index count = 0;
};

Run run_of(const Progression& places, const Row& row) {
  const Index skip = row.begin > places.first ? ceil_div(row.begin - places.first, places.step) : 0;
  const Index last = std::min(row.end - 1, places.last());
  const Index first = places.first + skip * places.step;
  if (skip >= places.count || first > last) return {};
  return {first, skip, (last - first) / places.step + 1};
}

/// The part of a patch that lies in a row: lines first, first + step, ... (count of them), and
/// where the first of them begins. Empty where the patch does not meet the row.
struct Meeting {
  Index first = 0;  // line, counted from the row's begin
  Index step = 1;
  Index count = 0;
  Index offset = 0;  // elements from the start of the patch' area, of line `first`
};

Meeting meet(const Patch& patch, const LegLayout& leg, const Places& at, const Row& row) {
  Meeting result;
  Index offset = patch.offset;
  for (std::size_t i = 0; i + 1 < leg.others.size(); ++i) {
    const auto digit = static_cast<std::size_t>(leg.others[i]);
    const Progression& places = patch.places[digit];
    if (!places.contains(at[digit])) return result;
    offset += places.place(at[digit]) * patch.strides[digit];
  }
  result.offset = offset;
  if (leg.others.empty()) {  // one line is all there is
    result.count = 1;
    return result;
  }
  const auto fast = static_cast<std::size_t>(leg.others.back());
  const Run run = run_of(patch.places[fast], row);
  if (run.count == 0) return result;
  result.first = run.first - row.begin;
  result.step = patch.places[fast].step;
  result.count = run.count;
  result.offset += run.skip * patch.strides[fast];
  return result;
}

/// A plane that a tile and a patch have in common: rows are lines, columns run along them.
struct Common {
  Index in_tile = 0;  ///< first element, from the start of the tile
  Index tile_lines = 0;
  Index tile_along = 0;
  Index in_patch = 0;  ///< first element, from the start of the patch' area
  Index patch_lines = 0;
  Index patch_along = 0;
  Index lines = 0;
  Index length = 0;
};

/// Calls copy(patch, common) for what the lines of a row have in common with each patch.
template <class Copy>
void for_each_meeting(const std::vector<Patch>& patches, const LegLayout& leg,
                      const local::TileShape& tile, const Places& at, const Row& row, Index line,
                      Copy copy) {
  const auto digit = static_cast<std::size_t>(leg.sweep.digit);
  const bool single = leg.others.empty();
  for (const Patch& patch : patches) {
    const Meeting meeting = meet(patch, leg, at, row);
    if (meeting.count == 0) continue;
    const Progression& along = patch.places[digit];
    const Index patch_lines =
        single ? 0 : patch.strides[static_cast<std::size_t>(leg.others.back())];
    copy(patch,
         Common{(line + meeting.first) * tile.line_stride() + along.first * tile.element_stride(),
                meeting.step * tile.line_stride(), along.step * tile.element_stride(),
                meeting.offset, patch_lines, patch.strides[digit], meeting.count, along.count});
  }
}

template <class T>
local::TileShape tile_of(const LegLayout& leg) {
  constexpr auto element = static_cast<Index>(sizeof(std::complex<T>));
  const Index length = leg.local_shape[static_cast<std::size_t>(leg.sweep.digit)];
  const Index lines = leg.sweep.lines;
  if (leg.sweep.form == TileForm::lines) return {length, lines, false};
  const Index chunk = chunk_lines(element);
  return {length, lines, true, padded_row(lines, element), lines % chunk == 0 ? chunk : lines};
}

/// The number j that the twiddle's digits form at these places.
Index number_of(const LegLayout& leg, const Places& at) {
  Index j = 0;
  for (const Twiddle::Term& term : leg.twiddle.terms) {
    j += term.values.at(at[term.digit]) * term.weight;
  }
  return j;
}

/// By how much that number grows from one line of a row to the next.
Index step_of_number(const LegLayout& leg) {
  if (leg.others.empty()) return 0;
  for (const Twiddle::Term& term : leg.twiddle.terms) {
    if (static_cast<int>(term.digit) == leg.others.back()) return term.values.step * term.weight;
  }
  return 0;
}

/// As many roots as are made at a time.
constexpr Index most_roots = 64;

/// roots[i] = exp(-2 pi i (first + i step) / n). By doubling: each is the product of at most seven
/// numbers from the tables, where a recurrence would let the error grow with i.
template <class T>
void make_roots(std::array<std::complex<T>, most_roots>& result, Index first, Index step,
                Index count, const local::Roots<T>& roots) {
  result[0] = roots(first);
  for (Index have = 1; have < count; have *= 2) {
    const std::complex<T> factor = roots(step * have);
    for (Index i = 0; i < std::min(have, count - have); ++i) {
      const std::complex<T> a = result[static_cast<std::size_t>(i)];
      result[static_cast<std::size_t>(have + i)] = {
          a.real() * factor.real() - a.imag() * factor.imag(),
          a.real() * factor.imag() + a.imag() * factor.real()};
    }
  }
}

/// Multiplies elements that lie `stride` apart by roots, or by their conjugates.
template <class T>
void multiply(std::complex<T>* data, Index stride,
              const std::array<std::complex<T>, most_roots>& roots, Index count, T sign) {
  for (Index i = 0; i < count; ++i) {
    const std::complex<T> root = roots[static_cast<std::size_t>(i)];
    const T imag = sign * root.imag();
    std::complex<T>& value = data[i * stride];
    value = {value.real() * root.real() - value.imag() * imag,
             value.real() * imag + value.imag() * root.real()};
  }
}

/// Multiplies lines by exp(-+ 2 pi i j k / n), k = 0, 1, ... along each; j is `first` for the
/// first line and `step` more for each next one. j k stays below n. Runs through the tile as it
/// lies in memory.
template <class T>
void twiddle_lines(std::complex<T>* lines, const local::TileShape& shape, Index count, Index first,
                   Index step, const local::Roots<T>& roots, Direction direction) {
  const T sign = direction == Direction::forward ? T{1} : T{-1};
  std::array<std::complex<T>, most_roots> factors;
  if (shape.interleaved) {
    for (Index k = 1; k < shape.length; ++k) {
      for (Index line = 0; line < count; line += most_roots) {
        const Index here = std::min(most_roots, count - line);
        make_roots(factors, (first + line * step) * k, step * k, here, roots);
        multiply(lines + k * shape.element_stride() + line, 1, factors, here, sign);
      }
    }
    return;
  }
  for (Index line = 0; line < count; ++line) {
    const Index j = first + line * step;
    if (j == 0) continue;
    for (Index k = 0; k < shape.length; k += most_roots) {
      const Index here = std::min(most_roots, shape.length - k);
      make_roots(factors, j * k, j, here, roots);
      multiply(lines + line * shape.line_stride() + k, 1, factors, here, sign);
    }
  }
}

/// Copies a product of progressions, digit by digit; the last two by the kernel.
template <class E>
void copy_box(E* to, const std::vector<Index>& to_strides, const E* from,
              const std::vector<Index>& from_strides, const Places& to_steps,
              const Places& from_steps, const Places& counts, const std::vector<int>& order,
              std::size_t depth) {
  const auto digit = static_cast<std::size_t>(order[depth]);
  const Index to_stride = to_strides[digit] * to_steps[digit];
  const Index from_stride = from_strides[digit] * from_steps[digit];
  if (depth + 1 == order.size()) {
    local::copy_plane<E>({to, 0, to_stride}, {from, 0, from_stride}, 1, counts[digit]);
    return;
  }
  if (depth + 2 == order.size()) {
    const auto inner = static_cast<std::size_t>(order[depth + 1]);
    local::copy_plane<E>({to, to_stride, to_strides[inner] * to_steps[inner]},
                         {from, from_stride, from_strides[inner] * from_steps[inner]},
                         counts[digit], counts[inner]);
    return;
  }
  for (Index i = 0; i < counts[digit]; ++i) {
    copy_box(to + i * to_stride, to_strides, from + i * from_stride, from_strides, to_steps,
             from_steps, counts, order, depth + 1);
  }
}

}  // namespace

template <class T>
std::size_t EngineSet<T>::find(const local::TileShape& shape, int sign, std::complex<T>* tile) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].shape == shape && entries_[i].sign == sign) return i;
  }
  entries_.push_back({shape, sign, local::Engine<T>(shape, sign, effort_, only_wisdom_, tile)});
  return entries_.size() - 1;
}

template <class T>
std::size_t EngineSet<T>::find_roots(Index modulus) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (roots_[i].n() == modulus) return i;
  }
  roots_.emplace_back(modulus, memory_);
  return roots_.size() - 1;
}

template <class T>
Index EngineSet<T>::root_bytes() const {
  Index bytes = 0;
  for (const local::Roots<T>& roots : roots_) bytes += roots.bytes();
  return bytes;
}

template <class T>
Executor<T>::Executor(const Plan& plan, bool in_place, Index rank, EngineSet<T>& engines,
                      std::complex<T>* tile)
    : direction_(plan.direction()),
      legs_(lay_out(plan, schedule(plan, in_place), rank)),
      engines_(engines) {
  const int sign = plan.direction() == Direction::forward ? -1 : 1;
  std::size_t most_sends = 0;
  std::size_t most_receives = 0;
  for (LegLayout& leg : legs_) {
    most_sends = std::max(most_sends, leg.sends.size());
    most_receives = std::max(most_receives, leg.receives.size());
    if (leg.is_exchange || leg.sweep.kernel == Kernel::none || leg.sources.empty()) continue;
    leg.streams =
        volume(leg.local_shape) * static_cast<Index>(sizeof(std::complex<T>)) >= stream_from;
    choose_engines(leg, sign, tile);
    if (leg.twiddle.modulus > 0) leg.twiddle.table = engines_.find_roots(leg.twiddle.modulus);
  }
  sending_.resize(most_sends);
  receiving_.resize(most_receives);
}

template <class T>
void Executor<T>::choose_engines(LegLayout& leg, int sign, std::complex<T>* tile) {
  if (!leg.joined) {
    leg.engine = engines_.find(tile_of<T>(leg), sign, tile);
    return;
  }
  PlaneEngines& plane = leg.plane;
  plane.rows_first = leg.sweep.form == TileForm::lines;
  const Sweep& fast = plane.rows_first ? leg.sweep : *leg.joined;
  const Sweep& slow = plane.rows_first ? *leg.joined : leg.sweep;
  const auto extent = [&](const Sweep& sweep) {
    return leg.local_shape[static_cast<std::size_t>(sweep.digit)];
  };
  plane.row = padded_row(extent(fast), static_cast<Index>(sizeof(std::complex<T>)));
  const auto choose = [&](const Sweep& sweep, Index lines, bool interleaved) {
    PlaneEngines::Lines result{static_cast<std::size_t>(sweep.digit), sweep.lines,
                               lines % sweep.lines, 0, 0};
    local::TileShape shape{extent(sweep), sweep.lines, interleaved, plane.row};
    result.engine = engines_.find(shape, sign, tile);
    shape.lines = result.left_over;
    if (shape.lines > 0) result.rest = engines_.find(shape, sign, tile);
    return result;
  };
  plane.rows = choose(fast, extent(slow), false);
  plane.columns = choose(slow, extent(fast), true);
}

template <class T>
void Executor<T>::sweep(std::size_t leg, const Areas& areas, T factor) const {
  const LegLayout& here = legs_[leg];
  if (here.sources.empty()) return;
  if (here.sweep.kernel == Kernel::none) {
    copy_patches(here, areas);
  } else if (here.joined) {
    sweep_planes(here, areas, here.scales ? factor : T{1});
  } else {
    sweep_tiles(here, areas, here.scales ? factor : T{1});
  }
}

template <class T>
void Executor<T>::sweep_tiles(const LegLayout& leg, const Areas& areas, T factor) const {
  using Element = std::complex<T>;
  const local::TileShape shape = tile_of<T>(leg);
  const local::Engine<T>& engine = engines_[leg.engine];
  Element* const tile = areas.tile;
  const bool single = leg.others.empty();
  const Index fast = single ? 1 : leg.local_shape[static_cast<std::size_t>(leg.others.back())];
  Index lines = 1;
  for (const int digit : leg.others) lines *= leg.local_shape[static_cast<std::size_t>(digit)];

  Places at{};  // of the row that the next line lies in
  Index in_row = 0;
  for (Index begin = 0; begin < lines; begin += shape.lines) {
    const Index count = std::min(shape.lines, lines - begin);
    const Places tile_at = at;
    const Index tile_in_row = in_row;
    // The rows of the tile, visited twice: to gather and to scatter.
    const auto for_each_row = [&](auto&& visit) {
      at = tile_at;
      in_row = tile_in_row;
      for (Index line = 0; line < count;) {
        const Index run = std::min(count - line, fast - in_row);
        visit(Row{in_row, in_row + run}, line);
        line += run;
        in_row += run;
        if (in_row < fast) continue;
        in_row = 0;
        for (std::size_t i = leg.others.size(); i-- > 1;) {
          const auto digit = static_cast<std::size_t>(leg.others[i - 1]);
          if (++at[digit] < leg.local_shape[digit]) break;
          at[digit] = 0;
        }
      }
    };
    const auto twiddle = [&](const Row& row, Index line) {
      if (leg.twiddle.modulus == 0) return;
      if (!single) at[static_cast<std::size_t>(leg.others.back())] = row.begin;
      twiddle_lines(tile + line * shape.line_stride(), shape, row.end - row.begin,
                    number_of(leg, at), step_of_number(leg), engines_.roots(leg.twiddle.table),
                    direction_);
      if (!single) at[static_cast<std::size_t>(leg.others.back())] = 0;
    };
    if (count < shape.lines) {  // pad: what a line becomes must not depend on leftovers
      std::fill(tile, tile + shape.size(), Element{});
    }
    for_each_row([&](const Row& row, Index line) {
      for_each_meeting(
          leg.sources, leg, shape, at, row, line, [&](const Patch& patch, const Common& c) {
            local::copy_plane<Element>({tile + c.in_tile, c.tile_lines, c.tile_along},
                                       {readable<T>(areas, patch.area, patch.owner) + c.in_patch,
                                        c.patch_lines, c.patch_along},
                                       c.lines, c.length);
          });
    });
    if (direction_ == Direction::backward) for_each_row(twiddle);
    engine.run(tile);
    if (direction_ == Direction::forward) for_each_row(twiddle);
    if (factor != T{1}) {
      for (Index i = 0; i < shape.size(); ++i) tile[i] *= factor;
    }
    for_each_row([&](const Row& row, Index line) {
      for_each_meeting(
          leg.targets, leg, shape, at, row, line, [&](const Patch& patch, const Common& c) {
            const local::Plane<Element> to = {
                writable<T>(areas, patch.area, patch.owner) + c.in_patch, c.patch_lines,
                c.patch_along};
            const local::Plane<const Element> from = {tile + c.in_tile, c.tile_lines, c.tile_along};
            if (leg.streams) {
              local::stream_plane<Element>(to, from, c.lines, c.length);
            } else {
              local::copy_plane<Element>(to, from, c.lines, c.length);
            }
          });
    });
  }
}

template <class T>
void Executor<T>::sweep_planes(const LegLayout& leg, const Areas& areas, T factor) const {
  using Element = std::complex<T>;
  const PlaneEngines& plane = leg.plane;
  const Index columns = leg.local_shape[plane.rows.digit];
  const Index rows = leg.local_shape[plane.columns.digit];
  Element* const tile = areas.tile;
  Places at{};  // of the plane

  // What the rows of a chunk have in common with each patch: copy(patch, in the tile, in the
  // patch).
  const auto for_each_patch = [&](const std::vector<Patch>& patches, const Row& chunk,
                                  auto&& copy) {
    for (const Patch& patch : patches) {
      Index offset = patch.offset;
      bool meets = true;
      for (const int digit : leg.others) {
        const auto d = static_cast<std::size_t>(digit);
        meets = meets && patch.places[d].contains(at[d]);
        if (meets) offset += patch.places[d].place(at[d]) * patch.strides[d];
      }
      const Progression& across = patch.places[plane.columns.digit];
      const Progression& along = patch.places[plane.rows.digit];
      const Run run = run_of(across, chunk);
      if (!meets || run.count == 0) continue;
      const Index outer = patch.strides[plane.columns.digit];
      copy(patch,
           local::Plane<Element>{tile + run.first * plane.row + along.first,
                                 across.step * plane.row, along.step},
           local::Plane<Element>{nullptr, outer, patch.strides[plane.rows.digit]},
           offset + run.skip * outer, run.count, along.count);
    }
  };
  const auto gather = [&](const Row& chunk) {
    for_each_patch(leg.sources, chunk,
                   [&](const Patch& patch, const local::Plane<Element>& in_tile,
                       const local::Plane<Element>& in_patch, Index offset, Index m, Index n) {
                     local::copy_plane<Element>(
                         in_tile,
                         {readable<T>(areas, patch.area, patch.owner) + offset, in_patch.outer,
                          in_patch.inner},
                         m, n);
                   });
  };
  const auto scatter = [&](const Row& chunk) {
    for_each_patch(
        leg.targets, chunk,
        [&](const Patch& patch, const local::Plane<Element>& in_tile,
            const local::Plane<Element>& in_patch, Index offset, Index m, Index n) {
          const local::Plane<Element> to = {writable<T>(areas, patch.area, patch.owner) + offset,
                                            in_patch.outer, in_patch.inner};
          const local::Plane<const Element> from = {in_tile.data, in_tile.outer, in_tile.inner};
          leg.streams ? local::stream_plane<Element>(to, from, m, n)
                      : local::copy_plane<Element>(to, from, m, n);
        });
  };
  // Rows are transformed as soon as they are fetched, or stored as soon as they are transformed,
  // while they are in the first cache.
  const auto for_each_chunk = [&](auto&& visit) {
    for (Index row = 0; row < rows; row += plane.rows.chunk) {
      visit(Row{row, std::min(rows, row + plane.rows.chunk)});
    }
  };
  const auto transform_rows = [&](const Row& chunk) {
    const bool whole = chunk.end - chunk.begin == plane.rows.chunk;
    engines_[whole ? plane.rows.engine : plane.rows.rest].run(tile + chunk.begin * plane.row);
  };
  const auto transform_columns = [&] {
    for (Index column = 0; column + plane.columns.chunk <= columns; column += plane.columns.chunk) {
      engines_[plane.columns.engine].run(tile + column);
    }
    if (plane.columns.left_over > 0) {
      engines_[plane.columns.rest].run(tile + columns - plane.columns.left_over);
    }
  };
  const auto scale = [&](const Row& chunk) {
    if (factor == T{1}) return;
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      for (Index j = 0; j < columns; ++j) tile[i * plane.row + j] *= factor;
    }
  };
  for (;;) {
    if (plane.rows_first) {
      for_each_chunk([&](const Row& chunk) {
        gather(chunk);
        transform_rows(chunk);
        scale(chunk);
      });
      transform_columns();
      scatter({0, rows});
    } else {
      gather({0, rows});
      transform_columns();
      for_each_chunk([&](const Row& chunk) {
        transform_rows(chunk);
        scale(chunk);
        scatter(chunk);
      });
    }
    std::size_t i = leg.others.size();
    for (; i > 0; --i) {
      const auto digit = static_cast<std::size_t>(leg.others[i - 1]);
      if (++at[digit] < leg.local_shape[digit]) break;
      at[digit] = 0;
    }
    if (i == 0) return;
  }
}

template <class T>
void Executor<T>::copy_patches(const LegLayout& leg, const Areas& areas) const {
  for (const Patch& source : leg.sources) {
    for (const Patch& target : leg.targets) {
      Places source_steps{};
      Places target_steps{};
      Places counts{};
      Index from = source.offset;
      Index to = target.offset;
      bool meets = true;
      for (std::size_t d = 0; d < source.places.size() && meets; ++d) {
        const Progression common = intersect(source.places[d], target.places[d]);
        meets = !common.empty();
        const Progression in_source = places(source.places[d], common);
        const Progression in_target = places(target.places[d], common);
        from += in_source.first * source.strides[d];
        to += in_target.first * target.strides[d];
        source_steps[d] = in_source.step;
        target_steps[d] = in_target.step;
        counts[d] = common.count;
      }
      if (!meets) continue;
      copy_box<std::complex<T>>(writable<T>(areas, target.area, target.owner) + to, target.strides,
                                readable<T>(areas, source.area, source.owner) + from,
                                source.strides, target_steps, source_steps, counts, leg.others, 0);
    }
  }
}

template <class T>
void Executor<T>::keep(std::size_t leg, const Areas& areas) const {
  const LegLayout& here = legs_[leg];
  if (here.kept_from.size == 0) return;
  std::memcpy(static_cast<void*>(writable<T>(areas, here.kept_to.area) + here.kept_to.offset),
              readable<T>(areas, here.kept_from.area) + here.kept_from.offset,
              static_cast<std::size_t>(here.kept_from.size) * sizeof(std::complex<T>));
}

namespace {

template <class T>
std::span<const transport::Message> resolve(const std::vector<Parcel>& parcels,
                                            const typename Executor<T>::Areas& areas,
                                            std::vector<transport::Message>& messages) {
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    std::complex<T>* const area = writable<T>(areas, parcels[i].area);
    std::complex<T>* const data = area == nullptr ? nullptr : area + parcels[i].offset;
    messages[i].peer = parcels[i].peer;
    messages[i].data.data = reinterpret_cast<std::byte*>(data);
    messages[i].data.bytes = parcels[i].size * static_cast<Index>(sizeof(std::complex<T>));
  }
  return {messages.data(), parcels.size()};
}

}  // namespace

template <class T>
std::span<const transport::Message> Executor<T>::sends(std::size_t leg, const Areas& areas) {
  return resolve<T>(legs_[leg].sends, areas, sending_);
}

template <class T>
std::span<const transport::Message> Executor<T>::receives(std::size_t leg, const Areas& areas) {
  return resolve<T>(legs_[leg].receives, areas, receiving_);
}

template class EngineSet<float>;
template class EngineSet<double>;
template class Executor<float>;
template class Executor<double>;

}  // namespace kallima::exec

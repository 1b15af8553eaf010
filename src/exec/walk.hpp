// SPDX-License-Identifier: BSD-3-Clause
//
// How a sweep walks through the lines and planes of a local array, and what they have in common
// with the blocks they are gathered from and scattered to. Private to the executor.
#pragma once

#include <algorithm>
#include <array>
#include <complex>

#include "exec/executor.hpp"
#include "exec/run.hpp"
#include "fft/copy.hpp"
#include "steps/digits.hpp"

namespace kallima::exec {

using Places = std::array<Index, most_digits>;

/// The part of [0, count) that one of several threads works on.
inline Range share(Index count, Index thread, Index threads) {
  return {count * thread / threads, count * (thread + 1) / threads};
}

/// Sets the places of `digits`, slowest first, to those of the number-th combination.
inline void place_at(Places& at, Index number, std::span<const int> digits, const Shape& extents) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    const auto digit = static_cast<std::size_t>(digits[i]);
    at[digit] = number % extents[digit];
    number /= extents[digit];
  }
}

/// Goes on to the next combination.
inline void place_next(Places& at, std::span<const int> digits, const Shape& extents) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    const auto digit = static_cast<std::size_t>(digits[i]);
    if (++at[digit] < extents[digit]) return;
    at[digit] = 0;
  }
}

template <class T>
Number<T>* writable(const typename Executor<T>::Areas& areas, Area area, Index owner = 0) {
  switch (area) {
    case Area::input:
    case Area::output:
      return areas.output_fields.empty() ? areas.output
                                         : areas.output_fields[static_cast<std::size_t>(owner)];
    case Area::workspace:
      return areas.workspace;
    case Area::segment:
      return areas.segments[0].empty() ? nullptr
                                       : areas.segments[0][static_cast<std::size_t>(owner)];
    case Area::other_segment:
      return areas.segments[1].empty() ? nullptr
                                       : areas.segments[1][static_cast<std::size_t>(owner)];
    case Area::transit:
      return areas.transit;
  }
  return nullptr;
}

template <class T>
const Number<T>* readable(const typename Executor<T>::Areas& areas, Area area, Index owner = 0) {
  if (area != Area::input) return writable<T>(areas, area, owner);
  return areas.input_fields.empty() ? areas.input
                                    : areas.input_fields[static_cast<std::size_t>(owner)];
}

/// Where the places `at` of some digits begin in a block; false where it does not hold them.
inline bool offset_in(const StridedBlock& block, std::span<const int> digits, const Places& at,
                      Index& offset) {
  offset = block.offset;
  for (const int digit : digits) {
    const auto d = static_cast<std::size_t>(digit);
    if (!block.places[d].contains(at[d])) return false;
    offset += block.distance(d, block.places[d].place(at[d]));
  }
  return true;
}

/// Calls visit(first, count, distance) for places [first, first + count) of a block along a digit,
/// of each panel by themselves.
template <class Visit>
void for_each_panel(const StridedBlock& block, std::size_t digit, Index first, Index count,
                    Visit visit) {
  while (count > 0) {
    const Index here = block.together(digit, first, count);
    visit(first, here, block.distance(digit, first));
    first += here;
    count -= here;
  }
}

/// A plane that a tile and a block have in common: rows across lines, columns along them.
struct Common {
  Index in_tile = 0;   ///< first element, from where the tile begins
  Strides tile;        ///< in the tile
  Index in_block = 0;  ///< first element, from the start of the block's area
  Strides block;       ///< in the block's area
  Index lines = 0;
  Index length = 0;
};

/// Conjugates what a tile has in common with a block; reals stay as they are.
template <class E>
void conjugate(E* tile, const Common& common) {
  if constexpr (requires { tile->imag(); }) {
    for (Index line = 0; line < common.lines; ++line) {
      E* const data = tile + common.in_tile + line * common.tile.line;
      for (Index i = 0; i < common.length; ++i) {
        data[i * common.tile.element] = std::conj(data[i * common.tile.element]);
      }
    }
  }
}

/// Gathers what a block and a tile have in common; E is what the elements of the block are.
template <class T, class E>
void gather(E* tile, const typename Executor<T>::Areas& areas, const StridedBlock& block,
            const Common& common) {
  const auto* const area = reinterpret_cast<const E*>(readable<T>(areas, block.area, block.owner));
  fft::copy_plane<E>({tile + common.in_tile, common.tile.line, common.tile.element},
                     {area + common.in_block, common.block.line, common.block.element},
                     common.lines, common.length);
  if (block.conjugated) conjugate(tile, common);
}

/// Scatters it, past the caches where the sweep `streams`.
template <class T, class E>
void scatter(E* tile, const typename Executor<T>::Areas& areas, const StridedBlock& block,
             const Common& common, bool streams) {
  auto* const area = reinterpret_cast<E*>(writable<T>(areas, block.area, block.owner));
  const fft::Plane<E> to{area + common.in_block, common.block.line, common.block.element};
  const fft::Plane<const E> from{tile + common.in_tile, common.tile.line, common.tile.element};
  if (block.conjugated) conjugate(tile, common);  // no other block wants these
  fft::store_plane<E>(to, from, common.lines, common.length, streams);
}

}  // namespace kallima::exec

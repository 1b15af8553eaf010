// SPDX-License-Identifier: BSD-3-Clause
//
// Where the elements of neighbouring lines lie in memory, as kernels want to know it: they read and
// write lines where these are, if neighbours lie side by side.
#pragma once

#include <cstdint>

#include "base/checked.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

/// Bytes of a page, unless a user asks for larger ones.
inline constexpr Index small_page = 4096;

/// Elements of lines side by side: the i-th of all lines begin at data + offsets[i]. Byte is char
/// where they are written, const char where they are read.
template <class Byte>
struct Elements {
  Byte* data = nullptr;      ///< of the first line
  Index* offsets = nullptr;  ///< bytes; room for as many as a line has elements
  Index lines = 0;           ///< that lie so; 0: it is not so simple
  Index before = 0;  ///< of these, before the first where all elements begin on cache lines; the
                     ///< number of lines where none does
  Index pages = 0;   ///< of memory that a line has elements on

  /// True where groups can be written past the caches from the first line on.
  [[nodiscard]] bool on_cache_lines() const { return lines > 0 && before == 0; }
};

/// Where lines are looked for.
struct LinePlace {
  const Places& at;            ///< of the digits that are fixed
  std::span<const int> fixed;  ///< these
  std::size_t across = 0;      ///< digit that numbers neighbours
  std::size_t along = 0;       ///< digit that numbers elements
  Index first = 0;             ///< of the neighbours
  Index length = 1;            ///< elements of a line
  Index row = 1;               ///< neighbours, from 0 on; the last of `fixed` numbers rows of them
};

/// Lines that lie side by side from a place on in rows behind its own, where these follow each
/// other in memory. (Rows of an array need not be whole cache lines, but all of them together may
/// be.)
inline Index in_rows_behind(const StridedBlock& block, const LinePlace& place) {
  if (place.fixed.empty()) return 0;
  const auto down = static_cast<std::size_t>(place.fixed.back());
  const Progression& rows = block.places[down];
  const bool follow = block.places[place.across].count == place.row && rows.step == 1 &&
                      block.strides[down] == place.row && block.panels.width == 0;
  return follow ? (rows.first + rows.count - 1 - place.at[down]) * place.row : 0;
}

/// Where lines from a place on lie in blocks of numbers of so many bytes. Writes the offsets: that
/// of element i to place i, or to places[i]. `address(block)` is where its area begins.
template <class Byte, class Address>
void find_elements(Elements<Byte>& elements, const std::vector<StridedBlock>& blocks,
                   const LinePlace& place, const Index* places, Index bytes, Address address) {
  Index run = std::numeric_limits<Index>::max();
  Index found = 0;
  Byte* begin = nullptr;
  std::uintptr_t apart_bits = 0;  // of all distances
  elements.lines = 0;
  elements.pages = 0;
  for (const StridedBlock& block : blocks) {
    Index offset = 0;
    if (!offset_in(block, place.fixed, place.at, offset)) continue;
    const Progression& across = block.places[place.across];
    const bool simple = (across.step == 1 || across.count == 1) &&
                        (block.strides[place.across] == 1 || across.count == 1) &&
                        !block.panels.along(place.along) && !block.conjugated;
    if (!simple) return;
    if (place.first >= across.first + across.count) continue;
    if (place.first < across.first) {  // another block ends where this one begins
      run = std::min(run, across.first - place.first);
      continue;
    }
    const Index skip = place.first - across.first;
    run = std::min(run, block.together(place.across, skip, across.count - skip) +
                            in_rows_behind(block, place));
    const Progression& along = block.places[place.along];
    Byte* const at = reinterpret_cast<Byte*>(address(block)) +
                     (offset + block.distance(place.across, skip)) * bytes;
    if (found == 0) begin = at;
    // Blocks may be of different areas.
    const auto apart = static_cast<Index>(reinterpret_cast<std::uintptr_t>(at) -
                                          reinterpret_cast<std::uintptr_t>(begin));
    const Index stride = block.strides[place.along] * bytes;
    for (Index i = 0; i < along.count; ++i) {
      const Index element = along.first + i * along.step;
      elements.offsets[places == nullptr ? element : places[element]] = apart + i * stride;
    }
    apart_bits |= static_cast<std::uintptr_t>(apart);
    if (along.count > 1) apart_bits |= static_cast<std::uintptr_t>(stride);
    found += along.count;
    elements.pages += ceil_div(along.count * std::min(stride, small_page), small_page);
  }
  if (found != place.length) return;
  elements.data = begin;
  elements.lines = run;
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(begin) % cache_line);
  const Index missing = (cache_line - past) % cache_line;
  const bool alike = apart_bits % cache_line == 0 && missing % bytes == 0;
  elements.before = alike ? std::min(run, missing / bytes) : run;
}

}  // namespace kallima::exec

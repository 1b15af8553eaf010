// SPDX-License-Identifier: BSD-3-Clause
//
// The stages of a butterfly over lines of a power of two: radix 2, decimation in frequency, two at
// a time in registers, in place. What the butterfly does to two elements is the parameter L: it has
// their `add` and `sub`, and `turn` multiplies what sub yields by a root of unity. So with sums
// and differences it is a Fourier transform, whose results are left in bit-reversed order; without
// turning, Walsh's; and where add is the smaller and sub the larger of two, a bitonic merge. L
// works on so many elements at once as it has lanes: on lines beside each other where they are
// interleaved, along the line where they are not.
//
// A block too large for the first cache is halved twice and its quarters are finished one after
// the other, so that all but the first stages run in that cache.
#pragma once

#include "kallima/index.hpp"

namespace kallima::extras {

/// Interleaved lines in memory: `lines` neighbours, elements `stride` apart; or one line, stride 1.
struct Interleaved {
  Index length = 1;
  Index stride = 1;
  Index lines = 1;
};

/// Factors that the stages of a line take, for lines of n: of blocks of m = n, n/4, ... with w the
/// m-th root, w^j, then w^(j + m/4), then w^(2j), each for j < m/4.
constexpr Index stage_table_size(Index n) {
  Index size = 0;
  for (; n >= 4; n /= 4) size += 3 * (n / 4);
  return size;
}

/// As many as there are lanes, or what is left. (The library's minimum would be a function that
/// files compiled for other processors share.)
template <class L>
constexpr Index some(Index left) {
  return left < L::lanes ? left : L::lanes;
}

/// The j-th factors of a block of m.
template <class V>
struct StageFactors {
  V first;
  V second;
  V third;
};

/// Two stages on `count` <= lanes elements of each of the four quarters of a block.
template <class L, class N>
inline void two_stages(const L& l, N* data, Index quarter, Index count,
                       const StageFactors<typename L::Vector>& w) {
  using V = typename L::Vector;
  const V a = l.load(data, count);
  const V b = l.load(data + quarter, count);
  const V c = l.load(data + 2 * quarter, count);
  const V d = l.load(data + 3 * quarter, count);
  const V sum = l.add(a, c);
  const V other_sum = l.add(b, d);
  const V difference = l.turn(l.sub(a, c), w.first);
  const V other_difference = l.turn(l.sub(b, d), w.second);
  l.store(data, l.add(sum, other_sum), count);
  l.store(data + quarter, l.turn(l.sub(sum, other_sum), w.third), count);
  l.store(data + 2 * quarter, l.add(difference, other_difference), count);
  l.store(data + 3 * quarter, l.turn(l.sub(difference, other_difference), w.third), count);
}

/// Two stages of a block of m elements of interleaved lines; `table` holds its factors.
template <class L, class N>
void two_stages_of_block(const L& l, N* data, Index m, const Interleaved& lines, const N* table) {
  const Index quarter = m / 4;
  const auto factors = [&](auto take) {
    StageFactors<typename L::Vector> w{};
    if constexpr (L::turns) w = {take(table), take(table + quarter), take(table + 2 * quarter)};
    return w;
  };
  if (lines.stride == 1) {
    for (Index j = 0; j < quarter; j += L::lanes) {
      const Index count = some<L>(quarter - j);
      two_stages(l, data + j, quarter, count,
                 factors([&](const N* part) { return l.load(part + j, count); }));
    }
    return;
  }
  for (Index j = 0; j < quarter; ++j) {
    const auto w = factors([&](const N* part) { return l.all(part[j]); });
    N* const row = data + j * lines.stride;
    for (Index line = 0; line < lines.lines; line += L::lanes) {
      two_stages(l, row + line, quarter * lines.stride, some<L>(lines.lines - line), w);
    }
  }
}

/// The last stage, where the number of stages is odd.
template <class L, class N>
void last_stage(const L& l, N* data, const Interleaved& lines) {
  for (Index line = 0; line < lines.lines; line += L::lanes) {
    const Index count = some<L>(lines.lines - line);
    N* const at = data + line;
    const auto a = l.load(at, count);
    const auto b = l.load(at + lines.stride, count);
    l.store(at, l.add(a, b), count);
    l.store(at + lines.stride, l.sub(a, b), count);
  }
}

/// All stages of blocks of m, one behind the other.
template <class L, class N>
void all_stages(const L& l, N* data, Index m, Index blocks, const Interleaved& lines,
                const N* table) {
  constexpr Index first_cache = (Index{1} << 15) / static_cast<Index>(sizeof(N));
  const Index apart = m * lines.stride;
  if (m < 4) {
    for (Index i = 0; m == 2 && i < blocks; ++i) last_stage(l, data + i * apart, lines);
    return;
  }
  const N* const rest = L::turns ? table + 3 * (m / 4) : table;
  if (m * lines.lines <= first_cache) {
    for (Index i = 0; i < blocks; ++i) two_stages_of_block(l, data + i * apart, m, lines, table);
    return all_stages(l, data, m / 4, 4 * blocks, lines, rest);
  }
  for (Index i = 0; i < blocks; ++i) {
    two_stages_of_block(l, data + i * apart, m, lines, table);
    for (Index part = 0; part < 4; ++part) {
      all_stages(l, data + i * apart + part * (apart / 4), m / 4, 1, lines, rest);
    }
  }
}

}  // namespace kallima::extras

// SPDX-License-Identifier: BSD-3-Clause
//
// The passes of a LineKernel, compiled for several sets of vector instructions.
//
// Complex numbers stay as they are in memory, real and imaginary part side by side, and a group of
// lines, as many as have a cache line's worth of numbers, goes through registers together.
// Rejected: real parts and imaginary parts in vectors of their own. That needs no shuffles in the
// arithmetic, but two at each end, twice the registers (a transform of 16 no longer fits them) and
// twice the first-level cache; measured on lines of 256 it is a quarter slower.
#pragma once

#include <array>
#include <complex>
#include <span>

#include "base/line_kernel.hpp"
#include "base/processor.hpp"
#include "kallima/index.hpp"

namespace kallima::fft {

/// Complex numbers of a cache line.
template <class T>
inline constexpr Index line_numbers = 64 / static_cast<Index>(sizeof(std::complex<T>));

/// Radices of passes: 2 to this.
inline constexpr int largest_radix = 16;

/// Elements from row to row of scratch where rows are at most as long as the largest radix. All
/// such lengths have it, so that addresses are known when compiling: computing these took as long
/// as arithmetic. Odd, as rows a power of two apart would meet in few sets of the cache.
inline constexpr Index short_row = 17;

/// Passes for one set of vector instructions and one precision. Offsets are bytes from an address,
/// of which `char` is the unit. A group has of each element `lines` cache lines, one or two. In
/// scratch each of these has a block of its own, so many bytes apart, in which elements lie one
/// behind the other, a cache line each, in rows that are `row` elements apart. Roots of unity are
/// pairs of 16 bytes: real parts, and imaginary parts with their signs. `sign` is that of the
/// exponent.
template <class T>
struct LinePasses {
  /// Groups of radix elements of memory, `rest` such, to element j of the rows q: transformed over
  /// k to q, times roots[j][q - 1]. offsets[j][k] is where element j + rest k lies.
  using First = void (*)(const char* from, const Index* offsets, Index lines, Index rest, Index row,
                         const T* roots, T sign, char* scratch, Index block);
  /// The same within a row of scratch, of radix rows of `rest` elements.
  using Middle = void (*)(Index lines, Index rest, const T* roots, T sign, char* scratch,
                          Index block);
  /// The first pass of one line whose elements follow each other, a cache line of neighbours j at a
  /// time. What becomes of neighbours q is a group, of one cache line, of shorter lines: group
  /// q / line_numbers begins at the row of this number. Fetches what lies `ahead` bytes farther
  /// into the second cache.
  using Along = void (*)(const char* from, Index rest, Index row, const T* roots, T sign,
                         char* scratch, Index ahead);
  /// Rows of as many elements as the radix, times a factor to memory. offsets[i] is where the i-th
  /// result goes. Where `next` is not null, fetches what lies there at next_offsets, which are as
  /// many, into the first cache.
  using Last = void (*)(const char* scratch, Index lines, Index block, Index row, Index rows,
                        char* to, const Index* offsets, T factor, T sign, const char* next,
                        const Index* next_offsets);
  /// Elements of memory to one row of scratch, as they are.
  using Take = void (*)(const char* from, const Index* offsets, Index lines, Index length,
                        char* scratch, Index block);
  /// As many lines as a group has, `line` bytes apart, whose elements follow each other, to
  /// scratch.
  using TurnIn = void (*)(const char* from, Index line, Index group, Index length, char* to);
  /// The way back, from elements so many bytes apart; past the caches, what begins on one and is as
  /// long as a cache line.
  using TurnOut = void (*)(const char* from, Index element, Index group, Index length, char* to,
                           Index line, bool streams);
  /// Elements of a group, times roots that differ from line to line: element k by the product of
  /// fine[k % fine_roots] and coarse[k / fine_roots], of each a group of real parts, every one
  /// twice, and a group of imaginary ones with signs. Both sides may be the same.
  using Multiply = void (*)(const char* from, const Index* from_offsets, Index group, char* to,
                            const Index* offsets, Index length, const T* fine, const T* coarse,
                            bool streams);
  /// Roots [have, count) of such a table: those before them times one.
  using Extend = void (*)(T* table, Index group, Index have, Index count, const T* by);
  /// Between the frequencies of `pairs` numbers, each of two neighbouring reals, and those of the
  /// reals, one more; both sides may be the same. roots[k - 1] is as for `along`, of groups of k.
  using Halves = void (*)(const T* from, Index pairs, const T* roots, T* to);

  /// By radix; null where there is none.
  template <class Pass>
  using ByRadix = std::array<Pass, largest_radix + 1>;

  ByRadix<First> first{};
  ByRadix<First> first_of_two{};  ///< the same where rows are short_row apart, whatever `row` is
  ByRadix<Middle> middle{};
  ByRadix<Along> along{};  ///< of multiples of line_numbers
  ByRadix<Last> last{};
  ByRadix<Last> streams{};  ///< the same past the caches, to cache lines
  Take take = nullptr;
  TurnIn turn_in = nullptr;
  TurnOut turn_out = nullptr;
  Multiply multiply = nullptr;
  Extend extend = nullptr;
  Halves split = nullptr;  ///< to the frequencies of reals
  Halves merge = nullptr;  ///< from them, twice as large
};

/// Passes for some vector instructions.
template <class T>
struct TargetPasses {
  Vectors vectors = Vectors::none;
  const LinePasses<T>& (*passes)() = nullptr;
};

/// All that were compiled.
template <class T>
std::span<const TargetPasses<T>> line_passes();
template <>
std::span<const TargetPasses<float>> line_passes();
template <>
std::span<const TargetPasses<double>> line_passes();

}  // namespace kallima::fft

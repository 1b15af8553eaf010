// SPDX-License-Identifier: BSD-3-Clause
//
// exp(-2 pi i j k / n) with k = block K + r is a product of two: that of j r, the same for all
// blocks of a line, and that of j block K. So a line costs a table of block_size roots, one root a
// block, and two complex products an element. The error is that of the tables and three roundings,
// whatever k; a recurrence along the line would let it grow.
#include "exec/twiddle.hpp"

#include <algorithm>
#include <array>

namespace kallima::exec {

namespace {

constexpr Index block_size = 32;
/// Lines that are worked on together, block by block, so that cache lines which they share are
/// fetched once.
constexpr Index group_size = 8;

/// Roots with real and imaginary parts apart, which compilers turn into vector code.
template <class T>
struct Block {
  std::array<T, block_size> real;
  std::array<T, block_size> imag;
};

/// exp(-+ 2 pi i j r / n), r = 0, 1, ..., by doubling.
template <class T>
void make_table(Block<T>& table, Index j, Index count, const fft::Roots<T>& roots, T sign) {
  table.real[0] = 1;
  table.imag[0] = 0;
  for (Index have = 1; have < count; have *= 2) {
    const std::complex<T> factor = roots(j * have);
    const T re = factor.real();
    const T im = sign * factor.imag();
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(have, count - have)); ++i) {
      const std::size_t to = i + static_cast<std::size_t>(have);
      table.real[to] = table.real[i] * re - table.imag[i] * im;
      table.imag[to] = table.real[i] * im + table.imag[i] * re;
    }
  }
}

template <class T>
void multiply(std::complex<T>* data, Index stride, Index count, const Block<T>& table,
              std::complex<T> factor, Block<T>& roots) {
  for (std::size_t i = 0; i < block_size; ++i) {
    roots.real[i] = table.real[i] * factor.real() - table.imag[i] * factor.imag();
    roots.imag[i] = table.real[i] * factor.imag() + table.imag[i] * factor.real();
  }
  for (Index i = 0; i < count; ++i) {
    const T re = roots.real[static_cast<std::size_t>(i)];
    const T im = roots.imag[static_cast<std::size_t>(i)];
    std::complex<T>& value = data[i * stride];
    value = {value.real() * re - value.imag() * im, value.real() * im + value.imag() * re};
  }
}

}  // namespace

template <class T>
void twiddle(const TwiddledLines<std::complex<T>>& lines, const fft::Roots<T>& roots,
             bool conjugate) {
  const T sign = conjugate ? T{-1} : T{1};
  std::array<Block<T>, group_size> tables{};
  Block<T> scratch{};
  for (Index group = 0; group < lines.lines; group += group_size) {
    const Index end = std::min(lines.lines, group + group_size);
    for (Index line = group; line < end; ++line) {
      make_table(tables[static_cast<std::size_t>(line - group)], lines.first + line * lines.step,
                 std::min(block_size, lines.length), roots, sign);
    }
    for (Index k = 0; k < lines.length; k += block_size) {
      for (Index line = group; line < end; ++line) {
        const std::complex<T> root = roots((lines.first + line * lines.step) * k);
        multiply(lines.data + line * lines.strides.line + k * lines.strides.element,
                 lines.strides.element, std::min(block_size, lines.length - k),
                 tables[static_cast<std::size_t>(line - group)], {root.real(), sign * root.imag()},
                 scratch);
      }
    }
  }
}

template void twiddle(const TwiddledLines<std::complex<float>>&, const fft::Roots<float>&, bool);
template void twiddle(const TwiddledLines<std::complex<double>>&, const fft::Roots<double>&, bool);

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
//
// The input of every benchmark: a hash of the global index. So it is the same for every layout,
// number of ranks and contender, and can be made again instead of kept.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kallima/array.hpp"

namespace kallima::cli {

/// Mixes 64 bits (splitmix64; Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t mixed(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31U);
}

/// A number in [-1, 1) that T represents exactly.
template <class T>
T number_of(std::uint64_t word) {
  constexpr unsigned digits = std::numeric_limits<T>::digits;
  const auto top = static_cast<std::int64_t>(mixed(word) >> (64U - digits));
  return static_cast<T>(top) / static_cast<T>(std::int64_t{1} << (digits - 1)) - T{1};
}

/// Element of the input at a row-major place of the whole array; E is real or complex.
template <class E>
E element_at(Index flat) {
  const auto word = 2 * static_cast<std::uint64_t>(flat);
  if constexpr (std::is_floating_point_v<E>) {
    return number_of<E>(word);
  } else {
    using T = typename E::value_type;
    return {number_of<T>(word), number_of<T>(word + 1)};
  }
}

/// Row-major place of an index.
inline Index flat_place(const MultiIndex& index, const Shape& shape) {
  Index flat = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) flat = flat * shape[a] + index[a];
  return flat;
}

/// Writes the input into this rank's part.
template <class E>
void fill(const BasicView<E>& part) {
  const Shape& shape = part.layout().shape();
  for (auto [index, value] : part.indexed()) value = element_at<E>(flat_place(index, shape));
}

}  // namespace kallima::cli

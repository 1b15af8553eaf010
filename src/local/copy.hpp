// SPDX-License-Identifier: BSD-3-Clause
//
// Copy kernels: the gather and the scatter of a sweep are made of these.
#pragma once

#include <cstring>
#include <utility>

#include "kallima/checked.hpp"

namespace kallima::local {

/// A two-dimensional strided array, in elements.
template <class E>
struct Plane {
  E* data;
  Index outer;  ///< stride between rows
  Index inner;  ///< stride inside a row
};

/// rows x columns elements from one plane to another; they do not overlap. Runs along the
/// dimension that is contiguous on either side, by memcpy where it is on both.
template <class E>
void copy_plane(Plane<E> to, Plane<const E> from, Index rows, Index columns) {
  const bool turn = from.inner != 1 && (from.outer == 1 || (to.inner != 1 && to.outer == 1));
  if (turn) {
    std::swap(to.outer, to.inner);
    std::swap(from.outer, from.inner);
    std::swap(rows, columns);
  }
  if (to.inner == 1 && from.inner == 1) {
    for (Index i = 0; i < rows; ++i) {
      std::memcpy(static_cast<void*>(to.data + i * to.outer), from.data + i * from.outer,
                  static_cast<std::size_t>(columns) * sizeof(E));
    }
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    E* const target = to.data + i * to.outer;
    const E* const source = from.data + i * from.outer;
    for (Index j = 0; j < columns; ++j) target[j * to.inner] = source[j * from.inner];
  }
}

}  // namespace kallima::local

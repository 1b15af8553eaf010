// SPDX-License-Identifier: BSD-3-Clause
//
// Copy kernels: the gather and the scatter of a sweep are made of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
  if (from.inner == 1 && to.outer == 1) {
    // Turned over: a few rows at a time, so that what is written fills cache lines at once.
    constexpr Index few = 8;
    for (Index begin = 0; begin < rows; begin += few) {
      const Index end = std::min(rows, begin + few);
      for (Index j = 0; j < columns; ++j) {
        for (Index i = begin; i < end; ++i) {
          to.data[i + j * to.inner] = from.data[i * from.outer + j];
        }
      }
    }
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    E* const target = to.data + i * to.outer;
    const E* const source = from.data + i * from.outer;
    for (Index j = 0; j < columns; ++j) target[j * to.inner] = source[j * from.inner];
  }
}

/// Copies bytes past the caches where whole cache lines are written; the ends go the usual way. A
/// fence is needed before others may read it.
inline void stream_bytes(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::size_t head =
      std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(target) % line) % line);
  std::memcpy(target, source, head);
  target += head;
  source += head;
  bytes -= head;
  for (; bytes >= line; bytes -= line, target += line, source += line) {
    for (std::size_t i = 0; i < line; i += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
    }
  }
  std::memcpy(target, source, bytes);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// copy_plane past the caches where rows are contiguous on both sides.
template <class E>
void stream_plane(Plane<E> to, Plane<const E> from, Index rows, Index columns) {
  if (to.outer == 1 && from.outer == 1 && (to.inner != 1 || from.inner != 1)) {
    std::swap(to.outer, to.inner);
    std::swap(from.outer, from.inner);
    std::swap(rows, columns);
  }
  if (to.inner != 1 || from.inner != 1) return copy_plane<E>(to, from, rows, columns);
  for (Index i = 0; i < rows; ++i) {
    stream_bytes(to.data + i * to.outer, from.data + i * from.outer,
                 static_cast<std::size_t>(columns) * sizeof(E));
  }
}

}  // namespace kallima::local

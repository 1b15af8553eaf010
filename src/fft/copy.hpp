// SPDX-License-Identifier: BSD-3-Clause
//
// Copy kernels: the gather and the scatter of a sweep are made of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kallima/index.hpp"

namespace kallima::fft {

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

#if defined(__SSE2__)
/// 16 bytes of elements that lie `stride` apart, put together in registers: read back from where
/// they were just stored in parts they would take several times as long.
template <class E>
__m128i gathered_word(const E* from, Index stride) {
  const auto part = [&](Index k, auto value) {
    std::memcpy(&value, from + k * stride, sizeof(value));
    return value;
  };
  if constexpr (sizeof(E) == 16) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  } else if constexpr (sizeof(E) == 8) {
    using Part = long long;  // NOLINT(google-runtime-int): as the intrinsic has it
    return _mm_set_epi64x(part(1, Part{}), part(0, Part{}));
  } else if constexpr (sizeof(E) == 1) {
    std::array<E, 16> bytes{};
    for (Index k = 0; k < 16; ++k) bytes[static_cast<std::size_t>(k)] = from[k * stride];
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data()));
  } else {
    static_assert(sizeof(E) == 4);
    using Part = int;
    return _mm_set_epi32(part(3, Part{}), part(2, Part{}), part(1, Part{}), part(0, Part{}));
  }
}
#endif

/// Copies elements that lie `stride` apart to a contiguous run, past the caches where whole cache
/// lines are written; the ends go the usual way. finish_streams() before others may read it.
template <class E>
void stream_run(E* to, const E* from, Index stride, Index count) {
  Index i = 0;
#if defined(__SSE2__)
  constexpr Index line = 64;
  constexpr auto size = static_cast<Index>(sizeof(E));
  const auto address = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % line);
  if (address % size == 0) {
    const Index head = std::min(count, (line - address) % line / size);
    for (; i < head; ++i) to[i] = from[i * stride];
    const Index end = i + (count - i) / (line / size) * (line / size);
    for (; i < end; i += 16 / size) {
      const __m128i word = stride == 1 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))
                                       : gathered_word(from + i * stride, stride);
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), word);
    }
  }
#endif
  for (; i < count; ++i) to[i] = from[i * stride];
}

/// Streaming stores are not ordered by a release, so the thread that made them does it.
inline void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// copy_plane past the caches, where what is written is contiguous along rows or columns.
template <class E>
void stream_plane(Plane<E> to, Plane<const E> from, Index rows, Index columns) {
  if (to.inner != 1) {
    if (to.outer != 1) return copy_plane<E>(to, from, rows, columns);
    std::swap(to.outer, to.inner);
    std::swap(from.outer, from.inner);
    std::swap(rows, columns);
  }
  for (Index i = 0; i < rows; ++i) {
    stream_run(to.data + i * to.outer, from.data + i * from.outer, from.inner, columns);
  }
}

/// One or the other.
template <class E>
void store_plane(Plane<E> to, Plane<const E> from, Index rows, Index columns, bool streams) {
  if (streams) {
    stream_plane<E>(to, from, rows, columns);
  } else {
    copy_plane<E>(to, from, rows, columns);
  }
}

}  // namespace kallima::fft

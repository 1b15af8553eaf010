// SPDX-License-Identifier: BSD-3-Clause
//
// The one index set the library computes with: first, first + step, ... (count of them).
//
// What a coordinate of a group-cyclic axis holds is a progression, a box's edge is one, and the
// intersection of two of them is one again. So every piece that one rank sends to another is a
// product of progressions, one per axis, whatever the two layouts are.
#pragma once

#include "kallima/export.h"
#include "kallima/index.hpp"

namespace kallima {

/// Indices first, first + step, ..., count of them. Normal form: step 1 where count is at most 1,
/// first 0 where it is empty, so that equal sets are equal values.
struct Progression {
  Index first = 0;  ///< smallest index
  Index step = 1;   ///< distance between neighbours, at least 1
  Index count = 0;  ///< how many

  /// The progression in normal form.
  static constexpr Progression make(Index first, Index step, Index count) {
    if (count <= 0) return {};
    return {first, count == 1 ? 1 : step, count};
  }

  /// True where there is no index.
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  /// The i-th index, 0 <= i < count.
  [[nodiscard]] constexpr Index at(Index i) const { return first + i * step; }
  /// The largest index of a set that is not empty.
  [[nodiscard]] constexpr Index last() const { return at(count - 1); }
  /// True where `index` is one of them.
  [[nodiscard]] constexpr bool contains(Index index) const {
    return count > 0 && index >= first && index <= last() && (index - first) % step == 0;
  }
  /// Place of `index` in the progression, which must contain it.
  [[nodiscard]] constexpr Index place(Index index) const { return (index - first) / step; }

  friend constexpr bool operator==(const Progression&, const Progression&) = default;
};

/// The common indices of a and b. Steps are at most 2^31, as those of axes are. O(log step).
KALLIMA_API Progression intersect(const Progression& a, const Progression& b);

/// The places that the members of `subset` have in `set`, which contains them all.
KALLIMA_API Progression places(const Progression& set, const Progression& subset);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// How one axis is distributed over processors: group-cyclic (Bisseling, Parallel Scientific
// Computation, section 3.4), which has block (cycle 1) and cyclic (cycle = procs) as its ends.
//
// The axis is cut into procs/cycle groups of neighbouring indices, and within a group the indices
// go round its `cycle` coordinates in turn. With procs dividing n, index j is three digits
// (group | local | cycle); a coordinate owns the outer and the inner digit and holds the middle
// one. This is not block-cyclic, which is (local | rank | local).
//
// Where the groups cannot be equal there are two rules, and users have both. `balanced` (sizes
// differ by at most one, the larger first) is P3DFFT's, 2DECOMP's and mpi4py-fft's kind; `ceil`
// (10 over 4 is 3, 3, 3, 1) is FFTW's and Bisseling's.
#pragma once

#include <cstdint>

#include "kallima/export.h"
#include "kallima/progression.hpp"

namespace kallima {

/// How an axis is cut into groups where they cannot be equal.
enum class Rule : std::uint8_t {
  balanced,  ///< sizes differ by at most one, larger ones first
  ceil,      ///< all of size ceil(n / groups) but the last ones
};

/// One axis of n indices over `procs` coordinates. All functions are O(1).
struct KALLIMA_API Axis {
  Index n = 1;      ///< extent, at least 1
  Index procs = 1;  ///< coordinates it is distributed over, at least 1; more than n is allowed
  Index cycle = 1;  ///< coordinates per group; divides procs
  Index rank_stride = 1;       ///< coord = (rank / rank_stride) mod procs
  Rule rule = Rule::balanced;  ///< cut of uneven groups

  /// True where one coordinate holds all of it, so that it can be transformed without messages.
  [[nodiscard]] bool whole() const { return procs == 1 || n == 1; }
  /// Groups of neighbouring indices.
  [[nodiscard]] Index groups() const { return procs / cycle; }
  /// First index of group g, n for g = groups().
  [[nodiscard]] Index group_begin(Index g) const;
  /// Group of index j, 0 <= j < n.
  [[nodiscard]] Index group_of(Index j) const;
  /// Coordinate that holds index j.
  [[nodiscard]] Index owner(Index j) const;
  /// Place of index j at its owner.
  [[nodiscard]] Index local(Index j) const;
  /// The index that coordinate `coord` holds at place `local`.
  [[nodiscard]] Index global(Index coord, Index local) const {
    return local_indices(coord).at(local);
  }
  /// Indices held by `coord`, ascending.
  [[nodiscard]] Progression local_indices(Index coord) const;
  /// How many indices `coord` holds.
  [[nodiscard]] Index size(Index coord) const { return local_indices(coord).count; }
  /// The most that any coordinate holds.
  [[nodiscard]] Index largest() const { return local_indices(0).count; }
  /// Coordinate of a rank of the grid.
  [[nodiscard]] Index coord(Index rank) const { return (rank / rank_stride) % procs; }
  /// True where every coordinate holds the same number of indices.
  [[nodiscard]] bool even() const { return n % procs == 0; }
  /// True where butterfly stage k of a radix-2 transform (it combines indices k/2 apart inside
  /// blocks of k) needs no communication: n, procs, cycle and k powers of two, procs <= n;
  /// 2 cycle <= k <= cycle n / procs (Bisseling, section 3.4).
  [[nodiscard]] bool stage_is_local(Index k) const {
    return 2 * cycle <= k && k <= cycle * (n / procs);
  }

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// True where a and b deal the same extent to the same coordinates, wherever these lie in the grid.
/// O(procs).
KALLIMA_API bool same_distribution(const Axis& a, const Axis& b);

}  // namespace kallima

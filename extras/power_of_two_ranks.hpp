// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of powers of two, on any number of ranks.
#pragma once

#include <bit>

#include "kallima/transform.hpp"

namespace kallima {

/// The layout that an array of one axis begins in where nothing is asked for: cyclically, over the
/// largest power of two of ranks that leaves at least two elements to each. Others are idle.
inline void spread_over_power_of_two(MPI_Comm comm, const Shape& shape, Options& options) {
  if (shape.size() != 1 || shape[0] < 2 || options.in || options.out || options.plan) return;
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto most = static_cast<std::uint64_t>(std::min<Index>(ranks, shape[0] / 2));
  options.in = Layout::cyclic(shape, {static_cast<Index>(std::bit_floor(most))});
}

}  // namespace kallima

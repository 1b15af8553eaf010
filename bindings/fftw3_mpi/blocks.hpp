// SPDX-License-Identifier: BSD-3-Clause
//
// How FFTW-MPI distributes arrays (its manual, sections 6.4 and 6.7): one axis in blocks of one
// size, the last of them shorter, further ranks empty. Values without MPI.
#pragma once

#include <vector>

#include "kallima/layout.hpp"

namespace kallima::fftw3_mpi {

/// FFTW_MPI_DEFAULT_BLOCK.
inline constexpr Index default_block = 0;

/// The block that distributes an axis over so many ranks.
Index equal_block(Index n, Index procs);

/// An axis in blocks.
struct Blocks {
  Index n = 1;      ///< extent
  Index block = 1;  ///< indices of a full one

  /// The axis over so many ranks; of equal blocks, as far as they go, where `block` is 0.
  /// InvalidLayout where the blocks do not hold the axis.
  static Blocks of(Index n, Index block, Index procs);

  /// First index of a rank; beyond n where it has none.
  [[nodiscard]] Index start(Index rank) const { return rank * block; }
  /// Indices of a rank.
  [[nodiscard]] Index size(Index rank) const;
};

/// An array whose axis `axis` is in blocks.
Layout in_blocks(const Shape& shape, std::size_t axis, Index block, Index procs,
                 std::vector<int> order = {});

/// The order of axes in memory of a transposed array: the first two trade places.
std::vector<int> transposed_order(std::size_t axes);

}  // namespace kallima::fftw3_mpi

// SPDX-License-Identifier: BSD-3-Clause
//
// Whole transforms, to learn by how much sweeps take longer in a plan than by themselves.
#pragma once

#include <mpi.h>

#include <vector>

#include "kallima/plan.hpp"

namespace kallima::calibration {

/// Shapes of some sizes, each with several numbers of axes; none larger than fits three arrays of
/// so many bytes together.
std::vector<Shape> whole_shapes(Index most_bytes);

/// A transform that was run.
struct WholeTime {
  Plan plan;
  double seconds = 0.;     ///< median of runs in a row, of the slowest rank
  double exchanging = 0.;  ///< of this rank, in exchanges
};

/// Plans on the built-in machine and runs, in double precision. Collective over `comm`.
WholeTime whole_time(MPI_Comm comm, const Shape& shape, ExchangeMethod method, double budget);

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
//
// What the main() of several examples has in common.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <iostream>

#include "kallima/kallima.hpp"

/// Runs an example of a size that the command line may name between MPI_Init and MPI_Finalize. Its
/// exit status is what it returns, or 1 where it throws.
inline int run_example(int argc, char** argv, kallima::Index size, int (*run)(kallima::Index)) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = run(argc > 1 ? std::atoll(argv[1]) : size);
  } catch (const kallima::Error& error) {
    // The same on every rank, so one of them may speak for all.
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cerr << error.what() << '\n';
  }
  MPI_Finalize();
  return status;
}

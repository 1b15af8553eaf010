// SPDX-License-Identifier: BSD-3-Clause
//
// MPI as the program uses it: started late, ended by one function, so that whatever goes wrong is
// printed once and ends all ranks.
//
// A rank that exits with an error before the others have printed theirs would be the end of them:
// launchers kill a job at its first failing process. So under a launcher even a mistyped option
// starts MPI, lets rank 0 print, and meets the others in MPI_Finalize.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "command.hpp"
#include "kallima/index.hpp"

namespace kallima::cli {

/// The ranks this process was started with.
struct Session {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
  int nodes = 1;

  /// True on the one rank that prints.
  [[nodiscard]] bool speaks() const { return rank == 0; }
};

/// The largest number of any rank, on all ranks. Collective.
inline double largest(const Session& session, double mine) {
  double result = 0.0;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, session.comm);
  return result;
}
inline Index largest(const Session& session, Index mine) {
  Index result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, session.comm);
  return result;
}

/// The sum over all ranks, on all ranks. Collective.
inline Index total(const Session& session, Index mine) {
  Index result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM, session.comm);
  return result;
}

/// True where mpirun, srun or the like started this process. Known from the environment: MPI is
/// not started for the question.
bool launched();

/// Rank that the launcher gave to this process, 0 without one.
int launched_rank();

/// Starts MPI, runs `body`, ends MPI. Ranks with different arguments are refused. What `body`
/// throws alike on all ranks is printed by rank 0; what may be one rank's own aborts the job.
ExitCode under_mpi(const Arguments& arguments, const std::function<ExitCode(const Session&)>& body);

/// Prints `text` to standard error once and returns `code`, on all ranks where there are several.
ExitCode fail_everywhere(const Arguments& arguments, ExitCode code, const std::string& text);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// Looks at every MPI call of a test program, by the profiling interface: the program defines MPI_X,
// notes the call and passes it on to PMPI_X. So a test sees what the library asks of MPI: handles
// made and given back, calls with large counts, and whose communicators are used.
//
// Ranks of MPICH spin while they wait; with more ranks than cores every wait costs a time slice.
// Here waiting ranks give their core away, as those of Open MPI do by mpi_yield_when_idle: blocking
// calls become their non-blocking twins and a loop that tests and yields, or sleeps a moment.
#pragma once

#include <mpi.h>

#include <string>

namespace kallima::test {

/// Handles made by the program so far and not yet given back.
struct Handles {
  long communicators = 0;
  long datatypes = 0;
  long requests = 0;
  long groups = 0;
  long errhandlers = 0;
  long keyvals = 0;
  long windows = 0;
  long infos = 0;
  long operations = 0;

  friend bool operator==(const Handles&, const Handles&) = default;
  [[nodiscard]] std::string to_text() const;
};

/// How often the program called MPI.
struct Calls {
  long all = 0;  ///< of those that are looked at
  long sends = 0;
  long large_sends = 0;  ///< MPI_Isend_c, not among `sends`
  long receives = 0;
  long large_receives = 0;     ///< MPI_Irecv_c, likewise
  long sends_ahead = 0;        ///< of either kind, before the first receive
  long alltoallvs = 0;         ///< blocking or not
  long duplicates = 0;         ///< of communicators
  long frees = 0;              ///< of communicators
  long long largest_send = 0;  ///< count of a send, in elements of its type
};

Handles handles_alive();

/// Calls since the program began or forget_calls().
Calls calls_made();
void forget_calls();

/// From here on no call may name this communicator; MPI_COMM_NULL ends that.
void forbid(MPI_Comm comm);

/// The first call that did, or nothing.
std::string forbidden_call();

}  // namespace kallima::test

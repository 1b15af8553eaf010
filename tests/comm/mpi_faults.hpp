// SPDX-License-Identifier: BSD-3-Clause
//
// MPI as it is on a bad day, for programs that link kallima_spy: sends that leave long after they
// were started, calls that take long, a call that fails. All of it is what MPI may do.
//
// KALLIMA_TEST_FAULTS="late 2000 delay 300 share 0.3" sets such faults from the start, for programs
// that know nothing of them; times are in microseconds.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <string>

namespace kallima::test {

/// What is wrong on this rank.
struct Faults {
  /// Sends read their memory and leave so much later than they are started.
  std::chrono::microseconds late_sends{0};
  /// Calls take up to so much longer, at random.
  std::chrono::microseconds delay{0};
  double share = 1.0;  ///< of sends that leave late
  unsigned seed = 1;   ///< of chance
  /// The call of this name and number, counted from 1, does nothing and returns an error.
  std::string failing_call;
  long failing_number = 0;
  /// Called at the beginning of a call, on the thread that makes it.
  std::function<void(const char* call)> at_call;
};

/// From here on; what was held back leaves. Counts calls anew.
void set_faults(const Faults& faults);

/// True where the call that was to fail has been made.
bool has_failed();

// What mpi_spy.cpp calls in the place of MPI's functions.

/// At the beginning of a call: waits, or returns an error that the call is to return.
int fault(const char* call);
int start_send(const void* data, MPI_Count count, MPI_Datatype type, int peer, int tag,
               MPI_Comm comm, MPI_Request* request);
int make_persistent_send(const void* data, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request* request);
int start(MPI_Request* request);
int test(MPI_Request* request, int* done, MPI_Status* status);
int test_some(int count, MPI_Request requests[], int* out, int indices[], MPI_Status statuses[]);
int test_all(int count, MPI_Request requests[], int* done, MPI_Status statuses[]);
int free_request(MPI_Request* request);
/// True where sends are held back: who waits for a request then has to test it.
bool holds_back();

}  // namespace kallima::test

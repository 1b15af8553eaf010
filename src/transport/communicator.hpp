// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own duplicate of a user's communicator.
//
// One per user communicator, kept as an attribute of it: a thousand transforms on one communicator
// use one duplicate, and no destructor of ours is collective. It is freed inside the user's own
// MPI_Comm_free, which is collective; a transform that is still alive then knows and refuses to
// run.
#pragma once

#include <mpi.h>

#include <memory>

#include "kallima/checked.hpp"

namespace kallima::transport {

/// The duplicate and what is known of it.
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;  ///< ours; MPI_ERRORS_RETURN
  int rank = 0;
  int size = 1;
  int ranks_on_node = 1;      ///< that share memory with this one, itself included
  int ranks_per_node = 1;     ///< on that of rank 0
  int first_on_node = 0;      ///< the least of them
  bool nodes_in_rows = true;  ///< as many on each node but the last, and neighbours
  bool alive = true;          ///< false once the user freed the original

  /// The duplicate for `user`. Collective at the first call for a communicator, local afterwards.
  /// InvalidOption where MPI is not running, or the communicator is null or an intercommunicator.
  static std::shared_ptr<const Communicator> of(MPI_Comm user);

  /// StaleCommunicator where the user has freed the original.
  void require_alive() const;
};

/// MpiFailure with MPI's own words, where `code` is not MPI_SUCCESS.
void check(int code, const char* call);

}  // namespace kallima::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/owned_comm.hpp"

#include <utility>

#include "comm/communicator.hpp"
#include "comm/family.hpp"

namespace kallima::comm {

OwnedComm OwnedComm::split(MPI_Comm comm, int color, int key) {
  free_at_finalize();
  OwnedComm result;
  check(MPI_Comm_split(comm, color, key, result.slot()), "MPI_Comm_split");
  return result;
}

OwnedComm OwnedComm::of_node(MPI_Comm comm) {
  free_at_finalize();
  OwnedComm result;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, result.slot()),
        "MPI_Comm_split_type");
  return result;
}

OwnedComm& OwnedComm::operator=(OwnedComm&& other) noexcept {
  if (this == &other) return *this;
  leave();
  mine_ = std::move(other.mine_);
  return *this;
}

int OwnedComm::free() noexcept {
  return get() == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(slot());
}

void OwnedComm::leave() noexcept {
  if (!mine_.empty() && get() != MPI_COMM_NULL) Keeper::of_process()->take(mine_);
}

}  // namespace kallima::comm

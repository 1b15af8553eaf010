// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator that the library has made. Its owner frees it where all its ranks are; one that is
// destroyed before goes to the process's keeper, and MPI_Finalize frees it, unless it is to stay.
#pragma once

#include <mpi.h>

#include "comm/keeper.hpp"

namespace kallima::comm {

class OwnedComm {
 public:
  /// None.
  OwnedComm() : mine_(1) {}
  /// Of the ranks of a communicator that bring the same color, in the order of their keys; none
  /// where the color is MPI_UNDEFINED. Collective.
  static OwnedComm split(MPI_Comm comm, int color, int key);
  /// Of the ranks of a communicator that share a node, as MPI sees it, in their order. Collective.
  static OwnedComm of_node(MPI_Comm comm);

  OwnedComm(const OwnedComm&) = delete;
  OwnedComm& operator=(const OwnedComm&) = delete;
  OwnedComm(OwnedComm&& other) noexcept = default;
  OwnedComm& operator=(OwnedComm&& other) noexcept;
  /// Calls no MPI.
  ~OwnedComm() { leave(); }

  /// MPI_COMM_NULL where there is none.
  [[nodiscard]] MPI_Comm get() const { return mine_.front().comm; }
  /// Where MPI is to write one, now or later: it stays where it is for as long as this lives,
  /// wherever this is moved.
  [[nodiscard]] MPI_Comm* slot() { return &mine_.front().comm; }
  /// Frees it. Collective, as MPI_Comm_free is, whose code it returns; nothing where there is none.
  int free() noexcept;
  /// It is not to be freed any more, not even by MPI_Finalize: messages of a call that has failed
  /// may still come.
  void let_stay() noexcept { mine_.front().stays = true; }

 private:
  void leave() noexcept;

  Leftovers mine_;  // one; none when moved from
};

}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// What owners of MPI's handles leave behind. No destructor of the library calls MPI: it may run on
// one rank alone, where MPI_Comm_free may wait for the others; after MPI_Finalize; on a thread that
// may not call MPI; and while an exception is under way, when requests are still active. So an
// owner that goes hands what it has to a keeper, with the memory that MPI may still read or write.
//
// Each duplicate has a keeper, which later calls on it empty; what belongs to no duplicate goes to
// the process's, which MPI_Finalize empties. See docs/decisions/0029.
//
// An owner holds what it owns as a list of one, which is joined to the keeper's: handing over
// allocates nothing, so that it cannot fail. Rejected: a list of handles in the keeper, which has
// to grow when a destructor runs for want of memory.
#pragma once

#include <mpi.h>

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace kallima::comm {

/// What one owner has: requests, a communicator, or a key of attributes.
struct Leftover {
  std::vector<MPI_Request> requests;
  bool active = false;  ///< MPI may still work on them; otherwise they are persistent and at rest
  std::shared_ptr<const void> memory;  ///< that MPI may read or write for them
  MPI_Comm comm = MPI_COMM_NULL;
  bool stays = false;  ///< the communicator is never freed, as a call on it has failed
  int key = MPI_KEYVAL_INVALID;
};

/// Of one owner, then of a keeper.
using Leftovers = std::list<Leftover>;

class Keeper {
 public:
  /// That of the process. It is never destroyed, so that whatever is destroyed last can hand over.
  static const std::shared_ptr<Keeper>& of_process();

  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  Keeper(Keeper&&) = delete;
  Keeper& operator=(Keeper&&) = delete;
  /// What MPI may still work on goes to the process's.
  ~Keeper();

  /// Takes over all of these. Calls no MPI.
  void take(Leftovers& leftovers) noexcept;
  /// Keeps memory that MPI may use for a call that has failed. In the process's, it stays until the
  /// program ends; one of a duplicate would keep itself where the memory holds the communicator, as
  /// segments do.
  void keep(std::shared_ptr<const void> memory);

  /// Frees requests that are at rest, and those that have come to rest by now, with their memory.
  /// Local.
  void free_requests() noexcept;
  /// True where MPI may still work on some request.
  [[nodiscard]] bool has_active() const;
  /// Frees communicators, but for those that stay, and keys. Collective over the communicators, as
  /// MPI_Comm_free is.
  void free_handles() noexcept;

 private:
  mutable std::mutex mutex_;
  Leftovers left_;
};

}  // namespace kallima::comm

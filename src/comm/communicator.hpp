// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own duplicates of a user's communicator.
//
// The first is made when a communicator is first used, and kept as an attribute of it. Where MPI
// runs with MPI_THREAD_MULTIPLE, every transform has a duplicate of its own besides, so that
// transforms may run in several threads at once; a duplicate whose transform is gone is used again.
// Otherwise all transforms on a communicator share the first: they cannot run at once.
//
// A duplicate on which a call has failed is not used again: messages of the failed call may still
// be on their way. What a destructor leaves behind (requests, memory that MPI may still write) is
// the duplicate's keeper's, as destructors call no MPI.
//
// The user may free the communicator at any time. Its duplicates are freed then, or, where some
// rank still has a transform on one of them, when the last is gone: see docs/decisions/0026.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/processor.hpp"
#include "comm/failure.hpp"
#include "comm/keeper.hpp"
#include "comm/owned_comm.hpp"
#include "comm/watchdog.hpp"
#include "kallima/index.hpp"

namespace kallima::comm {

/// A communicator of ours, and what is to be known of it on this rank.
struct Duplicate {
  OwnedComm comm;                   ///< MPI_ERRORS_RETURN
  std::atomic<int> users{0};        ///< transforms on it
  std::atomic<bool> busy{false};    ///< a thread is in a call on it
  std::atomic<bool> broken{false};  ///< a call on it has failed: see `failure`
  std::atomic<bool> told{false};    ///< of which the peers have been told
  std::atomic<bool> closed{false};  ///< MPI_Finalize has freed it

  const std::shared_ptr<Keeper> keeper = std::make_shared<Keeper>();  ///< of what owners leave
  Leftovers telling = Leftovers(1);  ///< what keeps this alive while the peers are told

  std::mutex mutex;  ///< over `failure`
  Failure failure;

  Duplicate() = default;
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;
  Duplicate(Duplicate&&) = delete;
  Duplicate& operator=(Duplicate&&) = delete;
  ~Duplicate();

  /// Frees the requests of transforms that are gone; where a call has failed, nothing is touched.
  /// Local.
  void free_retired() noexcept;
  /// A call on it has failed: it is not to be used again. The first failure stays.
  void break_by(const Failure& cause);
};

/// What the ranks of a communicator run on, and how they lie on nodes.
struct NodeMapping {
  int ranks_on_node = 1;            ///< that share memory with this one, itself included
  int ranks_per_node = 1;           ///< on that of rank 0
  int first_on_node = 0;            ///< the least of them
  bool nodes_in_rows = true;        ///< as many on each node but the last, and neighbours
  Vectors vectors = Vectors::none;  ///< instructions that all ranks have
};

/// A user of a duplicate: a transform, or what only agrees on something.
struct Communicator : NodeMapping {
  MPI_Comm comm = MPI_COMM_NULL;  ///< of the duplicate
  int rank = 0;
  int size = 1;
  bool threads = false;     ///< every rank may call MPI from several threads at once
  double deadline = 0.;     ///< of calls that have none of their own; rank 0's KALLIMA_DEADLINE
  std::int64_t number = 0;  ///< of the transform among those on the user's communicator
  std::shared_ptr<Duplicate> duplicate;
  std::unique_ptr<Watchdog> watchdog;

  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  /// The first duplicate for `user`, for agreements. Collective at the first call for a
  /// communicator, local afterwards. InvalidOption where MPI is not running, or the communicator is
  /// null or an intercommunicator.
  static std::shared_ptr<const Communicator> of(MPI_Comm user);

  /// A duplicate for a transform, as described above. Collective. `deadline` in seconds, or 0 for
  /// what the environment says.
  static std::shared_ptr<const Communicator> reserve(MPI_Comm user, double deadline);

  /// Another user of the same duplicate, for what a transform makes for itself: only one of both is
  /// in a call at a time. Local.
  [[nodiscard]] std::shared_ptr<const Communicator> another() const;

  /// StaleCommunicator where MPI_Finalize has been called; BrokenTransform where a call on the
  /// duplicate has failed.
  void require_usable() const;

  /// A call has failed on this rank, or this rank has heard that it failed elsewhere. The peers are
  /// told and the duplicate is not used again.
  void fail(const Failure& failure) const noexcept;
  /// Turns the exception that is being handled into such a failure, and throws it, with its place.
  [[noreturn]] void fail_as_thrown() const;
  /// Runs `body`; what it throws is a failure.
  template <class Body>
  void or_fail(Body&& body) const {
    try {
      std::forward<Body>(body)();
    } catch (...) {
      fail_as_thrown();
    }
  }

  /// Of requests on this communicator.
  [[nodiscard]] const std::shared_ptr<Keeper>& keeper() const { return duplicate->keeper; }
};

/// A call of the user's, for as long as it lasts. One at a time: ConcurrentUse where another thread
/// is in a call on the same duplicate. Throws as require_usable() does.
class Call {
 public:
  /// Deadline as in Watchdog::begin().
  Call(const Communicator& communicator, const char* name, double deadline, double began = 0.);
  /// The call that has just reserved the communicator goes on.
  explicit Call(const Communicator& reserved);
  ~Call() { duplicate_.busy.store(false, std::memory_order_release); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  Call(Call&&) = delete;
  Call& operator=(Call&&) = delete;

 private:
  void enter(const Communicator& communicator, const char* name);

  Duplicate& duplicate_;
};

/// MpiFailure with MPI's own words, where `code` is not MPI_SUCCESS.
void check(int code, const char* call);

}  // namespace kallima::comm

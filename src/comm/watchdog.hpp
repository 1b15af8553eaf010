// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank waits. It polls while what it waits for is probably near, and sleeps between polls
// when it is not: a rank that waits for seconds leaves its core to others. Now and then it lets MPI
// make progress, since a peer may wait for a message that the program started before this call; and
// it looks whether waiting still makes sense: whether a peer has failed, or the deadline of the
// call has passed.
//
// Rejected: MPI's own waits. They spin for ever, and know neither deadlines nor shared memory.
#pragma once

#include <mpi.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "comm/failure.hpp"
#include "kallima/index.hpp"

namespace kallima::comm {

/// Simulated ranks take turns in one process: there only MPI's own waits let time pass.
#if defined(KALLIMA_SIMULATED)
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

class NodeSync;
struct Duplicate;

/// Looks after the calls on one communicator. One thread at a time waits; others may note failures.
class Watchdog {
 public:
  static constexpr int no_step = -1;

  /// Of calls on a duplicate; where there is none (null), MPI makes no progress and nothing is
  /// heard from ranks of other nodes. `crowded`: the node has more ranks than cores, so who waits
  /// yields at once.
  Watchdog(Duplicate* duplicate, int rank, bool crowded)
      : duplicate_(duplicate), rank_(rank), crowded_(crowded) {}

  /// A call of the user's begins. Its deadline, in seconds, runs from here, or since `began`, where
  /// that is a time of now(); 0: it has none.
  void begin(const char* call, double deadline, double began = 0.);
  /// Where the call is by now, for the text of an error. `phase` is a literal.
  void at(const char* phase, int step = no_step) {
    phase_ = phase;
    step_ = step;
  }
  /// "rank 3, step 2 (exchange) of run".
  [[nodiscard]] std::string place() const;

  /// Ranks of the node tell their failures there; null: they do not.
  void attach(NodeSync* node) { node_ = node; }
  /// Failures of calls on another duplicate are heard too, until the next call begins: some ranks
  /// may still be in a call there.
  void listen(std::shared_ptr<Duplicate> other) { other_ = std::move(other); }

  /// Lets MPI make progress. Throws where the deadline has passed (DeadlineExceeded) or this call
  /// has failed elsewhere: on a peer, or on another thread of this rank.
  void look();
  /// What look() has heard and thrown; null where it has thrown something of its own, or nothing.
  [[nodiscard]] const Failure* heard() const { return heard_ ? &*heard_ : nullptr; }
  /// Another thread of this rank has failed; look() throws it.
  void note(const std::exception_ptr& failure);
  /// Throws what was noted, if anything.
  void throw_noted();
  /// Tells the ranks of the node, where they share memory.
  void tell_node(const Failure& failure);

  [[nodiscard]] bool crowded() const { return crowded_; }
  /// Seconds of a clock that never goes back.
  static double now();

 private:
  void hear(const Failure& failure);
  void hear_from(Duplicate& duplicate);

  Duplicate* duplicate_;
  std::shared_ptr<Duplicate> other_;
  int rank_;
  bool crowded_;
  const char* call_ = "";
  const char* phase_ = "";
  int step_ = no_step;
  double began_ = 0.;
  double deadline_ = 0.;  // seconds of a call
  NodeSync* node_ = nullptr;
  std::optional<Failure> heard_;
  std::atomic<bool> noted_{false};
  std::mutex mutex_;  // over noted_failure_
  std::exception_ptr noted_failure_;
};

/// How long a rank polls before it sleeps between polls.
struct Patience {
  int spins = 0;     ///< polls before anything else is looked at
  double busy = 0.;  ///< seconds, then; afterwards it sleeps

  /// For words in shared memory, which are quick to read: as long as a message would take, then
  /// about as long as a small transform.
  static Patience memory() { return {2000, 1e-3}; }
  /// For messages of so many bytes: as long as they may be under way, since MPI moves them only
  /// while it is called. 100 MB/s are less than any network of a cluster has.
  static Patience messages(Index bytes) { return {64, 0.05 + static_cast<double>(bytes) / 1e8}; }
};

/// One wait: idle() after every poll that found nothing, moved() after one that did.
class Backoff {
 public:
  Backoff(Watchdog& watchdog, const Patience& patience)
      : watchdog_(watchdog),
        spins_(watchdog.crowded() ? crowded_spins : patience.spins),
        busy_(patience.busy) {}

  void moved() {
    idle_polls_ = 0;
    since_ = 0.;
  }
  /// Pauses, yields or sleeps, by how long nothing has moved. Throws as Watchdog::look() does.
  void idle() {
    if (++idle_polls_ <= spins_) {
      pause();
    } else {
      slow_poll();
    }
  }

 private:
  static constexpr int crowded_spins = 16;
  static void pause();
  void slow_poll();

  Watchdog& watchdog_;
  int spins_;
  double busy_;
  int idle_polls_ = 0;
  double since_ = 0.;  // of the first slow turn
};

/// Waits for a request, which is null or inactive then. `bytes` as for Patience.
void wait_for(MPI_Request& request, Watchdog& watchdog, Index bytes);

}  // namespace kallima::comm

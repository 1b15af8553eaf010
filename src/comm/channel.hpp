// SPDX-License-Identifier: BSD-3-Clause
//
// Messages over MPI. All receives are posted before anything is waited for, sends go out in rounds,
// a few at a time: no order of ranks can deadlock, and no rank is flooded. Rejected: one
// MPI_Waitall over everything (P^2 messages at once), and blocking rounds (a late partner stops all
// that follow).
//
// Counts are 64 bits wide. A message beyond what an int can count goes by MPI-4's large-count calls
// where MPI has them, and otherwise in parts. One beyond what is asked for goes in parts anyway.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/message.hpp"
#include "comm/requests.hpp"

namespace kallima::comm {

/// How messages are cut: no call of MPI carries more than was asked for, nor more than it counts.
struct Limits {
  Index most_bytes = std::numeric_limits<Index>::max();  ///< asked for
  bool large_counts = true;                              ///< MPI-4's, where there are any
  int in_flight = 4;                                     ///< sends under way at once
  Index int_bytes = std::numeric_limits<int>::max();     ///< that an int counts; fewer in tests

  /// What a call carries that counts by an int.
  [[nodiscard]] Index most_by_int() const {
    return most_bytes < int_bytes ? most_bytes : int_bytes;
  }
};

/// Carries exchanges over one communicator.
class Channel {
 public:
  /// `memory` holds the messages, where nobody else sees to it that it stays after a failure.
  Channel(std::shared_ptr<const Communicator> communicator, Limits limits,
          std::shared_ptr<const void> memory = {});

  /// Makes room for an exchange that receives this, so that exchanging allocates nothing.
  void reserve(std::span<const Message> receives);

  /// Sends and receives all messages, each at least one byte, none to this rank itself; returns
  /// when this rank's memory is free again. Collective over the ranks that have messages in common.
  /// `sends` is in the order of rounds. Of an exchange in several rounds only the last is counted
  /// as one. Cost: as many MPI messages as there are parts.
  void exchange(std::span<const Message> sends, std::span<const Message> receives,
                bool last = true);

  /// The same by one MPI_Ialltoallv; collective over the whole communicator. Both lists lie in one
  /// block of memory each, whose bytes an int can count.
  void alltoallv(std::span<const Message> sends, std::span<const Message> receives);

  /// Counts an exchange that went another way.
  void count(std::span<const Message> sends, std::span<const Message> receives, bool last = true);
  /// Counts an exchange without messages, whose pieces others read in place.
  void count_read(std::span<const Message> given, std::span<const Message> taken);

  /// After a failure: what has not come need not come any more. Memory stays in use all the same.
  void abandon();

  /// What was moved since the channel was made.
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// As if it were made now: what was moved belongs to planning.
  void forget_counts() { counters_ = {}; }

 private:
  /// What MPI may still read and write after a failure.
  struct Memory {
    std::shared_ptr<const void> messages;
    std::vector<int> counts;  ///< of alltoallv: send counts and offsets, receive counts and offsets
  };

  std::shared_ptr<const Communicator> communicator_;
  Limits limits_;
  Counters counters_;
  std::shared_ptr<Memory> memory_;
  Requests receiving_;
  Requests sending_;
  Requests collective_;
};

/// True where MPI has calls with large counts.
bool has_large_counts();

}  // namespace kallima::comm

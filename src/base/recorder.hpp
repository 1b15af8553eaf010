// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank did and when: for traces. Room is made beforehand, so recording allocates nothing;
// what comes when it is full is only counted.
//
// A rank's progress thread records beside the thread that computes, so there is a lock. Messages
// and chunks take microseconds and more, against some ten nanoseconds of a lock that is rarely
// waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kallima/index.hpp"

namespace kallima {

/// What took some time.
enum class Doing : std::uint8_t { compute, wait, send, receive };

struct Event {
  Doing doing = Doing::compute;
  Index stage = 0;   ///< of the schedule
  Index number = 0;  ///< the chunk; of messages, the peer
  Index bytes = 0;   ///< of messages; of a wait, what others read of this rank's memory behind it
  Index run = 0;     ///< transforms before
  double begin = 0.;
  double end = 0.;  ///< seconds
};

/// All calls but set_origin() may come from several threads at once.
class Recorder {
 public:
  explicit Recorder(std::size_t room) { events_.reserve(room); }

  /// Seconds of a clock that never goes back.
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// Time counts from here. Before anything is recorded.
  void set_origin() { origin_ = now(); }
  /// Forgets what was recorded so far.
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
    run_ = -1;
    dropped_ = 0;
  }
  void begin_run() {
    const std::lock_guard lock(mutex_);
    ++run_;
  }
  void add(Doing doing, Index stage, Index number, Index bytes, double begin, double end) {
    const std::lock_guard lock(mutex_);
    if (events_.size() == events_.capacity()) {
      ++dropped_;
      return;
    }
    events_.push_back({doing, stage, number, bytes, run_, begin - origin_, end - origin_});
  }

  /// A copy of what was recorded so far.
  [[nodiscard]] std::vector<Event> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  /// Events that there was no room for.
  [[nodiscard]] Index dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  double origin_ = 0.;
  mutable std::mutex mutex_;  // over everything below
  std::vector<Event> events_;
  Index run_ = -1;
  Index dropped_ = 0;
};

}  // namespace kallima

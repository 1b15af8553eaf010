// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank did and when: for traces. Room is made beforehand, so recording allocates nothing;
// what comes when it is full is only counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "kallima/checked.hpp"

namespace kallima {

/// What took some time.
enum class Doing : std::uint8_t { compute, wait, send, receive };

struct Event {
  Doing doing = Doing::compute;
  Index leg = 0;     ///< of the schedule
  Index number = 0;  ///< the chunk; of messages, the peer
  Index bytes = 0;   ///< of messages
  Index run = 0;     ///< transforms before
  double begin = 0.;
  double end = 0.;  ///< seconds
};

class Recorder {
 public:
  explicit Recorder(std::size_t room) { events_.reserve(room); }

  /// Seconds of a clock that never goes back.
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// Time counts from here.
  void set_origin() { origin_ = now(); }
  void begin_run() { ++run_; }
  void add(Doing doing, Index leg, Index number, Index bytes, double begin, double end) {
    if (events_.size() == events_.capacity()) {
      ++dropped_;
      return;
    }
    events_.push_back({doing, leg, number, bytes, run_, begin - origin_, end - origin_});
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  /// Events that there was no room for.
  [[nodiscard]] Index dropped() const { return dropped_; }

 private:
  std::vector<Event> events_;
  double origin_ = 0.;
  Index run_ = -1;
  Index dropped_ = 0;
};

}  // namespace kallima

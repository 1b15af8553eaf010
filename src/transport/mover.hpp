// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that moves flows on while its rank computes, for machines with a core to spare. Between
// tiles of a sweep a rank does so itself; a core of its own asks MPI more often, and takes over
// what MPI does with the bytes.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kallima::transport {

class Flow;
class Watchdog;

class Mover {
 public:
  /// What it throws, the watchdog throws on the thread that waits.
  explicit Mover(Watchdog& watchdog);
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  Mover(Mover&&) = delete;
  Mover& operator=(Mover&&) = delete;

  /// Moves these on from now on, each where it is not null; those before no more, once this
  /// returns. Throws what the thread has thrown before.
  void move(Flow* first, Flow* second);
  /// Moves nothing on any more, once this returns.
  void rest() noexcept;

 private:
  void work();

  Watchdog& watchdog_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Flow*, 2> flows_{};
  bool ends_ = false;
  std::thread thread_;
};

/// InvalidOption where MPI was not started so that two threads may call it at once. Local.
void require_threads();

}  // namespace kallima::transport

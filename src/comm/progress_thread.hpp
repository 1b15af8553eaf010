// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that progresses pipelined exchanges while its rank computes, for machines with a core to
// spare. Between tiles of a sweep a rank does so itself; a core of its own asks MPI more often, and
// takes over what MPI does with the bytes.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kallima::comm {

class PipelinedExchange;
class Watchdog;

class ProgressThread {
 public:
  /// What it throws, the watchdog throws on the thread that waits.
  explicit ProgressThread(Watchdog& watchdog);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ProgressThread(ProgressThread&&) = delete;
  ProgressThread& operator=(ProgressThread&&) = delete;

  /// Moves these on from now on, each where it is not null; those before no more, once this
  /// returns. Throws what the thread has thrown before.
  void move(PipelinedExchange* first, PipelinedExchange* second);
  /// Moves nothing on any more, once this returns.
  void rest() noexcept;

 private:
  void work();

  Watchdog& watchdog_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<PipelinedExchange*, 2> pipelined_{};
  bool ends_ = false;
  std::thread thread_;
};

/// InvalidOption where MPI was not started so that two threads may call it at once. Local.
void require_threads();

}  // namespace kallima::comm

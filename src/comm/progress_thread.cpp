// SPDX-License-Identifier: BSD-3-Clause
#include "comm/progress_thread.hpp"

#include <mpi.h>

#include <exception>

#include "comm/communicator.hpp"
#include "comm/pipelined_exchange.hpp"
#include "comm/watchdog.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

ProgressThread::ProgressThread(Watchdog& watchdog)
    : watchdog_(watchdog), thread_([this] { work(); }) {}

ProgressThread::~ProgressThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ProgressThread::move(PipelinedExchange* first, PipelinedExchange* second) {
  {
    const std::lock_guard lock(mutex_);
    pipelined_ = {first, second};
  }
  changed_.notify_one();
  watchdog_.throw_noted();
}

void ProgressThread::rest() noexcept {
  const std::lock_guard lock(mutex_);
  pipelined_ = {};
}

void ProgressThread::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (pipelined_[0] == nullptr && pipelined_[1] == nullptr) {
      changed_.wait(lock);
      continue;
    }
    try {
      for (PipelinedExchange* const pipelined : pipelined_) {
        if (pipelined != nullptr) pipelined->progress();
      }
    } catch (...) {
      watchdog_.note(std::current_exception());
      pipelined_ = {};
    }
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
}

void require_threads() {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&provided), "MPI_Query_thread");
  if (provided == MPI_THREAD_MULTIPLE) return;
  throw InvalidOption(
      "a thread that moves messages on calls MPI beside the program's own: start MPI by "
      "MPI_Init_thread with MPI_THREAD_MULTIPLE, or leave `progress_thread` out");
}

}  // namespace kallima::comm

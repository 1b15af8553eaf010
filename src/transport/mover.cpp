// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mover.hpp"

#include <mpi.h>

#include <exception>

#include "kallima/error.hpp"
#include "transport/communicator.hpp"
#include "transport/flow.hpp"
#include "transport/watchdog.hpp"

namespace kallima::transport {

Mover::Mover(Watchdog& watchdog) : watchdog_(watchdog), thread_([this] { work(); }) {}

Mover::~Mover() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Mover::move(Flow* first, Flow* second) {
  {
    const std::lock_guard lock(mutex_);
    flows_ = {first, second};
  }
  changed_.notify_one();
  watchdog_.throw_noted();
}

void Mover::rest() noexcept {
  const std::lock_guard lock(mutex_);
  flows_ = {};
}

void Mover::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (flows_[0] == nullptr && flows_[1] == nullptr) {
      changed_.wait(lock);
      continue;
    }
    try {
      for (Flow* const flow : flows_) {
        if (flow != nullptr) flow->pulse();
      }
    } catch (...) {
      watchdog_.note(std::current_exception());
      flows_ = {};
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
      "MPI_Init_thread with MPI_THREAD_MULTIPLE, or leave `mover` out");
}

}  // namespace kallima::transport

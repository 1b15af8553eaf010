// SPDX-License-Identifier: BSD-3-Clause
#include "comm/watchdog.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "comm/communicator.hpp"
#include "comm/node_sync.hpp"
#include "comm/parts.hpp"
#include "kallima/error.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kallima::comm {

namespace {

/// Slow polls between two looks at what costs a call of MPI.
constexpr int polls_per_look = 16;

/// A sleep takes a share of what was waited so far, so that it delays little, and no more than
/// makes waiting cheap: waking takes some 10 us, so one wait costs less than 1 % of a core.
constexpr double share = 1. / 32;
constexpr double shortest_sleep = 20e-6;
constexpr double longest_sleep = 2e-3;

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

}  // namespace

double Watchdog::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Watchdog::begin(const char* call, double deadline, double began) {
  call_ = call;
  at("", no_step);
  heard_.reset();
  other_.reset();
  deadline_ = deadline;
  if (deadline > 0) began_ = began > 0. ? began : now();
}

std::string Watchdog::place() const {
  std::string text = "rank " + std::to_string(rank_);
  if (step_ != no_step) text += ", step " + std::to_string(step_ + 1);
  if (*phase_ != '\0') text += " (" + std::string(phase_) + ")";
  if (*call_ != '\0') text += " of " + std::string(call_);
  return text;
}

void Watchdog::note(const std::exception_ptr& failure) {
  const std::lock_guard lock(mutex_);
  if (!noted_failure_) noted_failure_ = failure;
  noted_.store(true, std::memory_order_release);
}

void Watchdog::throw_noted() {
  if (!noted_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(noted_failure_);
}

void Watchdog::look() {
  throw_noted();
  if (node_ != nullptr) {
    const Failure* const failure = node_->failure();
    if (failure != nullptr) hear(*failure);
  }
  if (duplicate_ != nullptr) hear_from(*duplicate_);
  if (other_) hear_from(*other_);
  if (deadline_ > 0 && now() - began_ > deadline_) {
    throw DeadlineExceeded(
        place() + " has waited longer than the deadline of " + seconds_text(deadline_) +
        ": some rank has died, was stopped or is slower than that. Look for the rank that reports "
        "nothing; where all are well, raise Options::deadline or KALLIMA_DEADLINE");
  }
}

void Watchdog::hear(const Failure& failure) {
  heard_ = failure;
  failure.raise();
}

/// The call that looks for the message of a peer that has failed is also the one that lets MPI make
/// progress.
void Watchdog::hear_from(Duplicate& duplicate) {
  if (duplicate.broken.load(std::memory_order_acquire)) hear(duplicate.failure);
  if (simulated) return;
  int found = 0;
  MPI_Status status;
  const MPI_Comm comm = duplicate.comm.get();
  check(MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, comm, &found, &status), "MPI_Iprobe");
  if (found == 0) return;
  Failure failure;
  check(MPI_Recv(&failure, sizeof failure, MPI_BYTE, status.MPI_SOURCE, failure_tag, comm,
                 MPI_STATUS_IGNORE),
        "MPI_Recv");
  duplicate.break_by(failure);
  hear(failure);
}

void Watchdog::tell_node(const Failure& failure) {
  if (node_ != nullptr) node_->fail(failure);
}

void Backoff::pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

void Backoff::slow_poll() {
  if (simulated) return;
  const double now = Watchdog::now();
  if (since_ == 0.) since_ = now;
  const double waited = now - since_;
  const bool sleeps = waited > busy_;
  if (sleeps || (idle_polls_ - spins_) % polls_per_look == 0) watchdog_.look();
  if (sleeps) {
    const double sleep = std::clamp((waited - busy_) * share, shortest_sleep, longest_sleep);
    std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
  } else {
    std::this_thread::yield();
  }
}

void wait_for(MPI_Request& request, Watchdog& watchdog, Index bytes) {
  if (simulated) {
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    return;
  }
  Backoff backoff(watchdog, Patience::messages(bytes));
  while (true) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    backoff.idle();
  }
}

}  // namespace kallima::comm

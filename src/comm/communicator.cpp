// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <array>
#include <cstdlib>
#include <string>

#include "comm/agreement.hpp"
#include "comm/family.hpp"
#include "comm/parts.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw MpiFailure(std::string(call) +
                   " failed: " + std::string(words.data(), static_cast<std::size_t>(length)));
}

Duplicate::~Duplicate() {
  if (broken) comm.let_stay();
}

void Duplicate::free_retired() noexcept {
  if (!broken) keeper->free_requests();
}

void Duplicate::break_by(const Failure& cause) {
  const std::lock_guard lock(mutex);
  if (!broken.load(std::memory_order_relaxed)) failure = cause;
  broken.store(true, std::memory_order_release);
}

Communicator::~Communicator() {
  if (number > 0) duplicate->users.fetch_sub(1, std::memory_order_relaxed);
}

std::shared_ptr<const Communicator> Communicator::of(MPI_Comm user) {
  return Family::of(user, 0., Watchdog::now())->first;
}

std::shared_ptr<const Communicator> Communicator::reserve(MPI_Comm user, double deadline) {
  const double began = Watchdog::now();
  return Family::of(user, deadline, began)->reserve(deadline, began);
}

std::shared_ptr<const Communicator> Communicator::another() const {
  constexpr std::int64_t beyond_users = std::int64_t{1}
                                        << 40;  // numbers of transforms that users make
  auto result = std::make_shared<Communicator>();
  static_cast<NodeMapping&>(*result) = static_cast<const NodeMapping&>(*this);
  result->comm = comm;
  result->rank = rank;
  result->size = size;
  result->threads = threads;
  result->deadline = deadline;
  result->number = number + beyond_users;
  result->watchdog = std::make_unique<Watchdog>(duplicate.get(), rank, watchdog->crowded());
  result->duplicate = duplicate;
  duplicate->users.fetch_add(1, std::memory_order_relaxed);
  return result;
}

void Communicator::require_usable() const {
  if (duplicate->closed.load(std::memory_order_acquire)) {
    throw StaleCommunicator(
        "MPI has been finalized; use transforms between MPI_Init and MPI_Finalize");
  }
  if (duplicate->broken.load(std::memory_order_acquire)) {
    const std::lock_guard lock(duplicate->mutex);
    throw BrokenTransform(
        "an earlier call on this transform, or on another that shares its communicator, has "
        "failed: make a new transform. What failed: " +
        std::string(duplicate->failure.text.data()));
  }
}

void Communicator::fail(const Failure& failure) const noexcept {
  duplicate->break_by(failure);
  watchdog->tell_node(failure);
  // Who has heard of it has not to tell it; and deadlines are everybody's own.
  const bool own = failure.rank == rank &&
                   failure.code != static_cast<std::int32_t>(ErrorCode::deadline_exceeded);
  if (!own || duplicate->told.exchange(true) || duplicate->closed) return;
  // Nobody waits until it is sent: it is read where it stays, as the duplicate is kept for good.
  duplicate->telling.front().memory = duplicate;
  Keeper::of_process()->take(duplicate->telling);
  for (int step = 1; step < size; ++step) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Isend(&duplicate->failure, sizeof duplicate->failure, MPI_BYTE,
                               (rank + step) % size, failure_tag, comm, &request);
    if (code == MPI_SUCCESS) MPI_Request_free(&request);
  }
}

void Communicator::fail_as_thrown() const {
  if (duplicate->broken.load(std::memory_order_acquire)) {
    // It has failed already, perhaps on another thread that could not tell the peers.
    fail(duplicate->failure);
    duplicate->failure.raise();
  }
  const Verdict thrown = Verdict::of_current_exception();
  const Failure* const heard = watchdog->heard();
  const bool placed = thrown.code == ErrorCode::deadline_exceeded;
  // The place stands first: words of MPI may be longer than what a failure holds.
  const Failure failure =
      heard != nullptr ? *heard
                       : Failure::of(thrown.code, rank,
                                     placed ? thrown.text : watchdog->place() + ": " + thrown.text);
  fail(failure);
  failure.raise();
}

Call::Call(const Communicator& communicator, const char* name, double deadline, double began)
    : duplicate_(*communicator.duplicate) {
  enter(communicator, name);
  communicator.watchdog->begin(name, deadline, began);
}

Call::Call(const Communicator& reserved) : duplicate_(*reserved.duplicate) {
  enter(reserved, "planning");
}

void Call::enter(const Communicator& communicator, const char* name) {
  communicator.require_usable();
  if (duplicate_.busy.exchange(true, std::memory_order_acquire)) {
    const Failure failure = Failure::of(
        ErrorCode::concurrent_use, communicator.rank,
        "rank " + std::to_string(communicator.rank) + ": two threads call '" + name +
            "' at once on one transform, on copies of one, or on transforms that share a "
            "communicator of the library; make a transform per thread, with MPI_THREAD_MULTIPLE, "
            "and one after the other, or give each thread a communicator of its own");
    // The thread that is in the other call notices, and tells the peers.
    if (communicator.threads) {
      communicator.fail(failure);
    } else {
      duplicate_.break_by(failure);
    }
    failure.raise();
  }
}

}  // namespace kallima::comm

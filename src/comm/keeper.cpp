// SPDX-License-Identifier: BSD-3-Clause
#include "comm/keeper.hpp"

#include <algorithm>
#include <utility>

namespace kallima::comm {

namespace {

/// Takes out of a list what `wanted` is true of.
template <class Wanted>
Leftovers taken_out(Leftovers& from, Wanted wanted) noexcept {
  Leftovers result;
  for (auto next = from.begin(); next != from.end();) {
    const auto here = next++;
    if (wanted(*here)) result.splice(result.end(), from, here);
  }
  return result;
}

/// MPI_Test says so of requests that are null or at rest too.
bool is_through(MPI_Request& request) {
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

}  // namespace

const std::shared_ptr<Keeper>& Keeper::of_process() {
  static const auto& keeper = *new std::shared_ptr<Keeper>(std::make_shared<Keeper>());
  return keeper;
}

Keeper::~Keeper() {
  if (!left_.empty()) of_process()->take(left_);
}

void Keeper::take(Leftovers& leftovers) noexcept {
  const std::lock_guard lock(mutex_);
  left_.splice(left_.end(), leftovers);
}

void Keeper::keep(std::shared_ptr<const void> memory) {
  Leftovers one(1);
  one.front().memory = std::move(memory);
  take(one);
}

void Keeper::free_requests() noexcept {
  Leftovers through;  // their memory goes when the lock is free
  {
    const std::lock_guard lock(mutex_);
    through = taken_out(left_, [](Leftover& one) {
      if (one.requests.empty()) return false;
      // Each is asked, as that lets it move on.
      const auto left =
          one.active ? std::count_if(one.requests.begin(), one.requests.end(),
                                     [](MPI_Request& request) { return !is_through(request); })
                     : 0;
      return left == 0;
    });
  }
  for (Leftover& one : through) {
    for (MPI_Request& request : one.requests) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
}

bool Keeper::has_active() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(left_.begin(), left_.end(), [](const Leftover& one) { return one.active; });
}

void Keeper::free_handles() noexcept {
  Leftovers handles;  // MPI_Comm_free may call back what hands over to this keeper
  {
    const std::lock_guard lock(mutex_);
    handles = taken_out(left_, [](const Leftover& one) {
      return !one.stays && (one.comm != MPI_COMM_NULL || one.key != MPI_KEYVAL_INVALID);
    });
  }
  for (Leftover& one : handles) {
    if (one.comm != MPI_COMM_NULL) MPI_Comm_free(&one.comm);
    if (one.key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&one.key);
  }
}

}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
#include "comm/requests.hpp"

#include <algorithm>
#include <utility>

#include "comm/communicator.hpp"
#include "comm/watchdog.hpp"

namespace kallima::comm {

Requests::Requests(std::shared_ptr<Keeper> keeper, std::size_t count,
                   std::shared_ptr<const void> memory)
    : keeper_(std::move(keeper)), mine_(1) {
  all().assign(count, MPI_REQUEST_NULL);
  mine_.front().memory = std::move(memory);
}

Requests& Requests::operator=(Requests&& other) noexcept {
  if (this == &other) return *this;
  leave();
  keeper_ = std::move(other.keeper_);
  mine_ = std::move(other.mine_);
  return *this;
}

void Requests::leave() noexcept {
  if (mine_.empty()) return;
  const Leftover& mine = mine_.front();
  const bool persistent =
      std::any_of(mine.requests.begin(), mine.requests.end(),
                  [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
  if (persistent || (mine.active && !mine.requests.empty())) keeper_->take(mine_);
}

void Requests::wait(Watchdog& watchdog, Index bytes) {
  for (MPI_Request& request : all()) wait_for(request, watchdog, bytes);
  mark_through();
}

void Requests::cancel() noexcept {
  for (MPI_Request& request : all()) {
    if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
  }
}

void Requests::clear() {
  if (!mine_.front().active) {
    all().clear();
    return;
  }
  Leftovers fresh(1);
  fresh.front().memory = mine_.front().memory;
  leave();
  mine_ = std::move(fresh);
}

void Requests::free() {
  for (std::vector<MPI_Request>& requests = all(); !requests.empty(); requests.pop_back()) {
    if (requests.back() == MPI_REQUEST_NULL) continue;  // one that could not be made
    check(MPI_Request_free(&requests.back()), "MPI_Request_free");
  }
}

}  // namespace kallima::comm

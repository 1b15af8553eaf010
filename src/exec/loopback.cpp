// SPDX-License-Identifier: BSD-3-Clause
#include "exec/loopback.hpp"

#include <algorithm>

#include "kallima/error.hpp"

namespace kallima::exec {

template <class T>
Loopback<T>::Loopback(const Plan& plan, bool in_place, const Setup& setup, Index threads)
    : engines_(setup, host_memory()) {
  const std::shared_ptr<MemorySource> source = host_memory();
  const Schedule legs = schedule(plan, in_place);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Workspace need = workspace(plan, legs, rank);
    const auto bytes = static_cast<Index>(sizeof(Number<T>));
    typename Executor<T>::Areas areas;
    memory_.emplace_back(source, (need.main + need.spill) * bytes, "workspace");
    areas.workspace = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    for (const bool second : {false, true}) {
      memory_.emplace_back(source, (second ? need.other_window : need.window) * bytes, "window");
      windows_[second ? 1 : 0].push_back(reinterpret_cast<Number<T>*>(memory_.back().view().data));
    }
    memory_.emplace_back(source, need.transit * bytes, "transit");
    areas.transit = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    memory_.emplace_back(source, threads * need.tile * bytes, "tile");
    areas.tile = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    executors_.emplace_back(plan, in_place, rank, engines_, areas.tile,
                            Workers{threads, need.tile});
    Index most = 0;
    for (std::size_t leg = 0; leg < executors_.back().legs(); ++leg) {
      if (!executors_.back().flows(leg)) continue;
      Index bytes_sent = 0;
      for (const auto& message : executors_.back().sends(leg, {})) bytes_sent += message.data.bytes;
      most = std::max(most, bytes_sent);
    }
    staging_.emplace_back(source, most, "staging");
    areas_.push_back(areas);
  }
  counters_.resize(static_cast<std::size_t>(plan.ranks()));
}

template <class T>
void Loopback<T>::run(const std::vector<const Number<T>*>& in, const std::vector<Number<T>*>& out,
                      Factor<T> factor) {
  const std::size_t ranks = executors_.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    areas_[r].input = in[r];
    areas_[r].output = out[r];
    areas_[r].windows = {windows_[0], windows_[1]};
  }
  for (std::size_t leg = 0; leg < executors_.front().legs(); ++leg) {
    if (!executors_.front().is_exchange(leg)) {
      for (std::size_t r = 0; r < ranks; ++r) executors_[r].sweep(leg, areas_[r], factor);
      continue;
    }
    std::size_t hops = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      hops = std::max(hops, executors_[r].hops(leg));
      ++counters_[r].exchanges;
    }
    for (std::size_t hop = 0; hop < hops; ++hop) exchange(leg, hop);
  }
}

/// One hop; those who have no more of them are done.
template <class T>
void Loopback<T>::exchange(std::size_t leg, std::size_t hop) {
  const std::size_t ranks = executors_.size();
  // Of an exchange that flows, what arrives takes the place of what has been sent: everything is
  // taken out before anything is put back.
  const bool staged = executors_.front().flows(leg);
  const bool moves = executors_.front().drive(leg) != Drive::barrier;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (hop >= executors_[r].hops(leg)) continue;
    executors_[r].keep(leg, areas_[r], hop);
    std::byte* stage = staged ? staging_[r].view().data : nullptr;
    for (const transport::Message& message : executors_[r].sends(leg, areas_[r], hop)) {
      if (moves) ++counters_[r].messages_sent;
      counters_[r].bytes_sent += message.data.bytes;
      if (staged) stage = std::copy_n(message.data.data, message.data.bytes, stage);
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (hop >= executors_[r].hops(leg)) continue;
    const auto receives = executors_[r].receives(leg, areas_[r], hop);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const transport::Message& message = receives[i];
      // Messages between two ranks keep their order.
      const auto before = std::count_if(
          receives.begin(), receives.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const transport::Message& other) { return other.peer == message.peer; });
      const std::byte* const data =
          sent({leg, hop}, message, static_cast<Index>(r), before, staged);
      if (moves) std::copy_n(data, message.data.bytes, message.data.data);
      if (moves) ++counters_[r].messages_received;
      counters_[r].bytes_received += message.data.bytes;
    }
  }
}

/// What the sender of a message has for it, which is the `number`-th to that rank.
template <class T>
const std::byte* Loopback<T>::sent(const Moment& at, const transport::Message& wanted, Index rank,
                                   Index number, bool staged) {
  const auto peer = static_cast<std::size_t>(wanted.peer);
  Index offset = 0;
  for (const transport::Message& message : executors_[peer].sends(at.leg, areas_[peer], at.hop)) {
    if (message.peer == rank && number-- == 0) {
      if (message.data.bytes != wanted.data.bytes) {
        throw InternalError("sender and receiver disagree about a message");
      }
      return staged ? staging_[peer].view().data + offset : message.data.data;
    }
    offset += message.data.bytes;
  }
  throw InternalError("a message is expected that nobody sends");
}

#define KALLIMA_INSTANTIATE(T) template class Loopback<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATE)
#undef KALLIMA_INSTANTIATE

}  // namespace kallima::exec

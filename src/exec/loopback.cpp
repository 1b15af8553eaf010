// SPDX-License-Identifier: BSD-3-Clause
#include "exec/loopback.hpp"

#include <algorithm>

#include "kallima/error.hpp"

namespace kallima::exec {

template <class T>
Loopback<T>::Loopback(const Plan& plan, bool in_place, Effort effort)
    : engines_(effort, false, host_memory()) {
  const std::shared_ptr<MemorySource> source = host_memory();
  const Schedule legs = schedule(plan, in_place);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Workspace need = workspace(plan, legs, rank);
    const auto bytes = static_cast<Index>(sizeof(std::complex<T>));
    typename Executor<T>::Areas areas;
    memory_.emplace_back(source, (need.main + need.spill) * bytes, "workspace");
    areas.workspace = reinterpret_cast<std::complex<T>*>(memory_.back().view().data);
    for (const bool second : {false, true}) {
      memory_.emplace_back(source, (second ? need.other_window : need.window) * bytes, "window");
      windows_[second ? 1 : 0].push_back(
          reinterpret_cast<std::complex<T>*>(memory_.back().view().data));
    }
    memory_.emplace_back(source, need.tile * bytes, "tile");
    areas.tile = reinterpret_cast<std::complex<T>*>(memory_.back().view().data);
    executors_.emplace_back(plan, in_place, rank, engines_, areas.tile);
    areas_.push_back(areas);
  }
  counters_.resize(static_cast<std::size_t>(plan.ranks()));
}

template <class T>
void Loopback<T>::run(const std::vector<const std::complex<T>*>& in,
                      const std::vector<std::complex<T>*>& out, T factor) {
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
    exchange(leg);
  }
}

template <class T>
void Loopback<T>::exchange(std::size_t leg) {
  const std::size_t ranks = executors_.size();
  // Of a pipelined exchange, what arrives takes the place of what has been sent: everything is
  // taken out before anything is put back.
  std::vector<std::vector<std::vector<std::byte>>> sent(ranks);  // by sender and message
  std::vector<std::vector<Index>> peers(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    executors_[r].keep(leg, areas_[r]);
    ++counters_[r].exchanges;
    for (const transport::Message& message : executors_[r].sends(leg, areas_[r])) {
      const bool moves = executors_[r].route(leg) != Route::windows;
      const std::byte* const data = message.data.data;
      sent[r].emplace_back(static_cast<std::size_t>(message.data.bytes));
      if (moves) std::copy_n(data, message.data.bytes, sent[r].back().data());
      peers[r].push_back(message.peer);
      ++counters_[r].messages_sent;
      counters_[r].bytes_sent += message.data.bytes;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const transport::Message& message : executors_[r].receives(leg, areas_[r])) {
      const auto peer = static_cast<std::size_t>(message.peer);
      // Messages between two ranks keep their order.
      const auto next = std::find(peers[peer].begin(), peers[peer].end(), static_cast<Index>(r));
      if (next == peers[peer].end()) {
        throw InternalError("a message is expected that nobody sends");
      }
      *next = -1;
      const std::vector<std::byte>& data =
          sent[peer][static_cast<std::size_t>(next - peers[peer].begin())];
      if (static_cast<Index>(data.size()) != message.data.bytes) {
        throw InternalError("sender and receiver disagree about a message");
      }
      if (executors_[r].route(leg) != Route::windows) {
        std::copy(data.begin(), data.end(), message.data.data);
      }
      ++counters_[r].messages_received;
      counters_[r].bytes_received += message.data.bytes;
    }
  }
}

template class Loopback<float>;
template class Loopback<double>;

}  // namespace kallima::exec

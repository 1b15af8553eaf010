// SPDX-License-Identifier: BSD-3-Clause
#include "exec/loopback.hpp"

#include <cstring>

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
    for (std::size_t r = 0; r < ranks; ++r) {
      executors_[r].keep(leg, areas_[r]);
      ++counters_[r].exchanges;
      const bool moves = executors_[r].route(leg) != Route::windows;
      for (const transport::Message& message : executors_[r].receives(leg, areas_[r])) {
        const auto peer = static_cast<std::size_t>(message.peer);
        bool found = false;
        for (const transport::Message& sent : executors_[peer].sends(leg, areas_[peer])) {
          if (sent.peer != static_cast<Index>(r)) continue;
          if (sent.data.bytes != message.data.bytes) {
            throw InternalError("sender and receiver disagree about a message");
          }
          if (moves) {
            std::memcpy(message.data.data, sent.data.data,
                        static_cast<std::size_t>(sent.data.bytes));
          }
          found = true;
          ++counters_[peer].messages_sent;
          counters_[peer].bytes_sent += sent.data.bytes;
          ++counters_[r].messages_received;
          counters_[r].bytes_received += sent.data.bytes;
        }
        if (!found) throw InternalError("a message is expected that nobody sends");
      }
    }
  }
}

template class Loopback<float>;
template class Loopback<double>;

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks of a plan in one process, one after the other in lock-step: for tests and for looking
// at a plan's every step without MPI.
#pragma once

#include <functional>
#include <vector>

#include "exec/executor.hpp"
#include "kallima/buffer.hpp"
#include "kallima/error.hpp"

namespace kallima::exec {

/// Runs a plan for all its ranks.
template <class T>
class Loopback {
 public:
  using Setup = typename Operation<T>::Setup;

  /// `threads` share the sweeps of a rank.
  Loopback(const Plan& plan, bool in_place, const Setup& setup = {}, Index threads = 1);

  /// in[r] and out[r] are rank r's arrays; the same memory in place.
  void run(const std::vector<const Number<T>*>& in, const std::vector<Number<T>*>& out,
           Factor<T> factor);

  /// What rank r moved so far.
  [[nodiscard]] const comm::Counters& counters(Index rank) const {
    return counters_[static_cast<std::size_t>(rank)];
  }

 private:
  /// A round of an exchange.
  struct Moment {
    std::size_t stage = 0;
    std::size_t round = 0;
  };
  void make_filters(const Plan& plan, bool in_place, const Setup& setup);
  void exchange(std::size_t stage, std::size_t round);
  const std::byte* sent(const Moment& at, const comm::Message& wanted, Index rank, Index number,
                        bool staged);

  std::vector<Buffer> memory_;
  std::vector<Buffer> staging_;                      // by rank
  std::array<std::vector<Number<T>*>, 2> segments_;  // by rank
  EngineSet<T> engines_;
  std::vector<Executor<T>> executors_;
  std::vector<typename Executor<T>::Areas> areas_;
  std::vector<comm::Counters> counters_;
};

template <class T>
Loopback<T>::Loopback(const Plan& plan, bool in_place, const Setup& setup, Index threads)
    : engines_(setup, host_memory()) {
  const std::shared_ptr<MemorySource> source = host_memory();
  const Schedule stages = schedule(plan, in_place);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Workspace need = workspace(plan, stages, rank);
    const auto bytes = static_cast<Index>(sizeof(Number<T>));
    typename Executor<T>::Areas areas;
    memory_.emplace_back(source, (need.main + need.spill) * bytes, "workspace");
    areas.workspace = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    for (const bool second : {false, true}) {
      memory_.emplace_back(source, (second ? need.other_segment : need.segment) * bytes, "segment");
      segments_[second ? 1 : 0].push_back(reinterpret_cast<Number<T>*>(memory_.back().view().data));
    }
    memory_.emplace_back(source, need.transit * bytes, "transit");
    areas.transit = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    memory_.emplace_back(source, need.filter * bytes, "the chirp's frequencies");
    areas.filter = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    memory_.emplace_back(source, threads * need.tile * bytes, "tile");
    areas.tile = reinterpret_cast<Number<T>*>(memory_.back().view().data);
    executors_.emplace_back(plan, UserArrays{in_place}, rank, engines_, areas.tile,
                            Workers{threads, need.tile});
    Index most = 0;
    for (std::size_t stage = 0; stage < executors_.back().stages(); ++stage) {
      if (!executors_.back().pipelined(stage)) continue;
      Index bytes_sent = 0;
      for (const auto& message : executors_.back().sends(stage, {}))
        bytes_sent += message.data.bytes;
      most = std::max(most, bytes_sent);
    }
    staging_.emplace_back(source, most, "staging");
    areas_.push_back(areas);
  }
  counters_.resize(static_cast<std::size_t>(plan.ranks()));
  if (plan.convolves()) make_filters(plan, in_place, setup);
}

/// By a run on the chirp itself.
template <class T>
void Loopback<T>::make_filters(const Plan& plan, bool in_place, const Setup& setup) {
  std::vector<Buffer> arrays;
  std::vector<const Number<T>*> in;
  std::vector<Number<T>*> out;
  const auto array = [&](const Layout& first, const Layout& second, Index rank) {
    const Index size = std::max(first.allocated_size(rank), second.allocated_size(rank));
    arrays.emplace_back(host_memory(), size * static_cast<Index>(sizeof(Number<T>)), "an array");
    return reinterpret_cast<Number<T>*>(arrays.back().view().data);
  };
  for (std::size_t r = 0; r < executors_.size(); ++r) {
    const auto rank = static_cast<Index>(r);
    areas_[r].makes_filter = true;
    areas_[r].turn_factor = Operation<T>::reciprocal(setup, plan.points());
    out.push_back(array(plan.input(), plan.output(), rank));
    in.push_back(in_place ? out.back() : array(plan.input(), plan.input(), rank));
  }
  run(in, out, Factor<T>{1});
  for (typename Executor<T>::Areas& areas : areas_) {
    areas.makes_filter = false;
    areas.turn_factor = Factor<T>{1};
  }
  counters_.assign(counters_.size(), {});
}

template <class T>
void Loopback<T>::run(const std::vector<const Number<T>*>& in, const std::vector<Number<T>*>& out,
                      Factor<T> factor) {
  const std::size_t ranks = executors_.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    areas_[r].input = in[r];
    areas_[r].output = out[r];
    areas_[r].segments = {segments_[0], segments_[1]};
  }
  for (std::size_t stage = 0; stage < executors_.front().stages(); ++stage) {
    if (!executors_.front().is_exchange(stage)) {
      for (std::size_t r = 0; r < ranks; ++r) executors_[r].sweep(stage, areas_[r], factor);
      continue;
    }
    std::size_t rounds = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      rounds = std::max(rounds, executors_[r].rounds(stage));
      ++counters_[r].exchanges;
    }
    for (std::size_t round = 0; round < rounds; ++round) exchange(stage, round);
  }
}

/// One round; those who have no more of them are done.
template <class T>
void Loopback<T>::exchange(std::size_t stage, std::size_t round) {
  const std::size_t ranks = executors_.size();
  // Of an exchange that is pipelined, what arrives takes the place of what has been sent:
  // everything is taken out before anything is put back.
  const bool staged = executors_.front().pipelined(stage);
  const bool moves = executors_.front().drive(stage) != Drive::barrier;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (round >= executors_[r].rounds(stage)) continue;
    executors_[r].keep(stage, areas_[r], round);
    std::byte* aside = staged ? staging_[r].view().data : nullptr;
    for (const comm::Message& message : executors_[r].sends(stage, areas_[r], round)) {
      if (moves) ++counters_[r].messages_sent;
      counters_[r].bytes_sent += message.data.bytes;
      if (staged) aside = std::copy_n(message.data.data, message.data.bytes, aside);
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (round >= executors_[r].rounds(stage)) continue;
    const auto receives = executors_[r].receives(stage, areas_[r], round);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const comm::Message& message = receives[i];
      // Messages between two ranks keep their order.
      const auto before =
          std::count_if(receives.begin(), receives.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const comm::Message& other) { return other.peer == message.peer; });
      const std::byte* const data =
          sent({stage, round}, message, static_cast<Index>(r), before, staged);
      if (moves) std::copy_n(data, message.data.bytes, message.data.data);
      if (moves) ++counters_[r].messages_received;
      counters_[r].bytes_received += message.data.bytes;
    }
  }
}

/// What the sender of a message has for it, which is the `number`-th to that rank.
template <class T>
const std::byte* Loopback<T>::sent(const Moment& at, const comm::Message& wanted, Index rank,
                                   Index number, bool staged) {
  const auto peer = static_cast<std::size_t>(wanted.peer);
  Index offset = 0;
  for (const comm::Message& message : executors_[peer].sends(at.stage, areas_[peer], at.round)) {
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

}  // namespace kallima::exec

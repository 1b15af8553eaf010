// SPDX-License-Identifier: BSD-3-Clause
#include "transform/driver.hpp"

#include <algorithm>

#include "kallima/error.hpp"

namespace kallima {

namespace {

bool all_known(std::span<const transport::Message> messages) {
  return std::all_of(messages.begin(), messages.end(), [](const transport::Message& message) {
    return message.data.data != nullptr;
  });
}

}  // namespace

template <class T>
Driver<T>::Driver(Executor executor, const Carriers& carriers, const Areas& areas)
    : executor_(std::move(executor)), carriers_(carriers) {
  took_.resize(executor_.legs());
  flows_.resize(executor_.legs());
  teams_.resize(executor_.legs());
  std::size_t flowing = 0;
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (!executor_.is_exchange(leg)) continue;
    if (!executor_.flows(leg)) {
      for (std::size_t hop = 0; hop < executor_.hops(leg); ++hop) {
        carriers_.channel->reserve(executor_.receives(leg, areas, hop));
      }
      continue;
    }
    flows_[leg] = std::make_unique<transport::Flow>(carriers_.communicator, carriers_.limits,
                                                    executor_.step(leg), executor_.turns(leg, true),
                                                    executor_.turns(leg, false));
    teams_[leg] = {flowing++ % transport::NodeWords::mark_slots, executor_.sent_chunks(leg),
                   executor_.taken_chunks(leg)};
  }
  prepare(areas);
}

template <class T>
void Driver<T>::prepare(const Areas& areas) {
  for (std::size_t leg = 0; leg < flows_.size(); ++leg) {
    if (!flows_[leg]) continue;
    const auto sends = executor_.sends(leg, areas);
    const auto receives = executor_.receives(leg, areas);
    if (all_known(sends) && all_known(receives)) flows_[leg]->prepare(sends, receives);
  }
}

/// A run that failed may have left the mover with flows of this.
template <class T>
Driver<T>::~Driver() {
  if (carriers_.mover) carriers_.mover->rest();
}

template <class T>
void Driver<T>::abandon() noexcept {
  if (carriers_.mover) carriers_.mover->rest();
  carriers_.channel->abandon();
  for (auto& flow : flows_) {
    if (flow) flow->abandon();
  }
}

template <class T>
void Driver<T>::record(std::shared_ptr<Recorder> recorder, Index first) {
  recorder_ = std::move(recorder);
  first_leg_ = first;
  for (std::size_t leg = 0; leg < flows_.size(); ++leg) {
    if (flows_[leg]) flows_[leg]->record(recorder_.get(), first + static_cast<Index>(leg));
  }
}

template <class T>
void Driver<T>::note(Doing doing, std::size_t leg, Index number, double begin) {
  if (!recorder_) return;
  recorder_->add(doing, first_leg_ + static_cast<Index>(leg), number, 0, begin, Recorder::now());
}

/// Of an exchange in one piece: when which of its messages was through, MPI does not tell. In
/// shared memory there are none, and what others read in place counts with the wait.
template <class T>
void Driver<T>::note_exchange(std::size_t leg, const Areas& areas, double begin) {
  if (!recorder_) return;
  const double end = Recorder::now();
  const Index number = first_leg_ + static_cast<Index>(leg);
  const auto note = [&](Doing doing, std::span<const transport::Message> messages) {
    for (const transport::Message& message : messages) {
      recorder_->add(doing, number, message.peer, message.data.bytes, begin, end);
    }
  };
  Index read_in_place = 0;
  if (executor_.drive(leg) == Drive::barrier) {
    for (const transport::Message& given : executor_.sends(leg, areas)) {
      read_in_place += given.data.bytes;
    }
  } else {
    for (std::size_t hop = 0; hop < executor_.hops(leg); ++hop) {
      note(Doing::send, executor_.sends(leg, areas, hop));
      note(Doing::receive, executor_.receives(leg, areas, hop));
    }
  }
  recorder_->add(Doing::wait, number, 0, read_in_place, begin, end);
}

template <class T>
void Driver<T>::run(const Areas& areas, exec::Factor<T> factor, transport::Windows* windows) {
  // What others still read of this rank's windows, for the transform before, belongs to the first
  // leg: it waits for them.
  double begin = Recorder::now();
  if (recorder_) recorder_->begin_run();
  watchdog().at("barrier before the first step");
  if (windows != nullptr) windows->wait();
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    double waited = 0.;
    if (executor_.is_exchange(leg)) {
      if (executor_.flows(leg)) continue;  // done by the sweeps beside it
      executor_.keep(leg, areas);
      exchange(leg, areas, windows);
      note_exchange(leg, areas, begin);
    } else if (flow_at(leg - 1) != nullptr || flow_at(leg + 1) != nullptr) {
      waited = sweep_in_chunks(leg, areas, factor, windows);
    } else {
      executor_.sweep(leg, areas, factor);
      note(Doing::compute, leg, 0, begin);
    }
    const double end = Recorder::now();
    if (flow_at(leg - 1) != nullptr) took_[leg - 1].add(waited);
    took_[leg].add(end - begin - waited);
    begin = end;
  }
  if (windows != nullptr) windows->arrive();
}

template <class T>
void Driver<T>::begin_flow(std::size_t leg, const Areas& areas, transport::Windows* windows) {
  const auto sends = executor_.sends(leg, areas);
  const auto receives = executor_.receives(leg, areas);
  if (executor_.method(leg).holding() == Holding::buffers) {
    flows_[leg]->begin(sends, receives);
  } else if (windows != nullptr) {
    flows_[leg]->begin(sends, receives, windows->sync(), teams_[leg]);
  } else {
    throw InternalError("an exchange through shared memory without any");
  }
}

template <class T>
double Driver<T>::sweep_in_chunks(std::size_t leg, const Areas& areas, exec::Factor<T> factor,
                                  transport::Windows* windows) {
  transport::Flow* const taking = flow_at(leg - 1);
  transport::Flow* const sending = flow_at(leg + 1);
  // On a node, others may still read the window that is written next, until all have computed what
  // this sweep takes.
  const bool late = taking != nullptr && executor_.method(leg - 1).holding() != Holding::buffers;
  if (sending != nullptr && !late) begin_flow(leg + 1, areas, windows);
  const std::size_t waited_for = taking != nullptr ? leg - 1 : leg + 1;
  watchdog().at(executor_.method(waited_for).phase(), executor_.step(waited_for));
  const exec::Pulse pulse = [taking, sending] {
    if (taking != nullptr) taking->pulse();
    if (sending != nullptr) sending->pulse();
  };
  if (carriers_.mover) carriers_.mover->move(taking, sending);
  double waited = 0.;
  const auto wait = [&](auto until) {
    if (taking == nullptr) return;
    const double begin = Recorder::now();
    until();
    waited += Recorder::now() - begin;
    note(Doing::wait, leg - 1, 0, begin);
  };
  for (std::size_t chunk = 0; chunk < executor_.chunks(leg); ++chunk) {
    wait([&] { taking->wait_for(static_cast<Index>(chunk)); });
    if (sending != nullptr && late && chunk == 0) begin_flow(leg + 1, areas, windows);
    const double begin = Recorder::now();
    executor_.sweep(leg, chunk, areas, factor, pulse);
    note(Doing::compute, leg, static_cast<Index>(chunk), begin);
    // When all ranks of the node have computed the last chunk, they write the window that was taken
    // from: by then this rank has sent all that it sends out of there.
    if (late && chunk + 1 == executor_.chunks(leg)) wait([&] { taking->finish(); });
    if (sending != nullptr) sending->computed(static_cast<Index>(chunk) + 1);
  }
  wait([&] { taking->finish(); });
  if (carriers_.mover) carriers_.mover->move(nullptr, sending);
  if (taking != nullptr) {
    carriers_.channel->count(executor_.sends(leg - 1, areas), executor_.receives(leg - 1, areas));
  }
  return waited;
}

template <class T>
void Driver<T>::exchange(std::size_t leg, const Areas& areas, transport::Windows* windows) {
  transport::Channel& channel = *carriers_.channel;
  watchdog().at(executor_.method(leg).phase(), executor_.step(leg));
  if (executor_.drive(leg) == Drive::barrier) {
    if (windows == nullptr) throw InternalError("a barrier in shared memory without any");
    windows->meet();
    channel.count_read(executor_.sends(leg, areas), executor_.receives(leg, areas));
    return;
  }
  if (executor_.drive(leg) == Drive::alltoallv && carriers_.alltoallv_fits) {
    channel.alltoallv(executor_.sends(leg, areas), executor_.receives(leg, areas));
    return;
  }
  const std::size_t hops = executor_.hops(leg);
  for (std::size_t hop = 0; hop < hops; ++hop) {
    if (hop > 0) executor_.keep(leg, areas, hop);
    channel.exchange(executor_.sends(leg, areas, hop), executor_.receives(leg, areas, hop),
                     hop + 1 == hops);
  }
}

template <class T>
void Driver<T>::run_sweeps(const Areas& areas, exec::Factor<T> factor) {
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (!executor_.is_exchange(leg)) executor_.sweep(leg, areas, factor);
  }
}

template <class T>
void Driver<T>::run_exchanges(const Areas& areas) {
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (executor_.is_exchange(leg) && !executor_.flows(leg)) exchange(leg, areas, nullptr);
  }
}

#define KALLIMA_INSTANTIATE(T) template class Driver<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATE)
#undef KALLIMA_INSTANTIATE

}  // namespace kallima

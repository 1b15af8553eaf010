// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "api/driver.hpp"

#include <algorithm>

#include "kallima/error.hpp"

namespace kallima {

inline bool all_known(std::span<const comm::Message> messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [](const comm::Message& message) { return message.data.data != nullptr; });
}

template <class T>
Driver<T>::Driver(Executor executor, const Carriers& carriers, const Areas& areas)
    : executor_(std::move(executor)), carriers_(carriers) {
  took_.resize(executor_.stages());
  pipelined_.resize(executor_.stages());
  teams_.resize(executor_.stages());
  std::size_t flowing = 0;
  for (std::size_t stage = 0; stage < executor_.stages(); ++stage) {
    if (!executor_.is_exchange(stage)) continue;
    if (!executor_.pipelined(stage)) {
      for (std::size_t round = 0; round < executor_.rounds(stage); ++round) {
        carriers_.channel->reserve(executor_.receives(stage, areas, round));
      }
      continue;
    }
    pipelined_[stage] = std::make_unique<comm::PipelinedExchange>(
        carriers_.communicator, carriers_.limits, executor_.step(stage),
        executor_.dependencies(stage, true), executor_.dependencies(stage, false));
    teams_[stage] = {flowing++ % comm::NodeWords::mark_slots, executor_.sent_chunks(stage),
                     executor_.taken_chunks(stage)};
  }
  prepare(areas);
}

template <class T>
void Driver<T>::prepare(const Areas& areas) {
  for (std::size_t stage = 0; stage < pipelined_.size(); ++stage) {
    if (!pipelined_[stage]) continue;
    const auto sends = executor_.sends(stage, areas);
    const auto receives = executor_.receives(stage, areas);
    if (all_known(sends) && all_known(receives)) pipelined_[stage]->prepare(sends, receives);
  }
}

/// A run that failed may have left the progress thread with exchanges of this.
template <class T>
Driver<T>::~Driver() {
  if (carriers_.progress_thread) carriers_.progress_thread->rest();
}

template <class T>
void Driver<T>::forget_runs() {
  std::fill(took_.begin(), took_.end(), exec::RollingMedian());
  if (recorder_) recorder_->clear();
}

template <class T>
void Driver<T>::abandon() noexcept {
  if (carriers_.progress_thread) carriers_.progress_thread->rest();
  carriers_.channel->abandon();
  for (auto& pipelined : pipelined_) {
    if (pipelined) pipelined->abandon();
  }
}

template <class T>
void Driver<T>::record(std::shared_ptr<Recorder> recorder, Index first) {
  recorder_ = std::move(recorder);
  first_leg_ = first;
  for (std::size_t stage = 0; stage < pipelined_.size(); ++stage) {
    if (pipelined_[stage])
      pipelined_[stage]->record(recorder_.get(), first + static_cast<Index>(stage));
  }
}

template <class T>
void Driver<T>::note(Doing doing, std::size_t stage, Index number, double begin) {
  if (!recorder_) return;
  recorder_->add(doing, first_leg_ + static_cast<Index>(stage), number, 0, begin, Recorder::now());
}

/// Of an exchange in one piece: when which of its messages was through, MPI does not tell. In
/// shared memory there are none, and what others read in place counts with the wait.
template <class T>
void Driver<T>::note_exchange(std::size_t stage, const Areas& areas, double begin) {
  if (!recorder_) return;
  const double end = Recorder::now();
  const Index number = first_leg_ + static_cast<Index>(stage);
  const auto note = [&](Doing doing, std::span<const comm::Message> messages) {
    for (const comm::Message& message : messages) {
      recorder_->add(doing, number, message.peer, message.data.bytes, begin, end);
    }
  };
  Index read_in_place = 0;
  if (executor_.drive(stage) == Drive::barrier) {
    for (const comm::Message& given : executor_.sends(stage, areas)) {
      read_in_place += given.data.bytes;
    }
  } else {
    for (std::size_t round = 0; round < executor_.rounds(stage); ++round) {
      note(Doing::send, executor_.sends(stage, areas, round));
      note(Doing::receive, executor_.receives(stage, areas, round));
    }
  }
  recorder_->add(Doing::wait, number, 0, read_in_place, begin, end);
}

template <class T>
void Driver<T>::run(const Areas& areas, exec::Factor<T> factor, comm::SharedSegments* segments) {
  // What others still read of this rank's segments, for the transform before, belongs to the first
  // stage: it waits for them.
  double begin = Recorder::now();
  if (recorder_) recorder_->begin_run();
  watchdog().at("barrier before the first step");
  if (segments != nullptr) segments->wait();
  for (std::size_t stage = 0; stage < executor_.stages(); ++stage) {
    double waited = 0.;
    if (executor_.is_exchange(stage)) {
      if (executor_.pipelined(stage)) continue;  // done by the sweeps beside it
      executor_.keep(stage, areas);
      exchange(stage, areas, segments);
      note_exchange(stage, areas, begin);
    } else if (pipelined_at(stage - 1) != nullptr || pipelined_at(stage + 1) != nullptr) {
      waited = sweep_in_chunks(stage, areas, factor, segments);
    } else {
      executor_.sweep(stage, areas, factor);
      note(Doing::compute, stage, 0, begin);
    }
    const double end = Recorder::now();
    if (pipelined_at(stage - 1) != nullptr) took_[stage - 1].add(waited);
    took_[stage].add(end - begin - waited);
    begin = end;
  }
  if (segments != nullptr) segments->arrive();
}

template <class T>
void Driver<T>::begin_pipelined(std::size_t stage, const Areas& areas,
                                comm::SharedSegments* segments) {
  const auto sends = executor_.sends(stage, areas);
  const auto receives = executor_.receives(stage, areas);
  if (executor_.method(stage).holding() == Holding::buffers) {
    pipelined_[stage]->begin(sends, receives);
  } else if (segments != nullptr) {
    pipelined_[stage]->begin(sends, receives, segments->sync(), teams_[stage]);
  } else {
    throw InternalError("an exchange through shared memory without any");
  }
}

template <class T>
double Driver<T>::sweep_in_chunks(std::size_t stage, const Areas& areas, exec::Factor<T> factor,
                                  comm::SharedSegments* segments) {
  comm::PipelinedExchange* const taking = pipelined_at(stage - 1);
  comm::PipelinedExchange* const sending = pipelined_at(stage + 1);
  // On a node, others may still read the segment that is written next, until all have computed what
  // this sweep takes.
  const bool late = taking != nullptr && executor_.method(stage - 1).holding() != Holding::buffers;
  if (sending != nullptr && !late) begin_pipelined(stage + 1, areas, segments);
  const std::size_t waited_for = taking != nullptr ? stage - 1 : stage + 1;
  watchdog().at(executor_.method(waited_for).phase(), executor_.step(waited_for));
  const exec::Progress progress = [taking, sending] {
    if (taking != nullptr) taking->progress();
    if (sending != nullptr) sending->progress();
  };
  if (carriers_.progress_thread) carriers_.progress_thread->move(taking, sending);
  double waited = 0.;
  const auto wait = [&](auto until) {
    if (taking == nullptr) return;
    const double begin = Recorder::now();
    until();
    waited += Recorder::now() - begin;
    note(Doing::wait, stage - 1, 0, begin);
  };
  for (std::size_t chunk = 0; chunk < executor_.chunks(stage); ++chunk) {
    wait([&] { taking->wait_for(static_cast<Index>(chunk)); });
    if (sending != nullptr && late && chunk == 0) begin_pipelined(stage + 1, areas, segments);
    const double begin = Recorder::now();
    executor_.sweep(stage, chunk, areas, factor, progress);
    note(Doing::compute, stage, static_cast<Index>(chunk), begin);
    // When all ranks of the node have computed the last chunk, they write the segment that was
    // taken from: by then this rank has sent all that it sends out of there.
    if (late && chunk + 1 == executor_.chunks(stage)) wait([&] { taking->finish(); });
    if (sending != nullptr) sending->computed(static_cast<Index>(chunk) + 1);
  }
  wait([&] { taking->finish(); });
  if (carriers_.progress_thread) carriers_.progress_thread->move(nullptr, sending);
  if (taking != nullptr) {
    carriers_.channel->count(executor_.sends(stage - 1, areas),
                             executor_.receives(stage - 1, areas));
  }
  return waited;
}

template <class T>
void Driver<T>::exchange(std::size_t stage, const Areas& areas, comm::SharedSegments* segments) {
  comm::Channel& channel = *carriers_.channel;
  watchdog().at(executor_.method(stage).phase(), executor_.step(stage));
  if (executor_.drive(stage) == Drive::barrier) {
    if (segments == nullptr) throw InternalError("a barrier in shared memory without any");
    segments->barrier();
    channel.count_read(executor_.sends(stage, areas), executor_.receives(stage, areas));
    return;
  }
  if (executor_.drive(stage) == Drive::alltoallv && carriers_.alltoallv_fits) {
    channel.alltoallv(executor_.sends(stage, areas), executor_.receives(stage, areas));
    return;
  }
  const std::size_t rounds = executor_.rounds(stage);
  for (std::size_t round = 0; round < rounds; ++round) {
    if (round > 0) executor_.keep(stage, areas, round);
    channel.exchange(executor_.sends(stage, areas, round), executor_.receives(stage, areas, round),
                     round + 1 == rounds);
  }
}

template <class T>
void Driver<T>::run_sweeps(const Areas& areas, exec::Factor<T> factor) {
  for (std::size_t stage = 0; stage < executor_.stages(); ++stage) {
    if (!executor_.is_exchange(stage)) executor_.sweep(stage, areas, factor);
  }
}

template <class T>
void Driver<T>::run_exchanges(const Areas& areas) {
  for (std::size_t stage = 0; stage < executor_.stages(); ++stage) {
    if (executor_.is_exchange(stage) && !executor_.pipelined(stage))
      exchange(stage, areas, nullptr);
  }
}

}  // namespace kallima

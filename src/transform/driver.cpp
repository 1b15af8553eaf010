// SPDX-License-Identifier: BSD-3-Clause
#include "transform/driver.hpp"

#include <algorithm>
#include <chrono>

namespace kallima {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

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
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (!executor_.is_exchange(leg)) continue;
    const auto sends = executor_.sends(leg, areas);
    const auto receives = executor_.receives(leg, areas);
    if (!executor_.is_pipelined(leg)) {
      carriers_.channel->reserve(receives);
      continue;
    }
    flows_[leg] = std::make_unique<transport::Flow>(carriers_.communicator, carriers_.limits,
                                                    executor_.step(leg), executor_.turns(leg, true),
                                                    executor_.turns(leg, false));
    if (all_known(sends) && all_known(receives)) flows_[leg]->prepare(sends, receives);
  }
}

template <class T>
void Driver<T>::run(const Areas& areas, T factor, transport::Windows* windows) {
  // What others still read of this rank's windows, for the transform before, belongs to the first
  // leg: it waits for them.
  Clock::time_point begin = Clock::now();
  if (windows != nullptr) windows->wait();
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    double waited = 0.;
    if (executor_.is_exchange(leg)) {
      if (executor_.is_pipelined(leg)) continue;  // done by the sweeps beside it
      executor_.keep(leg, areas);
      exchange(leg, areas, windows);
    } else if (flow_at(leg - 1) != nullptr || flow_at(leg + 1) != nullptr) {
      waited = sweep_in_chunks(leg, areas, factor);
    } else {
      executor_.sweep(leg, areas, factor);
    }
    const Clock::time_point end = Clock::now();
    const double took = std::chrono::duration<double>(end - begin).count();
    if (flow_at(leg - 1) != nullptr) took_[leg - 1].add(waited);
    took_[leg].add(took - waited);
    begin = end;
  }
  if (windows != nullptr) windows->arrive();
}

template <class T>
double Driver<T>::sweep_in_chunks(std::size_t leg, const Areas& areas, T factor) {
  transport::Flow* const taking = flow_at(leg - 1);
  transport::Flow* const sending = flow_at(leg + 1);
  if (sending != nullptr) {
    sending->begin(executor_.sends(leg + 1, areas), executor_.receives(leg + 1, areas));
  }
  const exec::Pulse pulse = [taking, sending] {
    if (taking != nullptr) taking->pulse();
    if (sending != nullptr) sending->pulse();
  };
  double waited = 0.;
  const auto wait = [&](auto until) {
    if (taking == nullptr) return;
    const Clock::time_point begin = Clock::now();
    until();
    waited += seconds_since(begin);
  };
  for (std::size_t chunk = 0; chunk < executor_.chunks(leg); ++chunk) {
    wait([&] { taking->wait_for(static_cast<Index>(chunk)); });
    executor_.sweep(leg, chunk, areas, factor, pulse);
    if (sending != nullptr) sending->computed(static_cast<Index>(chunk) + 1);
  }
  wait([&] { taking->finish(); });
  if (taking != nullptr) {
    carriers_.channel->count(executor_.sends(leg - 1, areas), executor_.receives(leg - 1, areas));
  }
  return waited;
}

template <class T>
void Driver<T>::exchange(std::size_t leg, const Areas& areas, transport::Windows* windows) {
  transport::Channel& channel = *carriers_.channel;
  if (executor_.route(leg) == Route::windows) {
    windows->meet();
    channel.count(executor_.sends(leg, areas), executor_.receives(leg, areas));
    return;
  }
  const auto sends = executor_.sends(leg, areas);
  const auto receives = executor_.receives(leg, areas);
  if (executor_.route(leg) == Route::alltoallv && carriers_.alltoallv_fits) {
    channel.alltoallv(sends, receives);
  } else {
    channel.exchange(sends, receives);
  }
}

template <class T>
void Driver<T>::run_sweeps(const Areas& areas, T factor) {
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (!executor_.is_exchange(leg)) executor_.sweep(leg, areas, factor);
  }
}

template <class T>
void Driver<T>::run_exchanges(const Areas& areas) {
  for (std::size_t leg = 0; leg < executor_.legs(); ++leg) {
    if (executor_.is_exchange(leg) && !executor_.is_pipelined(leg)) exchange(leg, areas, nullptr);
  }
}

template class Driver<float>;
template class Driver<double>;

}  // namespace kallima

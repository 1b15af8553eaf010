// SPDX-License-Identifier: BSD-3-Clause
//
// Drives one rank's executor through its stages: sweeps, and exchanges by whatever carries them.
// Where an exchange is pipelined, the sweep before it hands over chunk by chunk what it has
// computed, the sweep behind it begins with what has arrived, and both move the messages on between
// their tiles.
#pragma once

#include <memory>
#include <vector>

#include "base/recorder.hpp"
#include "comm/channel.hpp"
#include "comm/pipelined_exchange.hpp"
#include "comm/progress_thread.hpp"
#include "comm/shared_segments.hpp"
#include "exec/executor.hpp"
#include "exec/rolling_median.hpp"

namespace kallima {

/// What carries messages.
struct Carriers {
  std::shared_ptr<const comm::Communicator> communicator;
  comm::Limits limits;
  std::shared_ptr<comm::Channel> channel;  ///< carries what is not pipelined, counts all
  bool alltoallv_fits = true;              ///< what a rank sends or receives, by an int
  std::shared_ptr<comm::ProgressThread> progress_thread;  ///< helps where there is one
};

template <class T>
class Driver {
 public:
  using Executor = exec::Executor<T>;
  using Areas = typename Executor::Areas;

  /// `areas` are those known by now.
  Driver(Executor executor, const Carriers& carriers, const Areas& areas);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  Driver(Driver&&) = delete;
  Driver& operator=(Driver&&) = delete;

  /// Makes all requests that depend on these areas alone, those known by now.
  void prepare(const Areas& areas);
  /// Runs all stages. `segments` where the plan's exchanges go by them or by nodes.
  void run(const Areas& areas, exec::Factor<T> factor, comm::SharedSegments* segments);
  /// After a run that has thrown. Nothing of this can run again; its memory stays in use.
  void abandon() noexcept;
  /// Neither timings nor a trace have what was run so far.
  void forget_runs();
  /// The sweeps alone, for measuring: what they make without exchanges is worth nothing. Local.
  void run_sweeps(const Areas& areas, exec::Factor<T> factor);
  /// What goes between ranks alone, likewise: exchanges in one piece that are not in shared memory.
  void run_exchanges(const Areas& areas);

  /// Records from now on; stages are numbered from `first`.
  void record(std::shared_ptr<Recorder> recorder, Index first);

  [[nodiscard]] Executor& executor() { return executor_; }
  /// What the stages took lately; an exchange that is pipelined, what was waited for it.
  [[nodiscard]] const std::vector<exec::RollingMedian>& took() const { return took_; }

 private:
  [[nodiscard]] comm::PipelinedExchange* pipelined_at(std::size_t stage) const {
    return stage < pipelined_.size() ? pipelined_[stage].get() : nullptr;
  }
  [[nodiscard]] comm::Watchdog& watchdog() const { return *carriers_.communicator->watchdog; }
  void note(Doing doing, std::size_t stage, Index number, double begin);
  void note_exchange(std::size_t stage, const Areas& areas, double begin);
  void exchange(std::size_t stage, const Areas& areas, comm::SharedSegments* segments);
  /// A sweep beside an exchange that is pipelined, or between two. Returns the seconds that it
  /// waited.
  double sweep_in_chunks(std::size_t stage, const Areas& areas, exec::Factor<T> factor,
                         comm::SharedSegments* segments);
  void begin_pipelined(std::size_t stage, const Areas& areas, comm::SharedSegments* segments);

  Executor executor_;
  Carriers carriers_;
  std::vector<std::unique_ptr<comm::PipelinedExchange>> pipelined_;  // by stage
  std::vector<comm::Team> teams_;          // by stage, of exchanges by nodes
  std::vector<exec::RollingMedian> took_;  // by stage
  std::shared_ptr<Recorder> recorder_;     // where a trace is wanted
  Index first_leg_ = 0;                    // there
};

extern template class Driver<float>;
extern template class Driver<double>;

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Drives one rank's executor through its legs: sweeps, and exchanges by whatever carries them.
// Where an exchange flows, the sweep before it hands over chunk by chunk what it has computed, the
// sweep behind it begins with what has arrived, and both move the messages on between their tiles.
#pragma once

#include <memory>
#include <vector>

#include "base/recorder.hpp"
#include "exec/executor.hpp"
#include "exec/recent.hpp"
#include "transport/channel.hpp"
#include "transport/flow.hpp"
#include "transport/mover.hpp"
#include "transport/windows.hpp"

namespace kallima {

/// What carries messages.
struct Carriers {
  std::shared_ptr<const transport::Communicator> communicator;
  transport::Limits limits;
  std::shared_ptr<transport::Channel> channel;  ///< carries what does not flow, counts all
  bool alltoallv_fits = true;                   ///< what a rank sends or receives, by an int
  std::shared_ptr<transport::Mover> mover;      ///< helps where there is one
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
  /// Runs all legs. `windows` where the plan's exchanges go by them or by nodes.
  void run(const Areas& areas, exec::Factor<T> factor, transport::Windows* windows);
  /// After a run that has thrown. Nothing of this can run again; its memory stays in use.
  void abandon() noexcept;
  /// The sweeps alone, for measuring: what they make without exchanges is worth nothing. Local.
  void run_sweeps(const Areas& areas, exec::Factor<T> factor);
  /// What goes between ranks alone, likewise: exchanges in one piece that are not in shared memory.
  void run_exchanges(const Areas& areas);

  /// Records from now on; legs are numbered from `first`.
  void record(std::shared_ptr<Recorder> recorder, Index first);

  [[nodiscard]] Executor& executor() { return executor_; }
  /// What the legs took lately; an exchange that flows, what was waited for it.
  [[nodiscard]] const std::vector<exec::Recent>& took() const { return took_; }

 private:
  [[nodiscard]] transport::Flow* flow_at(std::size_t leg) const {
    return leg < flows_.size() ? flows_[leg].get() : nullptr;
  }
  [[nodiscard]] transport::Watchdog& watchdog() const { return *carriers_.communicator->watchdog; }
  void note(Doing doing, std::size_t leg, Index number, double begin);
  void note_exchange(std::size_t leg, const Areas& areas, double begin);
  void exchange(std::size_t leg, const Areas& areas, transport::Windows* windows);
  /// A sweep beside an exchange that flows, or between two. Returns the seconds that it waited.
  double sweep_in_chunks(std::size_t leg, const Areas& areas, exec::Factor<T> factor,
                         transport::Windows* windows);
  void begin_flow(std::size_t leg, const Areas& areas, transport::Windows* windows);

  Executor executor_;
  Carriers carriers_;
  std::vector<std::unique_ptr<transport::Flow>> flows_;  // by leg
  std::vector<transport::Team> teams_;                   // by leg, of exchanges by nodes
  std::vector<exec::Recent> took_;                       // by leg
  std::shared_ptr<Recorder> recorder_;                   // where a trace is wanted
  Index first_leg_ = 0;                                  // there
};

#define KALLIMA_INSTANTIATED(T) extern template class Driver<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATED)
#undef KALLIMA_INSTANTIATED

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks of a plan in one process, one after the other in lock-step: for tests and for looking
// at a plan's every step without MPI.
#pragma once

#include <functional>
#include <vector>

#include "exec/executor.hpp"
#include "kallima/buffer.hpp"

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
  [[nodiscard]] const transport::Counters& counters(Index rank) const {
    return counters_[static_cast<std::size_t>(rank)];
  }

 private:
  /// A hop of an exchange.
  struct Moment {
    std::size_t leg = 0;
    std::size_t hop = 0;
  };
  void exchange(std::size_t leg, std::size_t hop);
  const std::byte* sent(const Moment& at, const transport::Message& wanted, Index rank,
                        Index number, bool staged);

  std::vector<Buffer> memory_;
  std::vector<Buffer> staging_;                     // by rank
  std::array<std::vector<Number<T>*>, 2> windows_;  // by rank
  EngineSet<T> engines_;
  std::vector<Executor<T>> executors_;
  std::vector<typename Executor<T>::Areas> areas_;
  std::vector<transport::Counters> counters_;
};

#define KALLIMA_INSTANTIATED(T) extern template class Loopback<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATED)
#undef KALLIMA_INSTANTIATED

}  // namespace kallima::exec

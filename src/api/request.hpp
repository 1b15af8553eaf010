// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank asks for, checked, and as text that ranks can compare.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "comm/message.hpp"
#include "kallima/planner.hpp"
#include "kallima/transform.hpp"
#include "kallima/tune.hpp"

namespace kallima {

/// What a channel has counted, as users see it.
inline CommStatistics statistics_of(const comm::Counters& counters) {
  return {counters.bytes_sent, counters.bytes_received, counters.messages_sent,
          counters.messages_received, counters.exchanges};
}

/// InvalidOption where a value is above the last of its kind.
void require_below(int value, int last, const char* what);

/// InvalidOption for an enumerator that came through a cast and is none.
template <class Enum>
void require_known(Enum value, Enum last, const char* what) {
  require_below(static_cast<int>(value), static_cast<int>(last), what);
}

/// What is to be transformed. Of r2c the r2c axis is the one that is named, or the one whose kind
/// is real, or the last. Checks nothing.
Problem asked_problem(const Shape& shape, Kind kind, Precision precision, const Options& options);

/// The planner's request. Throws what validate() throws, and InvalidOption for the options that the
/// planner does not see.
PlanRequest checked_request(const Shape& shape, Kind kind, Precision precision, Index ranks,
                            const Options& options);

/// InvalidOption where fields of a plan's arrays cannot have pointers of their own: axis 0 is no
/// batch, or is not held whole and slowest in memory.
void require_fields(const Plan& plan);

/// One line per argument; equal on all ranks or the call is mismatched.
std::string request_fingerprint(const PlanRequest& request, const Options& options);

/// MismatchedArguments, naming the first argument that differs, where `mine` is not `root`.
void require_same(const std::string& mine, const std::string& root, int rank);

/// The request with what is known of the machine and of where the ranks are on it.
/// KALLIMA_SHARED=off keeps them apart.
PlanRequest placed(PlanRequest request, const Options& options,
                   const comm::Communicator& communicator);

/// How plans are timed where that is asked for at planning.
TuneOptions measuring_options(double seconds);

/// A plan, and whether others are to be timed against it.
struct ChosenPlan {
  Plan plan;
  bool worth_timing = false;
};

/// The plan that the options give, otherwise the one that their plan wisdom has for a placed
/// request, otherwise the planner's, which is worth timing where that is asked for. InvalidOption
/// where the given one is of something else.
ChosenPlan chosen_plan(const PlanRequest& request, const Options& options);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What a trace says in figures: how long each rank computes and waits, how long its messages are in
// flight, and how much of that is hidden behind computing.
#pragma once

#include <vector>

#include "kallima/index.hpp"
#include "trace_file.hpp"

namespace kallima::cli {

/// A span of time, in seconds.
struct Interval {
  double begin = 0.0;
  double end = 0.0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The same times as intervals that neither overlap nor touch, ascending; empty ones are left out.
std::vector<Interval> united(std::vector<Interval> intervals);

/// Seconds of united intervals.
double length(const std::vector<Interval>& intervals);

/// Seconds that lie in both of two lists of united intervals.
double common_length(const std::vector<Interval>& one, const std::vector<Interval>& other);

/// Seconds of a rank, or means of several.
struct Times {
  double whole = 0.0;      ///< from the first event to the last
  double computing = 0.0;  ///< in sweeps
  double waiting = 0.0;
  double in_flight = 0.0;  ///< while at least one message is sent or received
  double hidden = 0.0;     ///< of that, while the rank computes
};

/// What one rank did in a run.
struct RankSummary {
  Index rank = 0;
  Times times;
  Index bytes_sent = 0;  ///< in messages, or read in place by others
  Index messages_sent = 0;
};

/// What all ranks did in a run.
struct RunSummary {
  Index run = 0;
  std::vector<RankSummary> ranks;  ///< those with events, ascending
  Times mean;                      ///< over these ranks
  Interval span;                   ///< from the first event of any rank to the last
  Index bytes_sent = 0;            ///< of all ranks
  Index messages_sent = 0;

  [[nodiscard]] double seconds() const { return span.end - span.begin; }
};

/// Numbers of the runs in a trace, ascending.
std::vector<Index> runs_of(const std::vector<TraceEvent>& events);

/// The events of one run.
std::vector<TraceEvent> events_of(const std::vector<TraceEvent>& events, Index run);

/// Figures of events that are all of one run. There is at least one. Overflow where bytes do not
/// fit 64 bits.
RunSummary summary_of(const std::vector<TraceEvent>& events);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// Traces as the library writes them: the form of Chrome and Perfetto, with what they leave open
// settled by schema kallima.trace/2. A process is a rank; times are in microseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::cli {

/// What goes on while an event lasts.
enum class Activity { compute, wait, send, receive };

/// Something that one rank does, or one of its messages in flight.
struct TraceEvent {
  Index rank = 0;
  Index run = 0;  ///< which of the transforms that were run one behind the other
  Activity activity = Activity::compute;
  std::string name;  ///< printable ASCII
  double begin = 0.0;
  double end = 0.0;  ///< seconds, as `begin`; not before it
  Index bytes = 0;   ///< of a message
};

/// What one or several files hold.
struct Trace {
  std::string problem;  ///< printable ASCII
  std::string plan;
  Index ranks = 1;           ///< of the job
  std::vector<Index> found;  ///< ranks that are in the files, ascending
  std::vector<TraceEvent> events;
};

/// The trace in a text; may be without events. ParseError, whatever the text is.
Trace parse_trace(std::string_view text);

/// Both in one. MismatchedArguments where they are of different jobs or share a rank.
Trace merged(Trace one, const Trace& other);

/// The trace in files of one job, which has events. FileError, ParseError, MismatchedArguments.
Trace read_trace(const std::vector<std::string>& paths);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// Traces as pictures: for each rank what it does, and below it its messages in flight.
#pragma once

#include <string>
#include <vector>

#include "trace_file.hpp"

namespace kallima::cli {

/// One run, to be drawn.
struct Timeline {
  std::string title;  ///< ends with the ranks
  std::string note;   ///< a line below the title; may be empty
  /// At least one; times count from the first. Those of ranks beyond the first 64 are left out.
  std::vector<TraceEvent> events;
};

/// What the picture calls things.
struct TimelineWords {
  std::string who = "rank";
  std::string unit = "milliseconds";
  double units_per_second = 1e3;
};

/// Draws timelines below each other, over one scale of time, into a file; the ending of `path`,
/// .svg, .png or .pdf, says in which form. There is at least one. InvalidOption where it is another
/// or needs cairo in a program built without, FileError where the file cannot be written. Its size
/// does not grow with the number of events.
void draw(const std::vector<Timeline>& timelines, const std::string& path,
          const TimelineWords& words = {});

}  // namespace kallima::cli

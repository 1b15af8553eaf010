// SPDX-License-Identifier: BSD-3-Clause
//
// Traces. A text that begins with a bracket is the list of events alone. What is read has figures,
// whatever the events are.
#include <algorithm>
#include <cmath>

#include "kallima/error.hpp"
#include "restores.hpp"
#include "trace_file.hpp"
#include "trace_summary.hpp"

namespace {

void check_figures(const kallima::cli::Trace& trace) {
  using namespace kallima::cli;
  for (const kallima::Index run : runs_of(trace.events)) {
    const RunSummary summary = summary_of(events_of(trace.events, run));
    const Times& mean = summary.mean;
    const double least = std::min(mean.computing, mean.in_flight);
    const bool sound =
        std::isfinite(mean.whole) && mean.hidden <= least * (1. + 1e-9) && summary.seconds() >= 0.;
    if (!sound) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kallima;
  std::string text(fuzz::text_of(data, size));
  if (text.starts_with("[")) {
    text = R"({"otherData":{"schema":"kallima.trace/2","problem":"","plan":"","ranks":4},)"
           R"("traceEvents":)" +
           text + "}";
  }
  cli::Trace trace;
  if (fuzz::accepted<ParseError>([&] { trace = cli::parse_trace(text); })) check_figures(trace);
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "cost/pipeline.hpp"

#include <algorithm>

namespace kallima {

namespace {

/// Each chunk's messages leave when it is computed and those of the chunk before are through, and
/// are all that one chunk behind waits for.
double seconds_alike(const PipelineLoad& load, Index chunks) {
  const auto count = static_cast<double>(chunks);
  const double before = load.before + load.busy;
  double arrived = 0.;
  double now = before;
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    const double computed = before * static_cast<double>(chunk + 1) / count;
    arrived = std::max(arrived, computed) + load.exchange / count;
    now = std::max(now, arrived) + load.behind / count;
  }
  return now;
}

}  // namespace

double pipelined_seconds(const PipelineLoad& load, const Chunks& chunks) {
  if (chunks.alike()) return seconds_alike(load, chunks.sent);
  const auto sent = static_cast<double>(chunks.sent);
  const auto taken = static_cast<double>(chunks.taken);
  const auto ahead = static_cast<double>(chunks.ahead());
  const double early = load.exchange * ahead / taken;  // sent while the sweep before computes
  const double busy_early = chunks.sent > 1 ? load.busy * ahead / taken : 0.;
  const double before = load.before + busy_early;
  const double behind = load.behind + load.busy - busy_early;
  // Each chunk's messages leave when it is computed and those of the chunk before are through.
  const double early_through = std::max(before / sent + early, before + early / sent);
  double now = before;
  for (Index chunk = 0; chunk < chunks.taken; ++chunk) {
    const auto number = static_cast<double>(chunk);
    const double arrives = chunk < chunks.ahead()
                               ? early_through - early * (ahead - 1. - number) / (ahead * sent)
                               : early_through + load.exchange * (number - ahead + 1.) / taken;
    now = std::max(now, arrives) + behind / taken;
  }
  return now;
}

}  // namespace kallima

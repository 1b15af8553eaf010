// SPDX-License-Identifier: BSD-3-Clause
//
// How contenders are timed: in turns, so that what the machine does meanwhile falls on all alike;
// each run behind a barrier; a run takes as long as its slowest rank.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "contender.hpp"

namespace kallima::cli {

/// Of the times of one contender, in seconds.
struct Times {
  double median = 0.0;
  double least = 0.0;
  double p90 = 0.0;
};

/// Times of any order; at least one.
Times summary(std::vector<double> times);

/// How often to run.
struct Rounds {
  std::optional<Index> timed;  ///< where empty, for a few seconds, at least five
  Index warm_up = 2;           ///< before, not timed
};

/// Seconds of each contender, round by round; the same on all ranks. Collective.
std::vector<std::vector<double>> timed_rounds(
    const Session& session, const std::vector<std::unique_ptr<Contender>>& contenders,
    const Rounds& rounds, Progress& progress);

}  // namespace kallima::cli

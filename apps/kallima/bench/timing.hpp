// SPDX-License-Identifier: BSD-3-Clause
//
// How contenders are timed: in turns, so that what the machine does meanwhile falls on all alike;
// each round in another order, since a run finds in the caches what the one before left there; each
// run behind a barrier; a run takes as long as its slowest rank.
#pragma once

#include <optional>
#include <vector>

#include "contender.hpp"

namespace kallima::cli {

/// The runs of one contender, round by round, in seconds; the same on all ranks.
struct Runs {
  std::vector<double> slowest;  ///< of the slowest rank
  std::vector<double> mean;     ///< over the ranks
};

/// Middle and spread of some numbers.
struct Spread {
  double least = 0.0;
  double quarter = 0.0;  ///< a quarter is below
  double median = 0.0;
  double three_quarters = 0.0;
  double p90 = 0.0;
};

/// Numbers of any order; at least one.
Spread spread_of(std::vector<double> numbers);

/// One by one, a / b.
std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b);

/// How often to run.
struct Rounds {
  std::optional<Index> timed;  ///< where empty, for a few seconds, at least five
  Index warm_up = 2;           ///< before, not timed
};

/// Runs of each contender. One that is listed twice runs twice a round. Collective.
std::vector<Runs> timed_rounds(const Session& session, const std::vector<Contender*>& contenders,
                               const Rounds& rounds, Progress& progress);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// Two ways to do the same, timed in turns, so that a change of the machine's mood meets both alike.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "base/median.hpp"
#include "bench/runner.hpp"

namespace kallima::bench {

/// Seconds of one of so many runs, of the slowest rank. Collective.
template <class Run>
double seconds_of(MPI_Comm comm, int times, const Run& run) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) run();
  double took = (MPI_Wtime() - begin) / times;
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
  return took;
}

/// What both ways took, round by round.
struct Alternated {
  std::vector<double> ours;
  std::vector<double> theirs;

  [[nodiscard]] double ratio() const { return median(ours) / median(theirs); }
  [[nodiscard]] double least_ratio() const { return least(ours) / least(theirs); }
  /// Quartiles of the ratios of rounds.
  [[nodiscard]] Json quartiles() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
    std::sort(ratios.begin(), ratios.end());
    const auto at = [&](double share) {
      return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
    };
    return {at(0.25), at(0.75)};
  }
};

/// Runs both in turns, the one and the other first. Collective.
template <class Ours, class Theirs>
Alternated alternate(MPI_Comm comm, int rounds, int times, const Ours& ours, const Theirs& theirs) {
  Alternated result;
  for (int round = 0; round <= rounds; ++round) {
    const bool first = round % 2 == 0;
    const double before = first ? seconds_of(comm, times, ours) : seconds_of(comm, times, theirs);
    const double behind = first ? seconds_of(comm, times, theirs) : seconds_of(comm, times, ours);
    if (round == 0) continue;  // warms up
    result.ours.push_back(first ? before : behind);
    result.theirs.push_back(first ? behind : before);
  }
  return result;
}

}  // namespace kallima::bench

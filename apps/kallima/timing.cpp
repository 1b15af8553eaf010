// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kallima::cli {

namespace {

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// Seconds of each contender, of the slowest rank.
std::vector<double> one_round(const Session& session, const Contenders& contenders) {
  std::vector<double> mine;
  for (const auto& contender : contenders) {
    contender->prepare();
    MPI_Barrier(session.comm);
    const double start = MPI_Wtime();
    contender->run();
    mine.push_back(MPI_Wtime() - start);
  }
  std::vector<double> slowest(mine.size());
  MPI_Allreduce(mine.data(), slowest.data(), narrow<int>(mine.size(), "contenders"), MPI_DOUBLE,
                MPI_MAX, session.comm);
  return slowest;
}

/// Rounds that take a few seconds together, judged by one of them.
Index enough_rounds(const std::vector<double>& round) {
  constexpr double seconds = 3.0;
  const double one = std::max(1e-9, std::accumulate(round.begin(), round.end(), 0.0));
  return std::clamp<Index>(static_cast<Index>(std::min(seconds / one, 1e6)), 5, 1000);
}

}  // namespace

Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  Times result;
  result.least = times.front();
  result.median = (times[(n - 1) / 2] + times[n / 2]) / 2;
  result.p90 = times[(9 * n + 9) / 10 - 1];
  return result;
}

std::vector<std::vector<double>> timed_rounds(const Session& session, const Contenders& contenders,
                                              const Rounds& rounds, Progress& progress) {
  std::vector<double> round;
  for (Index i = 0; i < rounds.warm_up; ++i) {
    progress.show(fmt::format("warming up {}/{}", i + 1, rounds.warm_up));
    round = one_round(session, contenders);
  }
  if (!rounds.timed && round.empty()) round = one_round(session, contenders);
  const Index count = rounds.timed ? *rounds.timed : enough_rounds(round);
  std::vector<std::vector<double>> times(contenders.size());
  for (Index i = 0; i < count; ++i) {
    progress.show(fmt::format("timing {}/{}", i + 1, count));
    round = one_round(session, contenders);
    for (std::size_t c = 0; c < contenders.size(); ++c) times[c].push_back(round[c]);
  }
  progress.clear();
  return times;
}

}  // namespace kallima::cli

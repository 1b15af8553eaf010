// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/checked.hpp"

namespace kallima::cli {

namespace {

struct Round {
  std::vector<double> slowest;  ///< of each contender
  std::vector<double> mean;
};

/// One run of each, in the order that `random` deals, which is the same on all ranks.
Round one_round(const Session& session, const std::vector<Contender*>& contenders,
                std::mt19937& random) {
  const std::size_t count = contenders.size();
  std::vector<double> mine(count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t c : order) {
    contenders[c]->prepare();
    MPI_Barrier(session.comm);
    mine[c] = contenders[c]->run();
  }
  Round round{std::vector<double>(count), std::vector<double>(count)};
  const int n = narrow<int>(count, "contenders");
  MPI_Allreduce(mine.data(), round.slowest.data(), n, MPI_DOUBLE, MPI_MAX, session.comm);
  MPI_Allreduce(mine.data(), round.mean.data(), n, MPI_DOUBLE, MPI_SUM, session.comm);
  for (double& seconds : round.mean) seconds /= session.size;
  return round;
}

/// Rounds that take a few seconds together, judged by one of them.
Index enough_rounds(const std::vector<double>& round) {
  const double seconds = 3.0 * static_cast<double>(round.size());
  const double one = std::max(1e-9, std::accumulate(round.begin(), round.end(), 0.0));
  return std::clamp<Index>(static_cast<Index>(std::min(seconds / one, 1e6)), 5, 1000);
}

/// Between the two nearest numbers, in proportion.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Spread spread_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return {numbers.front(), quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75),
          quantile(numbers, 0.9)};
}

std::vector<double> paired_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) ratios[i] = a[i] / b[i];
  return ratios;
}

std::vector<Runs> timed_rounds(const Session& session, const std::vector<Contender*>& contenders,
                               const Rounds& rounds, Progress& progress) {
  std::mt19937 random;  // the same on all ranks and in every launch
  Round round;
  for (Index i = 0; i < rounds.warm_up; ++i) {
    progress.show(fmt::format("warming up {}/{}", i + 1, rounds.warm_up));
    round = one_round(session, contenders, random);
  }
  if (!rounds.timed && round.slowest.empty()) round = one_round(session, contenders, random);
  const Index count = rounds.timed ? *rounds.timed : enough_rounds(round.slowest);
  std::vector<Runs> runs(contenders.size());
  for (Index i = 0; i < count; ++i) {
    progress.show(fmt::format("timing {}/{}", i + 1, count));
    round = one_round(session, contenders, random);
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      runs[c].slowest.push_back(round.slowest[c]);
      runs[c].mean.push_back(round.mean[c]);
    }
  }
  progress.clear();
  return runs;
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// How butterflies other than Fourier's scale: number-theoretic and Walsh-Hadamard transforms on all
// ranks against the same on one of them, and sorts on all ranks against std::sort on one core. One
// after the other, round by round, so that a change of the machine's mood meets all alike; while
// one rank works alone the others wait.
//
//     mpirun -n 2 kallima_butterflies [LOG2_N [ROUNDS]]      24 and 15 by default; prints a line of
//                                                            JSON for each
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "base/median.hpp"
#include "bench/runner.hpp"
#include "kallima/kallima.hpp"
#include "kallima/ntt.hpp"
#include "kallima/sort.hpp"
#include "kallima/walsh_hadamard.hpp"

namespace kallima::bench {
namespace {

/// Something to be timed.
struct Work {
  std::string name;
  bool alone = false;             ///< by rank 0, while the others wait
  std::function<void()> prepare;  ///< not timed
  std::function<void()> run;
  std::vector<double> seconds = {};
};

/// Of the slowest rank. Collective.
double timed(const World& world, const Work& work) {
  const bool works = !work.alone || world.speaks();
  if (works && work.prepare) work.prepare();
  MPI_Barrier(world.communicator->comm);
  const double begin = MPI_Wtime();
  if (works) work.run();
  double took = works ? MPI_Wtime() - begin : 0.;
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, world.communicator->comm);
  return took;
}

/// Forward, out of place.
template <class Transform>
Work forward(const std::string& name, bool alone, const Transform& transform) {
  using Array = decltype(transform.make_input());
  const auto in = std::make_shared<Array>(transform.make_input());
  const auto out = std::make_shared<Array>(transform.make_output());
  for (auto [index, value] : in->indexed()) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(index[0]);
  }
  const auto bound = std::make_shared<decltype(transform.bind(Direction::forward, *in, *out))>(
      transform.bind(Direction::forward, *in, *out));
  return {name, alone, nullptr, [in, out, bound] { bound->run(); }};
}

using Keys = BasicArray<std::uint64_t>;

void disorder(const Keys& keys, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::generate(keys.begin(), keys.end(), random);
}

Work sort_together(const Sort<std::uint64_t>& sort) {
  const auto keys = std::make_shared<Keys>(sort.make_keys());
  const auto sorted = std::make_shared<Keys>(sort.make_keys());
  disorder(*keys, sort.rank());
  const auto bound = std::make_shared<Bound<Bitonic>>(sort.bind(*keys, *sorted));
  return {"sort", false, nullptr, [keys, sorted, bound] { bound->run(); }};
}

Work sort_alone(Index n) {
  const Sort<std::uint64_t> whole(MPI_COMM_SELF, n);
  const auto keys = std::make_shared<Keys>(whole.make_keys());
  return {"std::sort", true, [keys] { disorder(*keys, 0); },
          [keys] { std::sort(keys->begin(), keys->end()); }};
}

Json summary(const Work& work, Index n, Index ranks) {
  std::vector<double> sorted = work.seconds;
  std::sort(sorted.begin(), sorted.end());
  return {{"what", work.name},
          {"n", n},
          {"ranks", work.alone ? 1 : ranks},
          {"rounds", sorted.size()},
          {"median_s", median(sorted)},
          {"least_s", sorted.front()},
          {"most_s", sorted.back()}};
}

int measure(int argc, char** argv) {
  World world;
  world.communicator = comm::Communicator::of(MPI_COMM_WORLD);
  const Index n = Index{1} << (argc > 1 ? std::atoi(argv[1]) : 24);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  std::vector<Work> works;
  works.push_back(forward("ntt", true, Ntt(MPI_COMM_SELF, {n})));
  works.push_back(forward("ntt", false, Ntt(MPI_COMM_WORLD, {n})));
  works.push_back(forward("walsh-hadamard", true, WalshHadamard(MPI_COMM_SELF, {n})));
  works.push_back(forward("walsh-hadamard", false, WalshHadamard(MPI_COMM_WORLD, {n})));
  works.push_back(sort_alone(n));
  works.push_back(sort_together(Sort<std::uint64_t>(MPI_COMM_WORLD, n)));
  for (Work& work : works) static_cast<void>(timed(world, work));
  for (int round = 0; round < rounds; ++round) {
    for (Work& work : works) work.seconds.push_back(timed(world, work));
  }
  for (std::size_t i = 0; i < works.size(); i += 2) {
    say(world, summary(works[i], n, world.communicator->size));
    Json together = summary(works[i + 1], n, world.communicator->size);
    together["ratio"] = median(works[i + 1].seconds) / median(works[i].seconds);
    say(world, together);
  }
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_butterflies", kallima::bench::measure);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Predicted and measured times of many transforms in one launch, and the regret of the planner.
//
//     mpirun -n 2 kallima_prediction predict MACHINE.toml ROUNDS PROBLEM...
//     mpirun -n 2 kallima_prediction regret MACHINE.toml ROUNDS PROBLEM...
//
// Prints one JSON object a line. Every problem is measured in ROUNDS bursts, all problems in turns,
// so that what the machine does meanwhile falls on all alike. A run takes as long as its slowest
// rank. Collective throughout; errors abort.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "api/request.hpp"
#include "base/median.hpp"
#include "bench/runner.hpp"
#include "calibration/work.hpp"
#include "comm/communicator.hpp"
#include "kallima/planner.hpp"

namespace kallima::bench {
namespace {

/// Plans as rank 0 has them, the first the one that is taken.
std::vector<Plan> plans_of(const World& world, const Problem& problem, std::size_t most) {
  std::vector<Plan> plans;
  if (world.speaks()) {
    PlanRequest request;
    request.problem = problem;
    request.ranks = world.communicator->size;
    Options options;
    options.machine = world.machine;
    for (const NamedPlan& named : compared_plans(placed(request, options, *world.communicator))) {
      if (most-- == 0 || named.imbalance > 0) break;
      plans.push_back(named.plan);
    }
  }
  return of_rank_0(world, plans);
}

/// Median of a burst of runs, as calibration takes it. Short: neighbours of the machine come and go
/// within seconds, and some of many short ones are left alone.
double burst(const World& world, Runner& runner) {
  constexpr double enough = 0.02;
  const double first = timed(world, runner);
  if (first < enough) timed(world, runner);
  std::vector<double> took;
  for (double sum = 0.; calibration::goes_on(took.size(), sum, enough);) {
    took.push_back(timed(world, runner));
    sum += took.back();
  }
  return median(took);
}

void predict(const World& world, int rounds, const std::vector<Problem>& problems) {
  std::vector<Plan> plans;
  for (const Problem& problem : problems) plans.push_back(plans_of(world, problem, 1).front());
  std::vector<std::vector<double>> took(problems.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      // Large ones take long, and average by themselves.
      if (round % 3 != 0 && plans[i].problem().elements() > (Index{1} << 24)) continue;
      took[i].push_back(burst(world, *runner_of(world, plans[i])));
    }
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    PriceOptions options;
    options.ranks_per_node = world.communicator->ranks_on_node;
    const PlanCost cost = price(plans[i], *world.machine, options);
    const auto most = std::max_element(took[i].begin(), took[i].end());
    say(world, {{"problem", plans[i].problem().to_text()},
                {"axes", plans[i].problem().shape.size()},
                {"elements", plans[i].problem().elements()},
                {"ranks", world.communicator->size},
                {"ranks_per_node", world.communicator->ranks_on_node},
                {"predicted_s", cost.total.total()},
                {"measured_s", least(took[i])},
                {"median_s", median(took[i])},
                {"most_s", *most},
                {"exchanges", plans[i].exchanges()},
                {"binds", cost.total.binds()},
                {"spread", cost.spread},
                {"beyond", cost.beyond}});
  }
}

/// A quarter of the runs took less: neighbours of the machine make runs longer, and a quarter of
/// them is left alone.
double quarter(std::vector<double> took) {
  std::sort(took.begin(), took.end());
  return took[took.size() / 4];
}

/// The best of all plans is chosen on odd rounds and timed on even ones, so that noise does not
/// choose it. The taken plan's own odd and even rounds, against each other, show what is noise.
void regret(const World& world, int rounds, const std::vector<Problem>& problems) {
  constexpr std::size_t most_plans = 12;
  std::mt19937 shuffler(7);
  for (const Problem& problem : problems) {
    const std::vector<Plan> plans = plans_of(world, problem, most_plans);
    std::vector<std::unique_ptr<Runner>> runners;
    std::vector<std::size_t> order;
    for (const Plan& plan : plans) {
      order.push_back(runners.size());
      runners.push_back(runner_of(world, plan));
    }
    std::vector<std::vector<double>> odd(plans.size());
    std::vector<std::vector<double>> even(plans.size());
    timed(world, *runners.front());
    constexpr double enough = 0.5;  // seconds of each plan
    const int times = static_cast<int>(
        std::clamp(enough / timed(world, *runners.front()), 2. * rounds, 20. * rounds));
    for (int round = -2; round < times; ++round) {
      std::shuffle(order.begin(), order.end(), shuffler);
      for (const std::size_t p : order) {
        const double once = timed(world, *runners[p]);
        if (round >= 0) (round % 2 == 1 ? odd : even)[p].push_back(once);
      }
    }
    std::size_t best = 0;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      if (quarter(odd[p]) < quarter(odd[best])) best = p;
    }
    const double taken = quarter(even.front());
    say(world, {{"problem", problem.to_text()},
                {"ranks", world.communicator->size},
                {"ranks_per_node", world.communicator->ranks_on_node},
                {"plans", plans.size()},
                {"best", best},
                {"regret", taken / quarter(even[best])},
                {"noise", quarter(odd.front()) / taken},
                {"taken_s", taken}});
  }
}

int run(int argc, char** argv) {
  World world;
  world.communicator = comm::Communicator::of(MPI_COMM_WORLD);
  if (argc < 5) {
    if (world.speaks()) {
      fmt::print(stderr, "kallima_prediction predict|regret MACHINE ROUNDS PROBLEM...\n");
    }
    return 2;
  }
  world.machine = std::make_shared<const Machine>(find_machine(argv[2]));
  const int rounds = std::stoi(argv[3]);
  std::vector<Problem> problems;
  for (int i = 4; i < argc; ++i) problems.push_back(Problem::parse(argv[i]));
  if (std::string(argv[1]) == "regret") {
    regret(world, rounds, problems);
  } else {
    predict(world, rounds, problems);
  }
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_prediction", kallima::bench::run);
}

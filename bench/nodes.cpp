// SPDX-License-Identifier: BSD-3-Clause
//
// The same plan by messages between ranks, by messages between nodes, where nodes have several
// ranks, and by Bruck's algorithm, in turns.
//
//     mpirun kallima_nodes ROUNDS PROBLEM...
//
// Prints a table: messages and bytes of one run, as counted, of all ranks together; medians, with
// the quarter and three quarters of the runs; and their ratio to messages between ranks. A run
// takes as long as its slowest rank. Collective throughout; errors abort.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/request.hpp"
#include "base/median.hpp"
#include "bench/runner.hpp"
#include "comm/agreement.hpp"
#include "exchange/bruck_rounds.hpp"
#include "exchange/node_layout.hpp"
#include "kallima/planner.hpp"
#include "planner/radix.hpp"

namespace kallima::bench {
namespace {

/// The cheapest plan by messages in one piece, as rank 0 has it.
Plan plan_of(const World& world, const std::string& problem) {
  std::string text;
  if (world.speaks()) {
    PlanRequest request;
    request.problem = Problem::parse(problem);
    request.ranks = world.communicator->size;
    request.method = ExchangeMethod::point_to_point;
    request.chunks = 1;
    text = make_plan(placed(request, {}, *world.communicator)).to_text();
  }
  return Plan::parse(comm::broadcast(*world.communicator, text));
}

Index total(const World& world, Index mine) {
  Index sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, world.communicator->comm);
  return sum;
}

std::string micro(double seconds) { return fmt::format("{:.0f}", 1e6 * seconds); }

/// A median and what half of the runs took.
std::string spread(std::vector<double> took) {
  std::sort(took.begin(), took.end());
  return fmt::format("{} ({}-{})", micro(median(took)), micro(took[took.size() / 4]),
                     micro(took[3 * took.size() / 4]));
}

/// A way to carry the same plan, and what was seen of it.
struct Carried {
  std::string by;
  std::unique_ptr<Runner> runner;
  Index messages = 0;
  Index bytes = 0;
  std::vector<double> took;
};

/// Ranks of the largest group that exchanges.
Index most_peers(const Plan& plan) {
  Index peers = 0;
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange != nullptr) peers = std::max(peers, exchange->traffic.most_messages_sent);
  }
  return peers + 1;
}

void compare(const World& world, int rounds, const std::string& problem) {
  const Plan by_ranks = plan_of(world, problem);
  std::vector<Carried> ways;
  const auto add = [&](const std::string& by, const Plan& plan) {
    ways.push_back({by, runner_of(world, plan), 0, 0, {}});
  };
  add("ranks", by_ranks);
  const Plan by_node = by_ranks.with_method(ExchangeMethod::node_aggregated);
  if (by_node.goes_by(ExchangeMethod::node_aggregated) && node_map(by_node).per_node > 1)
    add("nodes", by_node);
  for (const Index radix : {2, 3, 4}) {
    if (radix < most_peers(by_ranks)) {
      add(fmt::format("Bruck, radix {}", radix), by_bruck(by_ranks, radix));
    }
  }
  for (Carried& way : ways) {
    way.runner->run();
    way.messages = total(world, way.runner->statistics().messages_sent);
    way.bytes = total(world, way.runner->statistics().bytes_sent);
    for (int again = 0; again < 3; ++again) timed(world, *way.runner);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Carried& way : ways) way.took.push_back(timed(world, *way.runner));
  }
  if (!world.speaks()) return;
  for (const Carried& way : ways) {
    fmt::print("{:<10} {:<16} {:>8} {:>11} {:>22} {:>6.2f}\n", problem, way.by, way.messages,
               way.bytes / std::max<Index>(1, way.messages), spread(way.took),
               median(way.took) / median(ways.front().took));
  }
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  World world;
  world.communicator = comm::Communicator::of(MPI_COMM_WORLD);
  if (argc < 3) {
    if (world.speaks()) fmt::print(stderr, "usage: kallima_nodes ROUNDS PROBLEM...\n");
    return 2;
  }
  if (world.speaks()) {
    fmt::print("{} ranks, {} a node; us\n", world.communicator->size,
               world.communicator->ranks_per_node);
    fmt::print("{:<10} {:<16} {:>8} {:>11} {:>22} {:>6}\n", "problem", "by", "messages",
               "bytes each", "median (half of them)", "ratio");
  }
  for (int i = 2; i < argc; ++i) compare(world, std::stoi(argv[1]), argv[i]);
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_nodes", kallima::bench::run);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The same plan by messages between ranks and by messages between nodes, in turns, where nodes have
// several ranks.
//
//     mpirun kallima_nodes ROUNDS PROBLEM...
//
// Prints a table: messages and bytes of one run, as counted, of all ranks together; medians, with
// the quarter and three quarters of the runs; and their ratio. A run takes as long as its slowest
// rank. Collective throughout; errors abort.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/median.hpp"
#include "bench/runner.hpp"
#include "kallima/planner.hpp"
#include "plan/nodes.hpp"
#include "transform/ask.hpp"
#include "transport/agreement.hpp"

namespace kallima::bench {
namespace {

/// The cheapest plan by messages in one piece, as rank 0 has it.
Plan plan_of(const World& world, const std::string& problem) {
  std::string text;
  if (world.speaks()) {
    PlanRequest request;
    request.problem = Problem::parse(problem);
    request.ranks = world.communicator->size;
    request.route = Route::messages;
    request.chunks = 1;
    text = make_plan(placed(request, {}, *world.communicator)).to_text();
  }
  return Plan::parse(transport::broadcast(*world.communicator, text));
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

void compare(const World& world, int rounds, const std::string& problem) {
  const Plan by_ranks = plan_of(world, problem);
  const Plan by_node = by_ranks.with_route(Route::nodes);
  if (!by_nodes(by_node)) return;
  const std::array runners = {runner_of(world, by_ranks), runner_of(world, by_node)};
  std::array<Index, 2> messages{};
  std::array<Index, 2> bytes{};
  std::array<std::vector<double>, 2> took;
  for (std::size_t i = 0; i < 2; ++i) {
    runners[i]->run();
    messages[i] = total(world, runners[i]->moved().messages_sent);
    bytes[i] = total(world, runners[i]->moved().bytes_sent);
    for (int again = 0; again < 3; ++again) timed(world, *runners[i]);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < 2; ++i) took[i].push_back(timed(world, *runners[i]));
  }
  if (!world.speaks()) return;
  fmt::print("{:<16} {:>5} {:>9} {:>5} {:>9} {:>22} {:>22} {:>6.2f}\n", problem, messages[0],
             bytes[0] / std::max<Index>(1, messages[0]), messages[1],
             bytes[1] / std::max<Index>(1, messages[1]), spread(took[0]), spread(took[1]),
             median(took[1]) / median(took[0]));
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  World world;
  world.communicator = transport::Communicator::of(MPI_COMM_WORLD);
  if (argc < 3) {
    if (world.speaks()) fmt::print(stderr, "usage: kallima_nodes ROUNDS PROBLEM...\n");
    return 2;
  }
  if (world.speaks()) {
    fmt::print("{} ranks, {} a node; us\n", world.communicator->size,
               world.communicator->ranks_per_node);
    fmt::print("{:<16} {:>15} {:>15} {:>22} {:>22} {:>6}\n", "", "by ranks", "by nodes", "by ranks",
               "by nodes", "ratio");
    fmt::print("{:<16} {:>5} {:>9} {:>5} {:>9} {:>22} {:>22}\n", "problem", "msgs", "bytes each",
               "msgs", "bytes each", "median (half of them)", "median (half of them)");
  }
  for (int i = 2; i < argc; ++i) compare(world, std::stoi(argv[1]), argv[i]);
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_nodes", kallima::bench::run);
}

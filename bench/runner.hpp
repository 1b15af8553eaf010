// SPDX-License-Identifier: BSD-3-Clause
//
// What programs that measure many transforms in one launch have in common.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "comm/communicator.hpp"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"
#include "kallima/transform.hpp"

namespace kallima::bench {

using Json = nlohmann::ordered_json;

/// All ranks, and what plans are priced on.
struct World {
  std::shared_ptr<const comm::Communicator> communicator;
  std::shared_ptr<const Machine> machine;

  [[nodiscard]] bool speaks() const { return communicator->rank == 0; }
};

/// A plan, made ready to run. Collective.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void run() = 0;
  /// What this rank has moved in all runs, where that is counted.
  [[nodiscard]] virtual CommStatistics statistics() const { return {}; }
};

/// Out of place, of c2c or r2c.
std::unique_ptr<Runner> runner_of(const World& world, const Plan& plan);

/// Seconds of one run, of the slowest rank. Collective.
double timed(const World& world, Runner& runner);

/// Starts MPI, runs, ends MPI; an error aborts all ranks, by the program's name.
int under_mpi(int argc, char** argv, const char* name, int (*run)(int, char**));

/// The plans that rank 0 has. Collective.
std::vector<Plan> of_rank_0(const World& world, const std::vector<Plan>& plans);

/// Prints one object on a line, on one rank.
void say(const World& world, const Json& line);

}  // namespace kallima::bench

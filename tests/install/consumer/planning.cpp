// SPDX-License-Identifier: BSD-3-Clause
//
// Plans and prices for a machine that is not here, without MPI.
#include <kallima/machine.hpp>
#include <kallima/planner.hpp>
#include <kallima/price.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  kallima::PlanRequest request;
  request.problem = kallima::Problem::parse("r2c:512^3");
  request.ranks = 1024;
  if (argc > 1)
    request.machine = std::make_shared<kallima::Machine>(kallima::find_machine(argv[1]));
  const kallima::Plan plan = kallima::make_plan(request);
  const kallima::PlanCost cost = kallima::price(plan, kallima::built_in_machine());
  std::printf("%s%.3g seconds\n", plan.to_text().c_str(), cost.total.total());
  return cost.total.total() > 0. ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Bitonic sort as a plan. Keys lie in blocks of m over p ranks: with x = m x1 + x0, digit x1 is the
// rank. Every rank sorts its own, rising and falling by turns. Then for blocks of 2, 4, ..., p
// ranks: an exchange makes x1 whole on every rank, where the butterflies between ranks are lines; a
// second one leads back, where the butterflies inside a rank are one line. So there are 2 log p
// exchanges, and each moves all keys but those that stay.
//
// Rejected: an exchange per butterfly between two ranks, of which there are log p (log p + 1) / 2.
// For 2 ranks it is one instead of two that move half as much each; from 8 ranks on it moves more.
#include "planner/bitonic.hpp"

#include <algorithm>
#include <bit>

#include "planner/pipeline.hpp"
#include "planner/sweep.hpp"
#include "steps/digits.hpp"

namespace kallima {

Index sorting_ranks(Index n, Index ranks) {
  Index result = 1;
  while (2 * result <= ranks && 4 * result * result <= n) result *= 2;
  return result;
}

Plan bitonic_plan(const PlanRequest& request) {
  const Index n = request.problem.shape[0];
  const Index procs = sorting_ranks(n, request.ranks);
  const Layout start = Layout::block({n}, {procs});
  std::vector<Step> steps;
  if (procs == 1) {
    steps.emplace_back(line_sweep(request, Kernel::compare, start, 0));
    return {request.problem, Direction::forward, request.ranks, request.placement, start, steps};
  }
  const Index mine = n / procs;
  const std::vector<Digit> digits{{0, mine, DigitKind::position}, {0, 1, DigitKind::position}};
  const Layout blocks = Layout::block({procs, mine}, {procs, 1});
  const Layout across = Layout::block({procs, mine}, {1, procs});
  const bool one_node = request.placement.ranks_per_node >= request.ranks;
  const ExchangeMethod any =
      one_node ? ExchangeMethod::shared_memory : ExchangeMethod::point_to_point;
  const ExchangeMethod method = request.method == ExchangeMethod::any ? any : request.method;
  const auto sweep = [&](const Layout& layout, std::size_t digit) {
    steps.emplace_back(line_sweep(request, Kernel::compare, layout, digit));
  };
  steps.emplace_back(Regroup{digits, blocks});
  sweep(blocks, 1);
  for (Index merged = 2; merged <= procs; merged *= 2) {
    steps.emplace_back(Exchange{across, method});
    sweep(across, 0);
    steps.emplace_back(Exchange{blocks, method});
    sweep(blocks, 1);
  }
  steps.emplace_back(Regroup{start_digits(request.problem, Direction::forward), start});
  const Plan plan(request.problem, Direction::forward, request.ranks, request.placement, start,
                  steps);
  const Machine machine = request.machine ? *request.machine : built_in_machine();
  return pipelined(plan, machine, request.chunks).value_or(plan);
}

}  // namespace kallima

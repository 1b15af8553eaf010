// SPDX-License-Identifier: BSD-3-Clause
//
// Which step of a bitonic sort a sweep of its plan is: the first sorts; then, for blocks of 2, 4,
// ... ranks, one merges between ranks and one inside of them, see planner/bitonic.cpp.
#include "extras/bitonic.hpp"

#include "exec/instantiate.hpp"

namespace kallima::exec {

int Operation<Bitonic>::sign(const Plan& plan, int step, Index rank) {
  int before = 0;
  for (int i = 0; i < step; ++i) {
    const bool sweeps = std::holds_alternative<Sweep>(plan.steps()[static_cast<std::size_t>(i)]);
    before += sweeps ? 1 : 0;
  }
  const State& state = plan.states()[static_cast<std::size_t>(step)];
  const int stage = (before + 1) / 2;
  extras::SortStep here;
  here.sorts = before == 0;
  if (before % 2 == 1) {
    here.block = Index{1} << stage;
  } else {
    here.block = state.layout.shape().back();
    const Index block = state.digits.size() == 1 ? 0 : state.layout.local_indices(rank, 0).first;
    here.descending = (block >> stage & 1) != 0;
  }
  return here.code();
}

}  // namespace kallima::exec

KALLIMA_INSTANTIATE_EXECUTION(kallima::Bitonic);

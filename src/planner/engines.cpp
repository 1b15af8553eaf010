// SPDX-License-Identifier: BSD-3-Clause
//
// Which engine transforms the lines of each sweep: by price, once the plan is made, since what a
// sweep takes depends on all arrays that its rank goes through. Engines change neither layouts nor
// tiles. A sweep of its own may have another engine than the next; two in one pass have that which
// is cheaper for both.
#include "planner/engines.hpp"

#include "cost/engine.hpp"

namespace kallima {

Plan by_cheaper_engines(const Plan& plan, const Machine& machine) {
  Plan result = plan;
  for (const std::size_t step : faster_by_fftw(plan, machine)) {
    result = result.with_engine(step, LineEngine::fftw);
  }
  return result;
}

Plan by_engine(const Plan& plan, LineEngine engine) {
  Plan result = plan;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    if (plan.sweep_at(step) != nullptr) result = result.with_engine(step, engine);
  }
  return result;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "tuning.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "api/request.hpp"
#include "base/text.hpp"
#include "comm/agreement.hpp"
#include "kallima/plan_wisdom.hpp"
#include "kallima/tune.hpp"
#include "table.hpp"

namespace kallima::cli {

namespace {

TunedPlan tuned(const Session& session, const Task& task) {
  const Problem& problem = task.request.problem;
  const Options options = options_for(task);
  return problem.precision == Precision::f32
             ? tune<float>(session.comm, problem.kind, problem.shape, options)
             : tune<double>(session.comm, problem.kind, problem.shape, options);
}

std::string table_of(const TunedPlan& tuned) {
  std::vector<std::vector<std::string>> rows = {
      {"plan", "exchanges", "priced", "measured", "measured/priced", "input layout"}};
  for (std::size_t i = 0; i < tuned.tried.size(); ++i) {
    const TriedPlan& tried = tuned.tried[i];
    rows.push_back({fmt::format("{}{}", i + 1, i == tuned.fastest ? " fastest" : ""),
                    fmt::format("{}", tried.plan.exchanges()), duration(tried.priced),
                    duration(tried.measured), fmt::format("{:.2f}", tried.measured / tried.priced),
                    tried.plan.states().front().summary()});
  }
  return table(rows);
}

}  // namespace

std::string tune_into(const Session& session, const Task& task) {
  const TunedPlan result = tuned(session, task);
  agree(*comm::Communicator::of(session.comm), comm::Verdict::of([&] {
    if (session.speaks()) save_plan_wisdom(task.plans, result.wisdom);
  }));
  return fmt::format(
      "tuned {} among {}\n{}the fastest is remembered in {}\n\n", task.request.problem.to_text(),
      text::plural(static_cast<Index>(result.tried.size()), "plan"), table_of(result), task.plans);
}

bool has_plans(const Session& session, const Task& task) {
  const auto communicator = comm::Communicator::of(session.comm);
  int readable = 1;
  if (session.speaks()) {
    std::string warning;
    const PlanWisdom wisdom = load_plan_wisdom(task.plans, warning);
    readable = warning.empty() ? 1 : 0;
    const PlanRequest request = placed(task.request, options_for(task), *communicator);
    if (warning.empty() && !wisdom.find(request, *request.machine)) {
      warning = fmt::format("{} has no plan for this on this machine; --tune-into {} finds one",
                            task.plans, task.plans);
    }
    if (!warning.empty()) fmt::print(stderr, "kallima: {}\n", warning);
  }
  MPI_Bcast(&readable, 1, MPI_INT, 0, session.comm);
  return readable == 1;
}

}  // namespace kallima::cli

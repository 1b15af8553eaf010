// SPDX-License-Identifier: BSD-3-Clause
#include "api/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

/// Microseconds: steps take from a few of them to seconds, and columns are to be compared.
std::string micros(double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); }

std::string row(const std::string& what, const Cost& cost, double took) {
  const std::string measured = took > 0. ? micros(took) : "-";
  const std::string ratio = took > 0. ? fmt::format("{:.2f}", cost.total() / took) : "-";
  return fmt::format("{:<28}  {:>12}  {:>12}  {:>5}  {}\n", what, micros(cost.total()), measured,
                     ratio, cost.binds());
}

}  // namespace

std::string explained(const Machine& machine, const PlanCost& cost, const Timings& took) {
  const std::string runs =
      took.runs > 0 ? fmt::format("measured as the median of {}", text::plural(took.runs, "run"))
                    : "nothing measured yet: it has not run";
  std::string text = fmt::format("priced on machine {}, {}\n", machine->name, runs);
  text += fmt::format("{:<28}  {:>12}  {:>12}  {:>5}  {}\n", "step", "priced us", "measured us",
                      "ratio", "what binds");
  double sum = 0.;
  for (std::size_t i = 0; i < cost.steps.size(); ++i) {
    const double measured = i < took.stages.size() ? took.stages[i] : 0.;
    sum += measured;
    text += row(cost.steps[i].what, cost.steps[i].cost, measured);
  }
  text += row("total", cost.total, sum);
  for (const std::string& what : cost.beyond) {
    text += fmt::format("beyond what was calibrated or is there: {}\n", what);
  }
  return text;
}

}  // namespace kallima

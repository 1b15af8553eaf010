// SPDX-License-Identifier: BSD-3-Clause
#include "api/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "exchange/method.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

/// Microseconds: steps take from a few of them to seconds, and columns are to be compared.
std::string micros(double seconds) { return fmt::format("{:.1f}", 1e6 * seconds); }

std::string row(const std::string& what, const Cost& cost, double took, double copy) {
  const std::string measured = took > 0. ? micros(took) : "-";
  const std::string ratio = took > 0. ? fmt::format("{:.2f}", cost.total() / took) : "-";
  const std::string copies = copy > 0. ? fmt::format("{:>6.2f}  ", took / copy) : "";
  return fmt::format("{:<28}  {:>12}  {:>12}  {:>5}  {}{}\n", what, micros(cost.total()), measured,
                     ratio, copies, cost.binds());
}

/// Figures that nobody measured, of those that the price is made of; empty where there are none.
std::string assumed(const Machine& machine, const PlanCost& cost) {
  std::vector<std::string> what;
  const auto all = machine->sources.find("all");
  if (all != machine->sources.end() && all->second.starts_with("assumed")) {
    what.emplace_back("cores and memory");
  }
  const auto note = [&](const Link& link, const char* where, bool used) {
    if (used && !link.assumed.empty()) what.push_back(fmt::format("{} ({})", where, link.assumed));
  };
  Index between = 0;
  for (const StepCost& step : cost.steps) between += step.messages_between;
  note(machine->in_node, "messages within a node", cost.messages() > between);
  note(machine->between_nodes, "messages between nodes", between > 0);
  if (what.empty()) return {};
  return fmt::format("assumed, not measured: {}; `kallima calibrate` measures them\n",
                     fmt::join(what, ", "));
}

}  // namespace

std::string explained(const Machine& machine, const PlanCost& cost, const Timings& took,
                      double copy) {
  const std::string runs =
      took.runs > 0 ? fmt::format("measured as the median of {}", text::plural(took.runs, "run"))
                    : "nothing measured yet: it has not run";
  std::string text =
      fmt::format("priced on machine {}, {}\n{}", machine->name, runs, assumed(machine, cost));
  text += fmt::format("{:<28}  {:>12}  {:>12}  {:>5}  {}{}\n", "step", "priced us", "measured us",
                      "ratio", copy > 0. ? "copies  " : "", "what binds");
  double sum = 0.;
  for (std::size_t i = 0; i < cost.steps.size(); ++i) {
    const double measured = i < took.stages.size() ? took.stages[i] : 0.;
    sum += measured;
    text += row(cost.steps[i].what, cost.steps[i].cost, measured, copy);
  }
  text += row("total", cost.total, sum, copy);
  for (const std::string& what : cost.beyond) {
    text += fmt::format("beyond what was calibrated or is there: {}\n", what);
  }
  return text;
}

std::string manner_of(const Plan& plan) {
  std::vector<std::string> ways;
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange == nullptr) continue;
    std::string way(name_of(exchange->method));
    if (exchange->chunks.parts() > 1) {
      way += fmt::format(" in {} x {} chunks", exchange->chunks.sent, exchange->chunks.taken);
    }
    if (ways.empty() || ways.back() != way) ways.push_back(std::move(way));
  }
  return ways.empty() ? "no exchange" : fmt::format("{}", fmt::join(ways, ", then "));
}

std::string learned_text(const std::vector<LearnedPlan>& plans, Index runs, bool done) {
  if (plans.empty()) return {};
  std::string text = done ? fmt::format("\nlearned in {}; * stays\n", text::plural(runs, "run"))
                          : fmt::format("\nlearning, {} so far\n", text::plural(runs, "run"));
  for (const LearnedPlan& each : plans) {
    text +=
        fmt::format("{} {:<46}  {:>12}\n", done && each.chosen ? '*' : ' ', manner_of(each.plan),
                    each.seconds > 0. ? micros(each.seconds) + " us" : "-");
  }
  return text;
}

}  // namespace kallima

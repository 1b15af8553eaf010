// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima predict`: what a transform will cost on any number of ranks, on this machine or one that
// is not here. Never starts MPI.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "chart/chart.hpp"
#include "command.hpp"
#include "kallima/planner.hpp"
#include "machine/figures.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "problem_arguments.hpp"
#include "rank_range.hpp"
#include "schedule/schedule.hpp"
#include "session.hpp"
#include "steps/digits.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PredictArguments {
  ProblemArguments what;
  MachineArguments on;
  std::string ranks;
  Model model = Model::loggp;
  std::string plot;
  bool json = false;
};

constexpr const char* predict_examples = R"(
RANGE: 64, or 1..1024: the powers of two between, and the ends; at most 64 points.

Examples:
  kallima predict c2c:512^3 -n 1..4096
  kallima predict c2c:512^3 -n 1..64 --machine here.toml --plot scaling.svg
  kallima predict c2c:32768^3 -n 1..1048576 --machine frontier)";

/// What is predicted for one number of ranks.
struct Point {
  Index ranks = 1;
  Plan plan;
  PlanCost cost;
  Index memory = 0;  ///< bytes of input, output and workspace of the rank that needs most
  std::optional<double> one_exchange;    ///< seconds of the cheapest plan with a single one
  std::optional<double> more_exchanges;  ///< likewise with more
};

Index memory_of(const Plan& plan) {
  const Index bytes = Element{true, plan.problem().precision}.bytes();
  const auto room = [](const State& state) {
    return in_complex(state.layout.largest_allocated_size(), state.element);
  };
  const Workspace need = largest_workspace(plan, schedule(plan, false));
  return (room(plan.states().front()) + room(plan.states().back()) + need.elements()) * bytes;
}

Point predicted(const PredictArguments& arguments, const std::shared_ptr<const Machine>& machine,
                Index ranks) {
  PlanRequest request = arguments.what.request(ranks, machine);
  request.placement = arguments.on.placement(*machine, ranks);
  PriceOptions options;
  options.model = arguments.model;
  const bool back = arguments.what.is_way_back();
  Point point;
  point.ranks = ranks;
  std::optional<double> best;
  for (const NamedPlan& named : compared_plans(request)) {
    const Plan plan = back ? named.plan.reversed() : named.plan;
    const bool again = back || options.model != Model::loggp;
    const PlanCost cost = again ? price(plan, *machine, options) : named.cost;
    const double seconds = cost.total.total();
    if (plan.exchanges() > 0) {
      auto& kind = plan.exchanges() == 1 ? point.one_exchange : point.more_exchanges;
      if (!kind || seconds < *kind) kind = seconds;
    }
    if (best && seconds >= *best) continue;
    best = seconds;
    point.plan = plan;
    point.cost = cost;
  }
  point.memory = memory_of(point.plan);
  return point;
}

/// Ranks from which on more than one exchange is cheaper, between two points: where the logarithm
/// of the ratio of both prices, taken as a straight line, is zero.
struct Crossover {
  Index below = 0;
  Index above = 0;
  double at = 0.;
};

std::optional<Crossover> crossover(const std::vector<Point>& points) {
  const Point* before = nullptr;
  for (const Point& point : points) {
    if (!point.one_exchange || !point.more_exchanges) continue;
    const auto ratio = [](const Point& here) {
      return std::log(*here.one_exchange / *here.more_exchanges);
    };
    if (before != nullptr && ratio(*before) <= 0. && ratio(point) > 0.) {
      const double low = std::log(static_cast<double>(before->ranks));
      const double high = std::log(static_cast<double>(point.ranks));
      const double part = -ratio(*before) / (ratio(point) - ratio(*before));
      return Crossover{before->ranks, point.ranks, std::exp(low + part * (high - low))};
    }
    before = &point;
  }
  return std::nullopt;
}

std::string crossover_text(const std::vector<Point>& points) {
  if (const std::optional<Crossover> found = crossover(points)) {
    return fmt::format(
        "Plans with one exchange are cheapest up to {} ranks, those with two or more, each among "
        "fewer ranks, from {} on; "
        "both cost the same at about {:.0f}.\n",
        text::grouped(found->below), text::grouped(found->above), found->at);
  }
  const auto both = [](const Point& point) { return point.one_exchange && point.more_exchanges; };
  const auto last = std::find_if(points.rbegin(), points.rend(), both);
  if (last == points.rend()) return {};
  return *last->one_exchange <= *last->more_exchanges
             ? fmt::format(
                   "Plans with one exchange are cheapest at every rank count that has them, up to "
                   "{}.\n",
                   text::grouped(last->ranks))
             : "Plans with two or more exchanges, each among fewer ranks, are cheapest "
               "throughout.\n";
}

std::string table_text(const std::vector<Point>& points) {
  std::vector<std::vector<std::string>> rows = {{"ranks", "time", "between", "", "speed-up",
                                                 "memory a rank", "bytes moved", "exchanges",
                                                 "binds", "input layout"}};
  const double first = points.front().cost.total.total();
  bool beyond = false;
  for (const Point& point : points) {
    const double seconds = point.cost.total.total();
    const double spread = point.cost.spread;
    const bool marked = !point.cost.beyond.empty();
    beyond = beyond || marked;
    rows.push_back({text::grouped(point.ranks), duration(seconds) + (marked ? " *" : "  "),
                    duration(seconds * (1. - spread)), duration(seconds * (1. + spread)),
                    fmt::format("{:.1f}", first / seconds), text::bytes(point.memory),
                    text::bytes(point.cost.bytes()), text::grouped(point.plan.exchanges()),
                    std::string(point.cost.total.binds()), point.plan.input().summary()});
  }
  std::string text = table(rows);
  if (!beyond) return text;
  std::vector<std::string> what;
  for (const Point& point : points) {
    for (const std::string& one : point.cost.beyond) {
      const std::string kind = one.substr(0, one.find_first_of("0123456789") - 1);
      if (std::find(what.begin(), what.end(), kind) == what.end()) what.push_back(kind);
    }
  }
  return text +
         fmt::format("* beyond what was calibrated or is there: {}\n", fmt::join(what, "; "));
}

Json cost_json(const Cost& cost) {
  return {{"latency_s", cost.latency},
          {"bandwidth_s", cost.bandwidth},
          {"memory_s", cost.memory},
          {"compute_s", cost.compute},
          {"hidden_s", cost.hidden}};
}

Json points_json(const PredictArguments& arguments, const Machine& machine,
                 const std::vector<Point>& points) {
  Json list = Json::array();
  for (const Point& point : points) {
    list.push_back({{"ranks", point.ranks},
                    {"seconds", point.cost.total.total()},
                    {"spread", point.cost.spread},
                    {"parts", cost_json(point.cost.total)},
                    {"binds", point.cost.total.binds()},
                    {"memory_bytes", point.memory},
                    {"bytes", point.cost.bytes()},
                    {"messages", point.cost.messages()},
                    {"exchanges", point.plan.exchanges()},
                    {"layout_in", point.plan.input().to_text()},
                    {"layout_out", point.plan.output().to_text()},
                    {"plan", text::hex(point.plan.hash())},
                    {"beyond", point.cost.beyond}});
  }
  const std::optional<Crossover> found = crossover(points);
  return {{"schema", "kallima.predict/2"},
          {"problem", points.front().plan.problem().to_text()},
          {"machine", machine->name},
          {"machine_hash", text::hex(machine.hash())},
          {"model", name_of(arguments.model)},
          {"crossover_ranks", found ? Json(found->at) : Json()},
          {"accelerators", machine->node.accelerators},
          {"assumed", assumed_figures(machine)},
          {"points", std::move(list)}};
}

void plot(const std::vector<Point>& points, const Machine& machine, const std::string& path) {
  Chart time =
      logarithmic(fmt::format("{} on {}", points.front().plan.problem().to_text(), machine->name),
                  "ranks", "seconds");
  Chart parts = logarithmic("What the time is made of", "ranks", "seconds");
  Chart speed = logarithmic("Speed-up", "ranks", "times the first");
  Chart memory = logarithmic("Memory a rank", "ranks", "bytes");
  Series total{"predicted", {}, {}, {}, {}, true, true, false};
  Series ideal{"ideal", {}, {}, {}, {}, true, false, true};
  Series faster{"predicted", {}, {}, {}, {}, true, true, false};
  Series bytes{"input, output, workspace", {}, {}, {}, {}, true, true, false};
  std::vector<Series> kinds(4);
  const std::array<const char*, 4> names = {"latency", "bandwidth", "memory", "compute"};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].name = names[i];
  const double first = points.front().cost.total.total();
  for (const Point& point : points) {
    const auto ranks = static_cast<double>(point.ranks);
    const Cost& cost = point.cost.total;
    total.x.push_back(ranks);
    total.y.push_back(cost.total());
    total.low.push_back(cost.total() * (1. - point.cost.spread));
    total.high.push_back(cost.total() * (1. + point.cost.spread));
    ideal.x.push_back(ranks);
    ideal.y.push_back(ranks / static_cast<double>(points.front().ranks));
    faster.x.push_back(ranks);
    faster.y.push_back(first / cost.total());
    bytes.x.push_back(ranks);
    bytes.y.push_back(static_cast<double>(point.memory));
    const std::array<double, 4> values = {cost.latency, cost.bandwidth, cost.memory, cost.compute};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      kinds[i].x.push_back(ranks);
      kinds[i].y.push_back(values[i]);
    }
  }
  if (const std::optional<Crossover> found = crossover(points)) {
    time.marks.push_back({found->at, "more exchanges from here on"});
  }
  time.series = {std::move(total)};
  parts.series = std::move(kinds);
  speed.series = {std::move(faster), std::move(ideal)};
  memory.series = {std::move(bytes)};
  draw({time, parts, speed, memory}, path);
}

std::string report(const PredictArguments& arguments) {
  const std::shared_ptr<const Machine> machine = arguments.on.machine();
  std::vector<Point> points;
  Progress progress(launched_rank() == 0);
  for (const Index ranks : ranks_in(arguments.ranks)) {
    progress.show(fmt::format("predicting for {} ranks", text::grouped(ranks)));
    points.push_back(predicted(arguments, machine, ranks));
  }
  progress.clear();
  if (!arguments.plot.empty() && launched_rank() == 0) plot(points, *machine, arguments.plot);
  if (arguments.json) return points_json(arguments, *machine, points).dump(2) + "\n";
  return fmt::format("{}, {}\n{}{}", points.front().plan.problem().to_text(), priced_on(*machine),
                     table_text(points), crossover_text(points));
}

}  // namespace

void add_predict(Command program, Report& chosen) {
  const auto arguments = std::make_shared<PredictArguments>();
  Command command = program.add_subcommand(
      "predict", "Say what a transform will cost on any number of ranks; no MPI");
  arguments->what.add_to(command);
  arguments->on.add_to(command);
  command.add_option("-n,--ranks", arguments->ranks, "Ranks, as in 64 or 1..1048576")
      .required()
      .type_name("RANGE");
  arguments->on.add_placement_to(command);
  command
      .add_choice<Model>("--model", arguments->model,
                         {{"loggp", Model::loggp},
                          {"alpha-beta", Model::alpha_beta},
                          {"logp", Model::logp},
                          {"bsp", Model::bsp}},
                         "How exchanges are priced")
      .type_name("MODEL");
  command.add_picture("--plot", arguments->plot, "Draw it");
  command.add_flag("--json", arguments->json, "Print one JSON object, schema kallima.predict/2");
  command.footer(problem_help() + predict_examples);
  command.callback([arguments, &chosen] { chosen = [arguments] { return report(*arguments); }; });
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima plan`: what would be done, on ranks that need not be there. Never starts MPI, so that it
// runs on a login node or a laptop.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "kallima/planner.hpp"
#include "machine/figures.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "problem_arguments.hpp"
#include "schedule/schedule.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  ProblemArguments what;
  MachineArguments on;
  std::string ranks;
  Index ranks_per_node = 0;
  bool all = false;
  bool json = false;
};

constexpr const char* plan_examples = R"(
Examples:
  kallima plan c2c:512^3 -n 64
  kallima plan c2c:1280x1280x1280 -n 96 --in slab --out same
  kallima plan c2c:256^3:f32 -n 8 --in brick:2x2x2 --out pencil:4x2
  kallima plan c2c:2^24 -n 16 --in x:cyclic/16 --out same
  kallima plan c2c:512^3 -n 64 --all
  kallima plan c2c:32768^3 -n 2^20 --json)";

Json step_json(const Plan& plan, std::size_t i) {
  const State& before = plan.states()[i];
  if (const auto* const sweep = std::get_if<Sweep>(&plan.steps()[i])) {
    if (sweep->kernel == Kernel::none) return {{"kind", "sweep"}, {"kernel", "none"}};
    if (is_chirp(sweep->kernel)) {
      return {{"kind", "sweep"},
              {"kernel", name_of(sweep->kernel)},
              {"digit", before.names()[0]},
              {"points", plan.points()}};
    }
    return {{"kind", "sweep"},
            {"kernel", name_of(sweep->kernel)},
            {"digit", before.names()[static_cast<std::size_t>(sweep->digit)]},
            {"lines", sweep->lines},
            {"form", sweep->form == TileForm::lines ? "lines" : "interleaved"},
            {"joined", sweep->joined}};
  }
  if (std::holds_alternative<Regroup>(plan.steps()[i])) {
    return {{"kind", "regroup"}, {"to", plan.states()[i + 1].to_text()}};
  }
  const auto& exchange = std::get<Exchange>(plan.steps()[i]);
  const Traffic moved = exchange.message_traffic();
  const Index bytes = before.element.bytes();
  return {{"kind", "exchange"},
          {"to", plan.states()[i + 1].to_text()},
          {"method", name_of(exchange.method)},
          {"chunks_sent", exchange.chunks.sent},
          {"chunks_taken", exchange.chunks.taken},
          {"bytes", moved.elements * bytes},
          {"messages", moved.messages},
          {"most_bytes_sent", moved.most_sent * bytes},
          {"most_bytes_received", moved.most_received * bytes},
          {"most_messages_sent", moved.most_messages_sent},
          {"most_messages_received", moved.most_messages_received}};
}

Json price_json(const Plan& plan, const Machine& machine) {
  const PlanCost cost = price(plan, machine);
  Json steps = Json::array();
  for (const StepCost& step : cost.steps) {
    steps.push_back({{"first", step.first},
                     {"steps", step.steps},
                     {"what", step.what},
                     {"seconds", step.cost.total()},
                     {"binds", step.cost.binds()},
                     {"bytes", step.bytes},
                     {"messages", step.messages},
                     {"bytes_between_nodes", step.bytes_between},
                     {"messages_between_nodes", step.messages_between}});
  }
  return {{"machine", machine->name},    {"seconds", cost.total.total()}, {"spread", cost.spread},
          {"binds", cost.total.binds()}, {"steps", std::move(steps)},     {"beyond", cost.beyond}};
}

Json plan_json(const Plan& plan, const Machine& machine) {
  const Index bytes = Element{true, plan.problem().precision}.bytes();  // of a workspace's element
  const CommVolume moved = plan.total_volume();
  const Schedule apart = schedule(plan, false);
  const Schedule in_place = schedule(plan, true);
  const Workspace apart_needs = largest_workspace(plan, apart);
  const Workspace in_place_needs = largest_workspace(plan, in_place);
  Json steps = Json::array();
  for (std::size_t i = 0; i < plan.steps().size(); ++i) steps.push_back(step_json(plan, i));
  return {{"schema", "kallima.plan/2"},
          {"problem", plan.problem().to_text()},
          {"direction", plan.direction() == Direction::forward ? "forward" : "backward"},
          {"ranks", plan.ranks()},
          {"ranks_per_node",
           plan.placement().ranks_per_node > 0 ? Json(plan.placement().ranks_per_node) : Json()},
          {"steps", std::move(steps)},
          {"layout_in", plan.input().to_text()},
          {"layout_out", plan.output().to_text()},
          {"exchanges", plan.exchanges()},
          {"bytes", moved.bytes},
          {"messages", moved.messages},
          {"passes", {{"out_of_place", apart.passes()}, {"in_place", in_place.passes()}}},
          {"workspace_bytes",
           {{"out_of_place", apart_needs.arrays() * bytes},
            {"in_place", in_place_needs.arrays() * bytes},
            {"tile", std::max(apart_needs.tile, in_place_needs.tile) * bytes},
            {"roots", apart_needs.roots * bytes}}},
          {"price", price_json(plan, machine)},
          {"hash", text::hex(plan.hash())}};
}

std::string picture(const std::string& title, const Layout& layout) {
  const char* const others = layout.axes() > 2 ? ", where the other axes are at 0" : "";
  return fmt::format("\n{}\n{}", heading(title + others), layout.picture());
}

/// What each step costs, and of what that is made.
std::string price_text(const Plan& plan, const Machine& machine) {
  const PlanCost cost = price(plan, machine);
  std::vector<std::vector<std::string>> rows = {
      {"step", "time", "latency", "bandwidth", "memory", "compute", "what binds"}};
  const bool hides = cost.total.hidden > 0.;
  if (hides) rows.front().insert(rows.front().end() - 1, "hidden");
  const auto part = [](double seconds) { return seconds > 0. ? duration(seconds) : "-"; };
  const auto add = [&](const std::string& what, const Cost& one) {
    rows.push_back({what, duration(one.total()), part(one.latency), part(one.bandwidth),
                    part(one.memory), part(one.compute), std::string(one.binds())});
    if (hides) rows.back().insert(rows.back().end() - 1, part(one.hidden));
  };
  for (const StepCost& step : cost.steps) add(step.what, step.cost);
  add("total", cost.total);
  std::string text = "\n" + priced_on(machine) + table(rows);
  for (const std::string& what : cost.beyond) {
    text += fmt::format("beyond what was calibrated or is there: {}\n", what);
  }
  return text;
}

std::string plan_text(const Plan& plan, const Machine& machine) {
  std::string text = plan.summary() + price_text(plan, machine);
  const bool same = plan.input() == plan.output();
  text += picture(same ? "Ranks that hold the input and the output" : "Ranks that hold the input",
                  plan.input());
  if (!same) text += picture("Ranks that hold the output", plan.output());
  return text;
}

/// All plans side by side, the one that would be taken first, then each in words.
std::string plans_text(const std::vector<NamedPlan>& plans, const Machine& machine) {
  std::vector<std::vector<std::string>> rows = {{"plan", "time", "exchanges", "bytes moved",
                                                 "messages", "busiest sends", "in messages",
                                                 "passes", "workspace", "largest array"}};
  for (const NamedPlan& named : plans) {
    const Plan& plan = named.plan;
    const Index bytes = Element{true, plan.problem().precision}.bytes();
    const CommVolume moved = plan.total_volume();
    const Schedule stages = schedule(plan, false);
    const Workspace need = largest_workspace(plan, stages);
    rows.push_back({std::string(name_of(named.decomposition)), duration(named.cost.total.total()),
                    text::grouped(plan.exchanges()), text::bytes(moved.bytes),
                    text::grouped(moved.messages), text::bytes(moved.most_bytes_sent),
                    text::grouped(moved.most_messages_sent), text::grouped(stages.passes()),
                    text::bytes(need.arrays() * bytes),
                    text::bytes(plan.largest_local_size() * bytes)});
  }
  std::string text = fmt::format("{}\n{}{}", heading("Every plan known; the first is taken"),
                                 priced_on(machine), table(rows));
  for (const NamedPlan& named : plans) {
    text += fmt::format("\n{}\n{}", heading(std::string(name_of(named.decomposition))),
                        named.plan.summary());
  }
  return text;
}

Json plans_json(const std::vector<NamedPlan>& plans, const Machine& machine) {
  Json list = Json::array();
  for (const NamedPlan& named : plans) {
    Json entry = plan_json(named.plan, machine);
    entry["decomposition"] = name_of(named.decomposition);
    list.push_back(std::move(entry));
  }
  return {{"schema", "kallima.plans/2"}, {"plans", std::move(list)}};
}

std::string answer(const PlanArguments& arguments, const PlanRequest& request) {
  const bool back = arguments.what.is_way_back();
  const Machine& machine = *request.machine;
  if (arguments.all) {
    std::vector<NamedPlan> plans = all_plans(request);
    for (NamedPlan& named : plans) {
      if (!back) continue;
      named.plan = named.plan.reversed();
      named.cost = price(named.plan, machine);
    }
    return arguments.json ? plans_json(plans, machine).dump(2) + "\n" : plans_text(plans, machine);
  }
  const Plan forward = make_plan(request);
  const Plan plan = back ? forward.reversed() : forward;
  return arguments.json ? plan_json(plan, machine).dump(2) + "\n" : plan_text(plan, machine);
}

std::string report(const PlanArguments& arguments) {
  PlanRequest request =
      arguments.what.request(count_of(arguments.ranks, "number of ranks"), arguments.on.machine());
  request.placement.ranks_per_node = arguments.ranks_per_node;
  return answer(arguments, request);
}

}  // namespace

void add_plan(Command program, Report& chosen) {
  const auto arguments = std::make_shared<PlanArguments>();
  Command command =
      program.add_subcommand("plan", "Show what would be done on any number of ranks; no MPI");
  arguments->what.add_to(command);
  arguments->on.add_to(command);
  command.add_option("-n,--ranks", arguments->ranks, "Ranks to plan for, as in 64 or 2^20")
      .required()
      .type_name("P");
  command.add_option("--ranks-per-node", arguments->ranks_per_node, "How many of them share a node")
      .type_name("K")
      .at_least(1);
  command.add_flag("--all", arguments->all, "Every plan known for the problem, side by side");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, schema kallima.plan/2 (kallima.plans/2 with --all)");
  command.footer(problem_help() + plan_examples);
  command.callback([arguments, &chosen] { chosen = [arguments] { return report(*arguments); }; });
}

}  // namespace kallima::cli

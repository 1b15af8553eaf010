// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima plan`: what would be done, on ranks that need not be there. Never starts MPI, so that it
// runs on a login node or a laptop.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "kallima/planner.hpp"
#include "options.hpp"
#include "plan/schedule.hpp"
#include "problem_arguments.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  ProblemArguments what;
  std::string ranks;
  Index ranks_per_node = 0;
  bool json = false;
};

constexpr const char* examples = R"(
Examples:
  kallima plan c2c:512^3 -n 64
  kallima plan c2c:1280x1280x1280 -n 96 --in slab --out same
  kallima plan c2c:256^3:f32 -n 8 --in brick:2x2x2 --out pencil:4x2
  kallima plan c2c:32768^3 -n 2^20 --json)";

Json step_json(const Plan& plan, std::size_t i) {
  const State& before = plan.states()[i];
  if (const auto* const sweep = std::get_if<Sweep>(&plan.steps()[i])) {
    if (sweep->kernel == Kernel::none) return {{"kind", "sweep"}, {"kernel", "none"}};
    return {{"kind", "sweep"},
            {"kernel", "fourier"},
            {"digit", before.names()[static_cast<std::size_t>(sweep->digit)]},
            {"lines", sweep->lines},
            {"form", sweep->form == TileForm::lines ? "lines" : "interleaved"}};
  }
  const auto& exchange = std::get<Exchange>(plan.steps()[i]);
  const Traffic& moved = exchange.traffic;
  const Index bytes = before.element.bytes();
  return {{"kind", "exchange"},
          {"to", plan.states()[i + 1].to_text()},
          {"route", exchange.route == Route::messages ? "messages" : "alltoallv"},
          {"bytes", moved.elements * bytes},
          {"messages", moved.messages},
          {"most_bytes_sent", moved.most_sent * bytes},
          {"most_bytes_received", moved.most_received * bytes},
          {"most_messages_sent", moved.most_messages_sent},
          {"most_messages_received", moved.most_messages_received}};
}

Json plan_json(const Plan& plan) {
  const Index bytes = plan.states().front().element.bytes();
  const Traffic moved = plan.total_traffic();
  const Schedule apart = schedule(plan, false);
  const Schedule in_place = schedule(plan, true);
  const Workspace apart_needs = largest_workspace(plan, apart);
  const Workspace in_place_needs = largest_workspace(plan, in_place);
  Json steps = Json::array();
  for (std::size_t i = 0; i < plan.steps().size(); ++i) steps.push_back(step_json(plan, i));
  return {{"schema", "kallima.plan/1"},
          {"problem", plan.problem().to_text()},
          {"ranks", plan.ranks()},
          {"ranks_per_node",
           plan.placement().ranks_per_node > 0 ? Json(plan.placement().ranks_per_node) : Json()},
          {"steps", std::move(steps)},
          {"layout_in", plan.input().to_text()},
          {"layout_out", plan.output().to_text()},
          {"exchanges", plan.exchanges()},
          {"bytes", checked_mul(moved.elements, bytes, "bytes of all exchanges")},
          {"messages", moved.messages},
          {"passes", {{"out_of_place", apart.passes()}, {"in_place", in_place.passes()}}},
          {"workspace_bytes",
           {{"out_of_place", (apart_needs.main + apart_needs.spill) * bytes},
            {"in_place", (in_place_needs.main + in_place_needs.spill) * bytes},
            {"tile", std::max(apart_needs.tile, in_place_needs.tile) * bytes}}},
          {"hash", text::hex(plan.hash())}};
}

std::string picture(const std::string& title, const Layout& layout) {
  const char* const others = layout.axes() > 2 ? ", where the other axes are at 0" : "";
  return fmt::format("\n{}\n{}", heading(title + others), layout.picture());
}

std::string plan_text(const Plan& plan) {
  std::string text = plan.to_text();
  const bool same = plan.input() == plan.output();
  text += picture(same ? "Ranks that hold the input and the output" : "Ranks that hold the input",
                  plan.input());
  if (!same) text += picture("Ranks that hold the output", plan.output());
  return text;
}

ExitCode run(const PlanArguments& arguments) {
  PlanRequest request = arguments.what.request(count_of(arguments.ranks, "number of ranks"));
  request.placement.ranks_per_node = arguments.ranks_per_node;
  const Plan plan = make_plan(request);
  const std::string text = arguments.json ? plan_json(plan).dump(2) + "\n" : plan_text(plan);
  if (launched_rank() == 0) std::fputs(text.c_str(), stdout);
  return ExitCode::good;
}

}  // namespace

void add_plan(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<PlanArguments>();
  CLI::App& command =
      *program.add_subcommand("plan", "Show what would be done on any number of ranks; no MPI");
  arguments->what.add_to(command);
  command.add_option("-n,--ranks", arguments->ranks, "Ranks to plan for, as in 64 or 2^20")
      ->required()
      ->type_name("P");
  command
      .add_option("--ranks-per-node", arguments->ranks_per_node, "How many of them share a node")
      ->type_name("K")
      ->check(at_least(1));
  command.add_flag("--json", arguments->json, "Print one JSON object, schema kallima.plan/1");
  command.footer(std::string(layout_help) + "\n" + examples);
  command.callback(
      [arguments, &chosen] { chosen = [arguments](const Arguments&) { return run(*arguments); }; });
}

}  // namespace kallima::cli

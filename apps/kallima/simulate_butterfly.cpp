// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima simulate butterfly`: the butterfly of n inputs on P processors of LogP, node by node and
// message by message, by the schedules of Sahay 1993 and some bad ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "options.hpp"
#include "session.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "theory/hiding.hpp"
#include "theory/schedules.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;
using butterfly::PhaseTwo;
using butterfly::Program;
using butterfly::Size;
using models::FormulaVersion;

/// A schedule and what the paper says of it.
struct Schedule {
  std::string name;
  std::string what;
  Program (*program)(const Size&);
};

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all = {
      {"output", "by outputs, targets by XOR; then by inputs (sections 4, 5)",
       [](const Size& size) {
         return output_driven_schedule(size, xor_outputs(size), PhaseTwo::most_significant_first);
       }},
      {"output-lsd", "the same, least significant digit first in phase II",
       [](const Size& size) {
         return output_driven_schedule(size, xor_outputs(size), PhaseTwo::least_significant_first);
       }},
      {"column", "column by column, then all messages (section 3)",
       [](const Size& size) {
         return column_schedule(size, butterfly::shifted_targets(size.procs));
       }},
      {"column-to-0", "the same, but everybody sends to 0 first, then to 1, ...",
       [](const Size& size) { return column_schedule(size, butterfly::same_targets(size.procs)); }},
      {"output-to-0", "by outputs, but everybody's first outputs are for 0, then for 1, ...",
       [](const Size& size) {
         return output_driven_schedule(size, same_outputs(size), PhaseTwo::most_significant_first);
       }},
      {"cyclic", "rows distributed cyclically in all columns",
       [](const Size& size) {
         return one_allocation_schedule(size, butterfly::Allocation::cyclic);
       }},
      {"blocked", "rows in blocks in all columns",
       [](const Size& size) {
         return one_allocation_schedule(size, butterfly::Allocation::blocked);
       }},
  };
  return all;
}

struct ButterflyArguments {
  Index inputs = 4096;
  Index procs = 16;
  Index gap = 8;
  Index latency = 20;
  Index overhead = 0;
  std::optional<Index> seed;
  std::vector<std::string> names = {"output"};
  std::string plot;
  bool json = false;

  [[nodiscard]] models::Butterfly theorem() const { return {inputs, procs, gap, latency}; }
  [[nodiscard]] butterfly::Network network() const {
    return butterfly::network_of(models::LogP{
        static_cast<double>(latency), static_cast<double>(overhead), static_cast<double>(gap), 1});
  }
};

constexpr const char* simulate_butterfly_examples = R"(
The unit of time is one node of the butterfly. n and P are powers of two, P^2 <= n.

SCHEDULE: output      by outputs, targets by XOR; then by inputs (Sahay, sections 4 and 5)
          output-lsd  the same, least significant digit first in phase II
          column      column by column, then all messages (section 3)
          column-to-0, output-to-0, cyclic, blocked    bad ones, for contrast
          all         all of these

Examples:
  kallima simulate butterfly -n 4096 -P 16 -g 8 -L 20
  kallima simulate butterfly -n 1024 -P 8 -g 12 --schedule output,column --plot gantt.svg
  kallima simulate butterfly -n 65536 -P 256 -g 8 -L 20 --schedule all)";

/// What the paper gives for a schedule, as printed and corrected.
struct Theorem {
  std::string name;
  Index printed = 0;
  Index corrected = 0;
};

/// A schedule that was run.
struct Ran {
  const Schedule* schedule = nullptr;
  butterfly::Figures figures;
  std::optional<Theorem> completion;
  std::optional<Theorem> last_sent;
};

std::optional<Theorem> completion_of(const std::string& name, const models::Butterfly& of) {
  if (name == "column") {
    return Theorem{"theorem 3.1", models::simple_steps(of), models::simple_steps(of)};
  }
  if (name != "output") return std::nullopt;
  const auto m = static_cast<std::uint64_t>(of.inputs / of.procs);
  if (of.gap >= static_cast<Index>(std::bit_width(m))) {  // g > log m
    return Theorem{"theorem 5.1", models::small_steps(of, FormulaVersion::printed),
                   models::small_steps(of, FormulaVersion::corrected)};
  }
  return Theorem{"section 4.3", models::output_driven_steps(of, FormulaVersion::printed),
                 models::exact_steps(of)};
}

std::optional<Theorem> last_sent_of(const std::string& name, const models::Butterfly& of) {
  if (name != "output" && name != "output-lsd") return std::nullopt;
  return Theorem{"theorem 4.1", models::last_send_steps(of, FormulaVersion::printed),
                 models::last_send_steps(of, FormulaVersion::corrected)};
}

const Schedule& schedule_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Schedule& schedule : schedules()) {
    if (schedule.name == name) return schedule;
    names.push_back(schedule.name);
  }
  throw InvalidOption(fmt::format("there is no schedule '{}'; use some of {}, or all", name,
                                  fmt::join(names, ", ")));
}

std::vector<const Schedule*> chosen_schedules(const std::vector<std::string>& names) {
  std::vector<const Schedule*> chosen;
  if (names.size() == 1 && names.front() == "all") {
    for (const Schedule& schedule : schedules()) chosen.push_back(&schedule);
    return chosen;
  }
  for (const std::string& name : names) chosen.push_back(&schedule_named(name));
  return chosen;
}

/// Latencies that differ from message to message, so that some overtake others.
butterfly::Latency latency_of(const ButterflyArguments& arguments) {
  if (!arguments.seed) return {};
  return [seed = static_cast<std::uint64_t>(*arguments.seed),
          most = static_cast<std::uint64_t>(arguments.latency)](butterfly::MessageId id) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ULL + id);
    return static_cast<double>(random() % (most + 1));
  };
}

Timeline drawn(const ButterflyArguments& arguments, const Ran& ran, const Program& program,
               const butterfly::Outcome& outcome) {
  const butterfly::Figures& figures = ran.figures;
  const std::string title =
      fmt::format("{}: n = {}, g = {}, L = {} on {} processors", ran.schedule->name,
                  arguments.inputs, arguments.gap, arguments.latency, arguments.procs);
  const std::string note =
      fmt::format("{}: {:.0f} steps, {:.1f} of them idle, speed-up {:.2f}", ran.schedule->what,
                  figures.completion, figures.idle, figures.speed_up);
  return timeline_of(title, note, program, arguments.network(), outcome);
}

std::string table_text(const std::vector<Ran>& all) {
  std::vector<std::vector<std::string>> rows = {{"schedule", "completion", "idle", "stalled",
                                                 "speed-up", "messages", "in flight", "of one",
                                                 "last sent"}};
  for (const Ran& ran : all) {
    const butterfly::Figures& figures = ran.figures;
    const auto steps = [](double value) { return text::grouped(static_cast<Index>(value)); };
    rows.push_back({ran.schedule->name, steps(figures.completion),
                    fmt::format("{:.1f}", figures.idle), fmt::format("{:.1f}", figures.stalled),
                    fmt::format("{:.2f}", figures.speed_up), text::grouped(figures.messages),
                    text::grouped(figures.most_in_transit), text::grouped(figures.most_of_one),
                    steps(figures.last_sent)});
  }
  return table(rows);
}

std::string head_text(const ButterflyArguments& arguments) {
  const models::Butterfly of = arguments.theorem();
  std::string text = fmt::format(
      "butterfly of {} inputs on {} processors, L = {}, o = {}, g = {}; at most {} in flight from "
      "or "
      "to one\nm = {}, l = {}; nobody is faster than m log n = {} steps, a speed-up of {}\n\n",
      text::grouped(arguments.inputs), text::grouped(arguments.procs), arguments.latency,
      arguments.overhead, arguments.gap, arguments.network().capacity,
      text::grouped(arguments.inputs / arguments.procs),
      text::grouped(arguments.inputs / arguments.procs / arguments.procs),
      text::grouped(models::ideal_steps(of)), arguments.procs);
  return text;
}

std::string theorem_text(const Theorem& theorem, const std::string& of) {
  return fmt::format("{:<12} {}: {} printed, {} corrected\n", "", theorem.name + ", " + of,
                     text::grouped(theorem.printed), text::grouped(theorem.corrected));
}

std::string key_text(const ButterflyArguments& arguments, const std::vector<Ran>& all) {
  std::string text =
      "\nIdle and stalled: steps of a processor in the mean; in flight: messages at a time, at "
      "most.\n";
  for (const Ran& ran : all) {
    text += fmt::format("{:<12} {}\n", ran.schedule->name, ran.schedule->what);
    if (ran.completion) text += theorem_text(*ran.completion, "completion");
    if (ran.last_sent) text += theorem_text(*ran.last_sent, "last sent");
  }
  if (arguments.overhead > 0) text += "Theorems are without overhead.\n";
  if (arguments.seed) text += "Theorems are for messages that all take the whole latency.\n";
  return text;
}

Json theorem_json(const std::optional<Theorem>& theorem) {
  if (!theorem) return nullptr;
  return {
      {"name", theorem->name}, {"printed", theorem->printed}, {"corrected", theorem->corrected}};
}

Json json_of(const ButterflyArguments& arguments, const std::vector<Ran>& all) {
  Json list = Json::array();
  for (const Ran& ran : all) {
    const butterfly::Figures& figures = ran.figures;
    list.push_back({{"schedule", ran.schedule->name},
                    {"completion", figures.completion},
                    {"idle", figures.idle},
                    {"most_idle", figures.most_idle},
                    {"stalled", figures.stalled},
                    {"speed_up", figures.speed_up},
                    {"messages", figures.messages},
                    {"most_in_flight", figures.most_in_transit},
                    {"most_in_flight_of_one", figures.most_of_one},
                    {"last_sent", figures.last_sent},
                    {"theorem", theorem_json(ran.completion)},
                    {"theorem_last_sent", theorem_json(ran.last_sent)}});
  }
  return {{"schema", "kallima.simulate-butterfly/1"},
          {"inputs", arguments.inputs},
          {"procs", arguments.procs},
          {"latency", arguments.latency},
          {"overhead", arguments.overhead},
          {"gap", arguments.gap},
          {"capacity", arguments.network().capacity},
          {"ideal", models::ideal_steps(arguments.theorem())},
          {"results", std::move(list)}};
}

ExitCode run(const ButterflyArguments& arguments) {
  const Size size{arguments.inputs, arguments.procs};
  const butterfly::Network network = arguments.network();
  std::vector<Ran> all;
  std::vector<Timeline> timelines;
  for (const Schedule* const schedule : chosen_schedules(arguments.names)) {
    const Program program = schedule->program(size);
    const butterfly::Outcome outcome = simulate(program, network, latency_of(arguments));
    all.push_back({schedule, figures_of(program, network, outcome),
                   completion_of(schedule->name, arguments.theorem()),
                   last_sent_of(schedule->name, arguments.theorem())});
    if (!arguments.plot.empty()) {
      timelines.push_back(drawn(arguments, all.back(), program, outcome));
    }
  }
  if (launched_rank() != 0) return ExitCode::good;
  if (!arguments.plot.empty()) draw(timelines, arguments.plot, {"processor", "steps", 1});
  if (arguments.json) {
    fmt::print("{}\n", json_of(arguments, all).dump(2));
  } else {
    fmt::print("{}{}{}", head_text(arguments), table_text(all), key_text(arguments, all));
  }
  return ExitCode::good;
}

}  // namespace

void add_simulate_butterfly(Command simulate, Action& chosen) {
  const auto arguments = std::make_shared<ButterflyArguments>();
  Command command = simulate.add_subcommand(
      "butterfly", "The butterfly in LogP, node by node: what a schedule hides");
  command.add_option("-n,--inputs", arguments->inputs, "Inputs of the butterfly")
      .at_least(4)
      .type_name("N");
  command.add_option("-P,--procs", arguments->procs, "Processors").at_least(2).type_name("P");
  command.add_option("-g,--gap", arguments->gap, "Steps between two messages of a processor")
      .at_least(1)
      .type_name("STEPS");
  command.add_option("-L,--latency", arguments->latency, "Steps that a message travels")
      .at_least(0)
      .type_name("STEPS");
  command
      .add_option("-o,--overhead", arguments->overhead,
                  "Steps that a message costs its sender, and its receiver")
      .at_least(0)
      .type_name("STEPS");
  command
      .add_option("--early", arguments->seed,
                  "Messages take L at most, by chance from this seed, and overtake each other")
      .at_least(0)
      .type_name("SEED");
  command.add_option("--schedule", arguments->names, "Which, or several with commas")
      .type_name("SCHEDULE");
  command.add_picture("--plot", arguments->plot, "Draw who computes, sends and waits when");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, schema kallima.simulate-butterfly/1");
  command.footer(simulate_butterfly_examples);
  command.callback(
      [arguments, &chosen] { chosen = [arguments](const Arguments&) { return run(*arguments); }; });
}

}  // namespace kallima::cli

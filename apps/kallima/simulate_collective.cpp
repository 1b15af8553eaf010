// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima simulate collective`: collective communication message by message, beside what the
// formulas say that it costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "session.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "theory/all_to_all.hpp"
#include "theory/collective_programs.hpp"
#include "theory/collectives.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;
using butterfly::Collective;
using butterfly::Program;
using models::FormulaVersion;

struct CollectiveArguments {
  std::vector<std::string> names;
  Index procs = 16;
  Index bytes = 65536;
  Model model = Model::alpha_beta;
  MachineArguments on;
  std::optional<double> alpha, beta, latency, overhead, gap, per_byte;
  double work_per_byte = 0;
  std::optional<Index> packet;
  std::string plot;
  bool json = false;
};

constexpr const char* simulate_collective_examples = R"(
NAME: allgather, reduce-scatter, allreduce, scan, scatter, gather, reduce   through a butterfly;
      broadcast     binomial, scatter + allgather, pipelined binary tree, double tree
      all-to-all    straight to the targets, and by digits of radix 2, 4, 8, ...
      all           all of these

Examples:
  kallima simulate collective all -P 64 --bytes 65536
  kallima simulate collective all-to-all -P 64 --bytes 4096 --alpha 2e-6 --beta 1e-10
  kallima simulate collective broadcast -P 15 --bytes 1000000 --model loggp --plot broadcast.svg)";

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = {"allgather", "reduce-scatter", "allreduce",
                                                 "scan",      "scatter",        "gather",
                                                 "reduce",    "broadcast",      "all-to-all"};
  return names;
}

/// A link as each model has it: of a machine, and what the command line says instead.
models::Network network_of(const CollectiveArguments& arguments) {
  const std::shared_ptr<const Machine> machine = arguments.on.machine();
  const Link& link = (*machine)->between_nodes;
  models::Network network;
  network.alpha_beta = {arguments.alpha.value_or(link.fits.alpha),
                        arguments.beta.value_or(link.fits.beta)};
  const double latency = arguments.latency.value_or(link.latency);
  const double overhead = arguments.overhead.value_or(link.overhead);
  network.logp = {latency, overhead, arguments.gap.value_or(link.fits.datum_gap),
                  link.fits.datum_bytes};
  network.loggp = {
      latency, overhead, arguments.gap.value_or(link.gap),
      arguments.per_byte.value_or(link.per_byte.at(static_cast<double>(arguments.bytes)))};
  return network;
}

/// A program, and what a formula says that it takes.
struct Priced {
  std::string name;
  Program program;
  std::optional<double> formula;
};

/// All programs that are asked for, with their formulas in one model.
class Programs {
 public:
  Programs(const CollectiveArguments& arguments, const models::Network& network)
      : arguments_(arguments),
        network_(network),
        of_{arguments.procs, static_cast<double>(arguments.bytes), arguments.work_per_byte} {}

  std::vector<Priced> all() {
    for (const std::string& name : known_names()) {
      if (named(name) || (named("all") && possible(name))) add(name);
    }
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool named(const std::string& name) const {
    return std::find(arguments_.names.begin(), arguments_.names.end(), name) !=
           arguments_.names.end();
  }

  /// Butterflies need a power of two.
  [[nodiscard]] bool through_butterflies() const {
    return std::has_single_bit(static_cast<std::uint64_t>(of_.procs));
  }
  [[nodiscard]] bool possible(const std::string& name) const {
    return name == "broadcast" || name == "all-to-all" || through_butterflies();
  }

  [[nodiscard]] bool simple() const { return arguments_.model == Model::alpha_beta; }

  /// With the work of so many reductions of what goes through a butterfly.
  [[nodiscard]] models::Collective priced(double reductions) const {
    const double moved = of_.bytes * (1 - 1 / static_cast<double>(of_.procs));
    return {of_.procs, of_.bytes, reductions * of_.work_per_byte * moved};
  }

  [[nodiscard]] double message_seconds(double bytes) const {
    if (simple()) return models::message_seconds(network_.alpha_beta, bytes);
    return arguments_.model == Model::logp ? models::message_seconds(network_.logp, bytes)
                                           : models::message_seconds(network_.loggp, bytes);
  }

  /// One or two butterflies, a message a round. In alpha-beta that is the lecture's closed form.
  [[nodiscard]] double rounds_seconds(double butterflies, double reductions) const {
    double seconds = 0;
    for (Index span = 1; span < of_.procs; span *= 2) {
      seconds +=
          message_seconds(of_.bytes * static_cast<double>(span) / static_cast<double>(of_.procs));
    }
    return butterflies * seconds + priced(reductions).local_work;
  }

  void add(const std::string& name) {
    if (name == "allgather") return add(name, allgather(of_), rounds_seconds(1, 0));
    if (name == "reduce-scatter") return add(name, reduce_scatter(of_), rounds_seconds(1, 1));
    if (name == "allreduce") return add(name, allreduce(of_), rounds_seconds(2, 1));
    if (name == "scan") return add(name, scan(of_), rounds_seconds(2, 3));
    if (name == "scatter") return add(name, scatter(of_), rounds_seconds(1, 0));
    if (name == "gather") return add(name, gather(of_), rounds_seconds(1, 0));
    if (name == "reduce") return add(name, reduce(of_), rounds_seconds(2, 1));
    if (name == "broadcast") return add_broadcasts();
    add_all_to_alls();
  }

  void add(const std::string& name, Program program, std::optional<double> formula) {
    all_.push_back({name, std::move(program), formula});
  }

  [[nodiscard]] double packet(double share) const {
    if (arguments_.packet) return static_cast<double>(*arguments_.packet);
    if (arguments_.model == Model::logp) return network_.logp.datum_bytes;
    models::Collective broadcast = priced(0);
    broadcast.bytes *= share;
    const double best = simple() ? best_packet_bytes(network_.alpha_beta, broadcast)
                                 : best_packet_bytes(network_.loggp, broadcast);
    return std::clamp(std::ceil(best), 1., std::max(1., of_.bytes));
  }

  [[nodiscard]] double pipelined_seconds(double of_packet) const {
    if (simple()) return broadcast_pipelined_seconds(network_.alpha_beta, priced(0), of_packet);
    return arguments_.model == Model::logp
               ? broadcast_pipelined_seconds(network_.logp, priced(0))
               : broadcast_pipelined_seconds(network_.loggp, priced(0), of_packet);
  }

  void add_broadcasts() {
    std::optional<double> binomial;
    std::optional<double> two_trees;
    if (simple()) {
      binomial =
          broadcast_binomial_seconds(network_.alpha_beta, priced(0), FormulaVersion::corrected);
      two_trees = broadcast_double_tree_seconds(network_.alpha_beta, priced(0));
    }
    add("broadcast, binomial", broadcast_binomial(of_), binomial);
    if (through_butterflies()) {
      add("broadcast, scatter + allgather", broadcast_scatter_allgather(of_), rounds_seconds(2, 0));
    }
    const double one = packet(1);
    add(fmt::format("broadcast, tree, packets of {:.0f}", one), broadcast_pipelined(of_, one),
        pipelined_seconds(one));
    const double half = packet(0.5);
    add(fmt::format("broadcast, two trees, packets of {:.0f}", half),
        broadcast_double_tree(of_, half), two_trees);
  }

  void add_all_to_alls() {
    const models::AllToAll blocks{of_.procs, arguments_.bytes / of_.procs};
    const auto seconds = [&](Index radix) {
      return all_to_all_seconds(arguments_.model, network_, blocks, radix);
    };
    Collective whole = of_;
    whole.bytes = static_cast<double>(blocks.block_bytes * of_.procs);
    add("all-to-all, direct", all_to_all_direct(whole), seconds(of_.procs));
    for (Index radix = 2; radix < of_.procs; radix *= 2) {
      add(fmt::format("all-to-all, radix {}", radix), all_to_all_by_digits(whole, radix),
          seconds(radix));
    }
  }

  const CollectiveArguments& arguments_;
  const models::Network& network_;
  Collective of_;
  std::vector<Priced> all_;
};

butterfly::Network simulated_network(Model model, const models::Network& network) {
  if (model == Model::alpha_beta) return butterfly::network_of(network.alpha_beta);
  if (model == Model::logp) return butterfly::network_of(network.logp);
  return butterfly::network_of(network.loggp);
}

std::string model_text(Model model, const models::Network& network) {
  if (model == Model::alpha_beta) {
    return fmt::format("alpha-beta: {} a message, {:.3g} ns a byte",
                       duration(network.alpha_beta.alpha), 1e9 * network.alpha_beta.beta);
  }
  if (model == Model::logp) {
    return fmt::format("LogP: L {}, o {}, g {} for data of {:.0f} bytes",
                       duration(network.logp.latency), duration(network.logp.overhead),
                       duration(network.logp.gap), network.logp.datum_bytes);
  }
  return fmt::format("LogGP: L {}, o {}, g {}, G {:.3g} ns", duration(network.loggp.latency),
                     duration(network.loggp.overhead), duration(network.loggp.gap),
                     1e9 * network.loggp.gap_per_byte);
}

/// A program that was run.
struct SimulatedCollective {
  std::string name;
  butterfly::Figures figures;
  std::optional<double> formula;
  double bytes = 0;  ///< that the busiest processor sends
};

double busiest_sender(const Program& program) {
  std::vector<double> bytes(static_cast<std::size_t>(program.procs()), 0.);
  for (const butterfly::Message& message : program.messages()) {
    bytes[static_cast<std::size_t>(program.tasks()[message.from].proc)] += message.bytes;
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

std::string collectives_table(const std::vector<SimulatedCollective>& all) {
  std::vector<std::vector<std::string>> rows = {
      {"collective", "simulated", "formula", "ratio", "messages", "one sends", "in flight"}};
  for (const SimulatedCollective& ran : all) {
    rows.push_back(
        {ran.name, duration(ran.figures.completion), ran.formula ? duration(*ran.formula) : "-",
         ran.formula ? fmt::format("{:.3f}", ran.figures.completion / *ran.formula) : "-",
         text::grouped(ran.figures.messages), text::bytes(static_cast<Index>(ran.bytes)),
         text::grouped(ran.figures.most_in_transit)});
  }
  return table(rows);
}

/// Which way of an all-to-all is cheapest, where one was asked for.
std::optional<models::RadixCost> cheapest(const CollectiveArguments& arguments,
                                          const models::Network& network) {
  const auto is = [](const std::string& name) { return name == "all-to-all" || name == "all"; };
  if (std::none_of(arguments.names.begin(), arguments.names.end(), is)) return std::nullopt;
  return cheapest_radix(arguments.model, network,
                        {arguments.procs, arguments.bytes / arguments.procs});
}

Json json_of(const CollectiveArguments& arguments, const models::Network& network,
             const std::vector<SimulatedCollective>& all) {
  Json list = Json::array();
  for (const SimulatedCollective& ran : all) {
    list.push_back({{"name", ran.name},
                    {"seconds", ran.figures.completion},
                    {"formula_s", ran.formula ? Json(*ran.formula) : Json()},
                    {"messages", ran.figures.messages},
                    {"packets", ran.figures.packets},
                    {"busiest_sends_bytes", ran.bytes},
                    {"most_in_flight", ran.figures.most_in_transit},
                    {"stalled_s", ran.figures.stalled}});
  }
  const auto best = cheapest(arguments, network);
  return {{"schema", "kallima.simulate-collective/1"},
          {"procs", arguments.procs},
          {"bytes", arguments.bytes},
          {"model", name_of(arguments.model)},
          {"all_to_all_radix", best ? Json(best->radix) : Json()},
          {"results", std::move(list)}};
}

void check(const CollectiveArguments& arguments) {
  constexpr Index most_procs = 4096;
  if (arguments.procs > most_procs) {
    throw InvalidOption(fmt::format("{} processors are too many to simulate; take {} at most",
                                    arguments.procs, most_procs));
  }
  for (const std::string& name : arguments.names) {
    const std::vector<std::string>& known = known_names();
    if (name == "all" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InvalidOption(fmt::format("there is no collective '{}'; use some of {}, or all", name,
                                    fmt::join(known, ", ")));
  }
}

ExitCode run(const CollectiveArguments& arguments) {
  check(arguments);
  const models::Network network = network_of(arguments);
  const butterfly::Network simulated = simulated_network(arguments.model, network);
  std::vector<SimulatedCollective> all;
  std::vector<Timeline> timelines;
  for (const Priced& priced : Programs(arguments, network).all()) {
    const butterfly::Outcome outcome = simulate(priced.program, simulated);
    const butterfly::Figures figures = figures_of(priced.program, simulated, outcome);
    all.push_back({priced.name, figures, priced.formula, busiest_sender(priced.program)});
    if (arguments.plot.empty() || priced.program.messages().empty()) continue;
    timelines.push_back(timeline_of(
        fmt::format("{} on {} processors", priced.name, arguments.procs),
        fmt::format("{}; {}", model_text(arguments.model, network), duration(figures.completion)),
        priced.program, simulated, outcome));
  }
  if (launched_rank() != 0) return ExitCode::good;
  if (!timelines.empty()) {
    double longest = 0;
    for (const SimulatedCollective& ran : all) longest = std::max(longest, ran.figures.completion);
    constexpr double short_seconds = 2e-3;
    draw(timelines, arguments.plot,
         longest < short_seconds ? TimelineWords{"processor", "microseconds", 1e6}
                                 : TimelineWords{"processor", "milliseconds", 1e3});
  }
  if (arguments.json) {
    fmt::print("{}\n", json_of(arguments, network, all).dump(2));
    return ExitCode::good;
  }
  fmt::print("{} on {} processors, {}\n\n{}", text::bytes(arguments.bytes), arguments.procs,
             model_text(arguments.model, network), collectives_table(all));
  if (const auto best = cheapest(arguments, network)) {
    fmt::print("\nBy price the best all-to-all is {}: {}.\n",
               best->radix == arguments.procs ? "direct" : fmt::format("radix {}", best->radix),
               duration(best->seconds));
  }
  return ExitCode::good;
}

}  // namespace

void add_simulate_collective(Command simulate, Action& chosen) {
  const auto arguments = std::make_shared<CollectiveArguments>();
  Command command = simulate.add_subcommand(
      "collective", "Collective communication, message by message, beside its formulas");
  command.add_option("NAME", arguments->names, "Which, or several").required().type_name("");
  command.add_option("-P,--procs", arguments->procs, "Processors").at_least(2).type_name("P");
  command
      .add_option("--bytes", arguments->bytes,
                  "Of the input of one-to-all, the output of all-to-one, one processor's of others")
      .at_least(1)
      .type_name("N");
  command.add_choice(
      "--model", arguments->model,
      Choices<Model>{
          {"alpha-beta", Model::alpha_beta}, {"logp", Model::logp}, {"loggp", Model::loggp}},
      "Model of the network");
  arguments->on.add_to(command);
  const auto seconds = [&](const std::string& flag, std::optional<double>& value,
                           const std::string& what) {
    command.add_option(flag, value, what + "; the machine's, if not given").type_name("SECONDS");
  };
  seconds("--alpha", arguments->alpha, "alpha-beta: of a message");
  seconds("--beta", arguments->beta, "alpha-beta: of a byte");
  seconds("--latency", arguments->latency, "L of LogP and LogGP");
  seconds("--overhead", arguments->overhead, "o of LogP and LogGP");
  seconds("--gap", arguments->gap, "g of LogP and LogGP");
  seconds("--per-byte", arguments->per_byte, "G of LogGP");
  command.add_option("--work", arguments->work_per_byte, "Seconds that reducing a byte takes")
      .type_name("SECONDS");
  command.add_option("--packet", arguments->packet, "Bytes of a tree's packet; the best by formula")
      .at_least(1)
      .type_name("N");
  command.add_picture("--plot", arguments->plot, "Draw who sends and receives when");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, schema kallima.simulate-collective/1");
  command.footer(simulate_collective_examples);
  command.callback(
      [arguments, &chosen] { chosen = [arguments](const Arguments&) { return run(*arguments); }; });
}

}  // namespace kallima::cli

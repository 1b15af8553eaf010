// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima simulate PROBLEM --platform F`: plans and prices here, and lets SimGrid's SMPI run the
// library with that plan on ranks that are threads of one process (apps/simulated). Its messages
// travel over the platform; data are really transformed and can be verified. What sweeps take is
// not simulated but priced, so that predicted and simulated times differ by exchanges alone.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "base/package.hpp"
#include "base/text.hpp"
#include "child.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "machine/figures.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "platform_files.hpp"
#include "problem_arguments.hpp"
#include "session.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct SimulateArguments {
  ProblemArguments what;
  MachineArguments on;
  std::string ranks;
  std::string platform;
  std::string hosts;
  Index runs = 1;
  Index samples = 0;
  std::string program;
  std::string smpirun = "smpirun";
  bool json = false;
};

constexpr const char* simulate_platform_examples = R"(
The program that is simulated is built by
  cmake -B build/simgrid -DKALLIMA_MPI=simgrid && cmake --build build/simgrid --target kallima_simulated
and found by --program, KALLIMA_SIMULATED, or where it is installed.

Examples:
  kallima export simgrid selene --nodes 64 --ranks-per-node 1 -o selene.xml
  kallima simulate c2c:128^3 -n 64 --platform selene.xml --verify 16
  kallima simulate c2c:128^3 -n 64 --platform selene.xml --decomposition cyclic --json
  kallima simulate butterfly -n 4096 -P 16 -g 8 -L 20
  kallima simulate collective all-to-all -P 64 --bytes 4096 --alpha 2e-6 --beta 1e-10)";

/// Where the simulated program is. FileError where it is not, with the fix.
std::string program_of(const SimulateArguments& arguments) {
  std::string path = arguments.program;
  if (path.empty()) {
    if (const char* const named = std::getenv("KALLIMA_SIMULATED")) path = named;
  }
  std::vector<std::filesystem::path> places = {path};
  if (path.empty()) {
    path = KALLIMA_LIBEXEC_DIR "/kallima_simulated";
    places = package_places(own_file(), KALLIMA_LIBEXEC_INSIDE "/kallima_simulated", path);
  }
  std::error_code failed;
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::is_regular_file(place, failed)) {
      return std::filesystem::absolute(place).string();
    }
  }
  throw FileError(fmt::format(
      "there is no {}, the program that is simulated; build it (cmake -B build/simgrid "
      "-DKALLIMA_MPI=simgrid && cmake --build build/simgrid --target kallima_simulated) and give "
      "--program build/simgrid/apps/simulated/kallima_simulated",
      path));
}

void require_file(const std::string& path, const char* what) {
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed)) return;
  throw FileError(
      fmt::format("there is no {}, {}; `kallima export simgrid` writes it", path, what));
}

std::shared_ptr<const Machine> machine_of(const SimulateArguments& arguments,
                                          const PlatformFiles& files) {
  if (!arguments.on.name.empty()) return arguments.on.machine();
  require_file(files.machine, "the machine of the platform");
  return std::make_shared<const Machine>(find_machine(files.machine));
}

Index ranks_per_node_of(const std::string& hosts) {
  // Ranks of a node follow each other.
  const std::string first = hosts.substr(0, hosts.find('\n'));
  Index count = 0;
  for (const std::string& host : text::split(hosts, '\n')) {
    if (host != first) break;
    ++count;
  }
  return count;
}

PlanRequest request_of(const SimulateArguments& arguments, Index ranks,
                       const std::shared_ptr<const Machine>& machine, const std::string& hosts) {
  if (arguments.what.is_way_back()) {
    throw InvalidOption("what is simulated goes forward; write the problem as r2c");
  }
  if (arguments.what.chunks > 1) {
    throw InvalidOption(
        "nothing hides behind sweeps that take no simulated time; leave --chunks out");
  }
  if (static_cast<Index>(text::split(hosts, '\n').size()) - 1 < ranks) {
    throw TooFewRanks(
        fmt::format("the platform has room for fewer than {} ranks; export one with "
                    "more nodes",
                    ranks));
  }
  ProblemArguments what = arguments.what;
  what.chunks = 1;
  // Simulated ranks share no memory.
  const Index per_node = ranks_per_node_of(hosts);
  const bool alone = per_node == 1 && ranks > 1;
  if ((what.method == ExchangeMethod::any && !alone) ||
      what.method == ExchangeMethod::shared_memory) {
    what.method = ExchangeMethod::point_to_point;
  }
  PlanRequest request = what.request(ranks, machine);
  request.placement.ranks_per_node = per_node;
  return request;
}

/// What a plan is priced at: between ranks, and all else.
struct Predicted {
  double exchanges = 0.;
  double sweeps = 0.;

  [[nodiscard]] double total() const { return exchanges + sweeps; }
};

Predicted predicted(const Plan& plan, const Machine& machine) {
  const PlanCost cost = price(plan, machine);
  Predicted result;
  for (const StepCost& step : cost.steps) {
    const bool moves = step.bytes > 0;
    const double between = moves ? step.cost.total() - step.cost.memory : 0.;
    result.exchanges += between;
    result.sweeps += step.cost.total() - between;
  }
  return result;
}

/// Runs the plan; what the simulated program says of it.
Json simulated(const SimulateArguments& arguments, const PlatformFiles& files, const Plan& plan) {
  const ScratchFolder folder;
  const std::string plans = folder.file("plans");
  write_file(plans, plan.to_text() + "---\n");
  // Of SimGrid's models of a network, the one without figures of a TCP that was measured elsewhere.
  const Ended ended = run_to_end(
      {arguments.smpirun, "-np", std::to_string(plan.ranks()), "-platform", files.platform,
       "-hostfile", files.hosts, "--cfg=network/model:CM02", "--cfg=smpi/simulate-computation:no",
       "--log=root.thres:critical", program_of(arguments), plans, std::to_string(arguments.runs),
       std::to_string(arguments.samples)});
  // It ends with 1 where the answer is wrong, and says so.
  Json line = Json::parse(ended.out, nullptr, false);
  if (ended.status > 1 || line.is_discarded()) {
    throw MpiFailure(fmt::format("{} ended with {}: {}{}", arguments.smpirun, ended.status,
                                 ended.err, ended.out));
  }
  return line;
}

struct Answer {
  Plan plan;
  Predicted price;
  Json run;

  [[nodiscard]] double exchanges() const { return run.at("seconds").get<double>(); }
  [[nodiscard]] double total() const { return exchanges() + price.sweeps; }
  [[nodiscard]] bool right() const {
    return !run.contains("error") || run.at("error") <= run.at("promised_error");
  }
};

Json answer_json(const Answer& answer, const SimulateArguments& arguments, const Machine& machine) {
  Json result = {{"schema", "kallima.simulate/2"},
                 {"problem", answer.plan.problem().to_text()},
                 {"ranks", answer.plan.ranks()},
                 {"ranks_per_node", answer.plan.placement().ranks_per_node},
                 {"platform", arguments.platform},
                 {"machine", machine->name},
                 {"machine_hash", text::hex(machine.hash())},
                 {"plan", text::hex(answer.plan.hash())},
                 {"exchanges", answer.plan.exchanges()},
                 {"layout_in", answer.plan.input().to_text()},
                 {"layout_out", answer.plan.output().to_text()},
                 {"predicted_exchange_s", answer.price.exchanges},
                 {"simulated_exchange_s", answer.exchanges()},
                 {"priced_sweeps_s", answer.price.sweeps},
                 {"predicted_s", answer.price.total()},
                 {"simulated_s", answer.total()},
                 {"bytes", answer.plan.total_volume().bytes},
                 {"bytes_sent", answer.run.at("bytes_sent")},
                 {"messages", answer.plan.total_volume().messages},
                 {"messages_sent", answer.run.at("messages_sent")}};
  if (answer.run.contains("error")) {
    result["error"] = answer.run.at("error");
    result["promised_error"] = answer.run.at("promised_error");
  }
  return result;
}

std::string answer_text(const Answer& answer, const SimulateArguments& arguments,
                        const Machine& machine) {
  const std::vector<std::string> times =
      durations({answer.price.exchanges, answer.exchanges(), answer.price.sweeps,
                 answer.price.total(), answer.total()});
  std::string text = fmt::format("{} on {} of {}, {}", answer.plan.problem().to_text(),
                                 text::plural(answer.plan.ranks(), "simulated rank"),
                                 arguments.platform, priced_on(machine));
  text += table({{"", "predicted", "simulated"},
                 {"exchanges", times[0], times[1]},
                 {"sweeps", times[2], "as priced"},
                 {"total", times[3], times[4]}});
  text += fmt::format("{} of {} in {} messages; {} -> {}\n",
                      text::plural(answer.plan.exchanges(), "exchange"),
                      text::bytes(answer.run.at("bytes_sent").get<Index>()),
                      text::grouped(answer.run.at("messages_sent").get<Index>()),
                      answer.plan.input().summary(), answer.plan.output().summary());
  if (answer.run.contains("error")) {
    text += fmt::format(
        "relative error {:.2g}, promised {:.2g}: {}\n", answer.run.at("error").get<double>(),
        answer.run.at("promised_error").get<double>(), answer.right() ? "right" : "WRONG");
  }
  return text;
}

ExitCode run(const SimulateArguments& arguments) {
  if (launched_rank() != 0) return ExitCode::good;
  PlatformFiles files = files_beside(arguments.platform);
  if (!arguments.hosts.empty()) files.hosts = arguments.hosts;
  require_file(files.platform, "the platform");
  require_file(files.hosts, "the host file of the platform");
  const std::shared_ptr<const Machine> machine = machine_of(arguments, files);
  const Index ranks = count_of(arguments.ranks, "number of ranks");
  const PlanRequest request = request_of(arguments, ranks, machine, text_of_file(files.hosts));
  Answer answer;
  answer.plan = make_plan(request);
  answer.price = predicted(answer.plan, *machine);
  Progress progress(true);
  progress.show(fmt::format("simulating {} ranks", text::grouped(ranks)));
  answer.run = simulated(arguments, files, answer.plan);
  progress.clear();
  if (arguments.json) {
    fmt::print("{}\n", answer_json(answer, arguments, *machine).dump(2));
  } else {
    std::fputs(answer_text(answer, arguments, *machine).c_str(), stdout);
  }
  return answer.right() ? ExitCode::good : ExitCode::answer_is_no;
}

}  // namespace

void add_simulate_platform(Command command, Action& chosen) {
  const auto arguments = std::make_shared<SimulateArguments>();
  arguments->what.add_to(command, false);
  arguments->on.add_to(command);
  command.add_option("-n,--ranks", arguments->ranks, "Simulated ranks, as in 64 or 2^10")
      .type_name("P");
  command
      .add_option("--platform", arguments->platform,
                  "Of SimGrid, as `kallima export simgrid` writes; its machine is beside it")
      .type_name("F");
  command.add_option("--hosts", arguments->hosts, "Host file (default: the .hosts beside it)")
      .type_name("FILE");
  command.add_option("--runs", arguments->runs, "Transforms, of which the median counts")
      .type_name("N")
      .at_least(1);
  command
      .add_option("--verify", arguments->samples,
                  "Compare so many outputs with direct sums (default: none)")
      .type_name("N");
  command.add_option("--program", arguments->program, "The program that is simulated")
      .type_name("FILE");
  command.add_option("--smpirun", arguments->smpirun, "SimGrid's launcher").type_name("FILE");
  command.add_flag("--json", arguments->json, "Print one JSON object, schema kallima.simulate/2");
  command.footer(problem_help() + simulate_platform_examples);
  command.callback([arguments, &chosen] {
    if (chosen) return;  // a subcommand
    for (const auto& [value, name] :
         {std::pair{&arguments->what.problem, "PROBLEM"}, std::pair{&arguments->ranks, "-n"},
          std::pair{&arguments->platform, "--platform"}}) {
      if (value->empty()) {
        throw InvalidOption(fmt::format("{} is missing; see kallima simulate --help", name));
      }
    }
    chosen = [arguments](const Arguments&) { return run(*arguments); };
  });
}

}  // namespace kallima::cli

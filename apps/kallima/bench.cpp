// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima bench`: how fast and how exact, here and now, on the ranks it was started on.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "command.hpp"
#include "contender.hpp"
#include "here.hpp"
#include "options.hpp"
#include "problem_arguments.hpp"
#include "session.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "timing.hpp"
#include "verify.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct BenchArguments {
  ProblemArguments what;
  std::optional<Index> iterations;
  Index warm_up = 2;
  Effort effort = Effort::estimate;
  bool in_place = false;
  bool backward = false;
  bool verify = false;
  bool json = false;
};

/// All that is known of one contender in the end.
struct Result {
  Facts facts;
  Times times;
  Index rounds = 0;
  std::optional<Errors> errors;
};

constexpr const char* examples = R"(
Examples:
  mpirun -n 4 kallima bench c2c:256^3
  mpirun -n 4 kallima bench c2c:256^3:f32 --verify --in slab --out same
  mpirun -n 2 kallima bench c2c:1000x999 -i 100 -x 10 --effort measure --json)";

Task task_of(const BenchArguments& arguments, Index ranks) {
  Task task;
  task.request = arguments.what.request(ranks);
  task.direction = arguments.backward ? Direction::backward : Direction::forward;
  task.effort = arguments.effort;
  task.in_place = arguments.in_place;
  return task;
}

/// Runs all contenders. Collective; the results are the same on all ranks.
std::vector<Result> results_of(const Session& session, const BenchArguments& arguments,
                               const Task& task) {
  Progress progress(session.speaks());
  progress.show("planning");
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(make_kallima(session, task));
  std::vector<Result> results(contenders.size());
  for (std::size_t c = 0; c < contenders.size() && arguments.verify; ++c) {
    results[c].errors = contenders[c]->verify(progress);
  }
  for (const auto& contender : contenders) contender->prepare();
  const auto times =
      timed_rounds(session, contenders, {arguments.iterations, arguments.warm_up}, progress);
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    results[c].facts = contenders[c]->facts();
    results[c].times = summary(times[c]);
    results[c].rounds = static_cast<Index>(times[c].size());
  }
  return results;
}

/// Written so that an error that is not a number fails.
bool within(const Errors& errors, double limit) {
  return errors.sampled <= limit && errors.returned <= 2 * limit;
}

Json bench_json(const Session& session, const Task& task, const std::vector<Result>& results) {
  Json rows = Json::array();
  for (const Result& result : results) {
    rows.push_back({{"name", result.facts.name},
                    {"median_s", result.times.median},
                    {"min_s", result.times.least},
                    {"p90_s", result.times.p90},
                    {"plan_s", result.facts.plan_s},
                    {"error", result.errors ? Json(result.errors->sampled) : Json()},
                    {"layout_in", result.facts.layout_in},
                    {"layout_out", result.facts.layout_out},
                    {"exchanges", result.facts.exchanges},
                    {"bytes_sent", result.facts.bytes_sent},
                    {"passes", result.facts.passes},
                    {"workspace_bytes", result.facts.workspace_bytes}});
  }
  return {{"schema", "kallima.bench/1"},
          {"problem", task.request.problem.to_text()},
          {"ranks", session.size},
          {"nodes", session.nodes},
          {"results", std::move(rows)}};
}

std::string results_table(const std::vector<Result>& results) {
  std::vector<double> seconds;
  std::vector<double> planning;
  for (const Result& result : results) {
    seconds.insert(seconds.end(), {result.times.median, result.times.least, result.times.p90});
    planning.push_back(result.facts.plan_s);
  }
  const std::vector<std::string> times = durations(seconds);
  const std::vector<std::string> plans = durations(planning);
  std::vector<std::vector<std::string>> rows = {
      {"", "median", "min", "p90", "planning", "exchanges", "sent", "passes", "workspace"}};
  for (std::size_t r = 0; r < results.size(); ++r) {
    const Facts& facts = results[r].facts;
    rows.push_back({facts.name, times[3 * r], times[3 * r + 1], times[3 * r + 2], plans[r],
                    text::grouped(facts.exchanges), text::bytes(facts.bytes_sent),
                    text::grouped(facts.passes), text::bytes(facts.workspace_bytes)});
  }
  return table(rows);
}

std::string errors_text(const Errors& errors, double limit) {
  return fmt::format("error {:.2g} of {:.2g} allowed, there and back {:.2g} of {:.2g}",
                     errors.sampled, limit, errors.returned, 2 * limit);
}

/// What does not fit a column.
std::string remarks(const Result& result, double limit) {
  std::string text = fmt::format("{}\n  in        {}\n  out       {}\n", heading(result.facts.name),
                                 result.facts.layout_in, result.facts.layout_out);
  if (!result.errors) return text;
  return text + fmt::format("  {}  {}\n", within(*result.errors, limit) ? "verified" : "WRONG   ",
                            errors_text(*result.errors, limit));
}

std::string bench_text(const Session& session, const Task& task, const std::vector<Result>& results,
                       Index warm_up) {
  const double limit = promised_error(task.request.problem);
  std::string text = fmt::format(
      "{}\nmeasured here: {}\n{}, after {} of warm-up; a run takes as long as its slowest "
      "rank\n\n{}",
      heading(fmt::format("bench {} {}, {}", task.request.problem.to_text(),
                          task.direction == Direction::forward ? "forward" : "backward",
                          task.in_place ? "in place" : "out of place")),
      here(session), text::plural(results.front().rounds, "timed run"), warm_up,
      results_table(results));
  for (const Result& result : results) text += "\n" + remarks(result, limit);
  return text;
}

/// Names the contenders that are wrong, for those who do not read tables.
ExitCode judge(const Session& session, const std::vector<Result>& results, double limit) {
  ExitCode code = ExitCode::good;
  for (const Result& result : results) {
    if (!result.errors || within(*result.errors, limit)) continue;
    code = ExitCode::answer_is_no;
    if (!session.speaks()) continue;
    std::fflush(stdout);
    fmt::print(stderr, "kallima: {} is wrong: {}\n", result.facts.name,
               errors_text(*result.errors, limit));
  }
  return code;
}

ExitCode run(const Session& session, const BenchArguments& arguments) {
  const Task task = task_of(arguments, session.size);
  const std::vector<Result> results = results_of(session, arguments, task);
  if (session.speaks()) {
    const std::string text = arguments.json ? bench_json(session, task, results).dump(2) + "\n"
                                            : bench_text(session, task, results, arguments.warm_up);
    std::fputs(text.c_str(), stdout);
  }
  return judge(session, results, promised_error(task.request.problem));
}

void add_options(CLI::App& command, BenchArguments& arguments) {
  arguments.what.add_to(command);
  command
      .add_option("-i,--iterations", arguments.iterations,
                  "Timed runs (default: a few seconds' worth, at least 5)")
      ->type_name("N")
      ->check(at_least(1));
  command.add_option("-x,--warm-up", arguments.warm_up, "Runs before that (default: 2)")
      ->type_name("N")
      ->check(at_least(0));
  add_choice<Effort>(
      command, "--effort", arguments.effort,
      {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}},
      "How hard the FFT engine plans")
      ->type_name("EFFORT");
  command.add_flag("--in-place", arguments.in_place, "Transform in one array");
  command.add_flag("--backward", arguments.backward, "Time the way back, frequency to position");
  command.add_flag("--verify", arguments.verify,
                   "Check 64 outputs by direct sums, and the way there and back");
  command.add_flag("--json", arguments.json, "Print one JSON object, schema kallima.bench/1");
}

}  // namespace

void add_bench(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App& command =
      *program.add_subcommand("bench", "Time and verify transforms; start it under mpirun");
  add_options(command, *arguments);
  command.footer(std::string(layout_help) + "\n" + examples);
  command.callback([arguments, &chosen] {
    chosen = [arguments](const Arguments& words) {
      return under_mpi(words, [&](const Session& session) { return run(session, *arguments); });
    };
  });
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima trace`: how long ranks compute, wait and have messages in flight, and how much of that
// is hidden, from files that a traced run wrote. Never starts MPI.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "command.hpp"
#include "kallima/error.hpp"
#include "options.hpp"
#include "session.hpp"
#include "table.hpp"
#include "timeline.hpp"
#include "trace_file.hpp"
#include "trace_summary.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TraceArguments {
  std::vector<std::string> files;
  std::vector<std::string> beside;
  std::optional<Index> run;
  std::string plot;
  bool json = false;
};

constexpr const char* trace_examples = R"(
FILE: written by `kallima bench PROBLEM --trace FILE` for all ranks, or by a program that was
started with KALLIMA_TRACE=FILE, one for each rank; give those of all ranks. chrome://tracing and
https://ui.perfetto.dev open them too.

Examples:
  kallima trace ranks.json                                         the last run, in figures
  kallima trace ranks.json --run 0 --plot ranks.svg                the first, drawn
  kallima trace bulk.json --beside pipelined.json --plot both.pdf  two, over one scale of time)";

/// One run of a trace.
struct TracedRun {
  std::string file;  ///< the first, without its folder
  Trace trace;       ///< events are those of the run
  std::vector<Index> runs;
  RunSummary summary;
};

TracedRun run_in(const std::vector<std::string>& files, std::optional<Index> wanted) {
  TracedRun result;
  result.file = std::filesystem::path(files.front()).filename().string();
  result.trace = read_trace(files);
  result.runs = runs_of(result.trace.events);
  const Index run = wanted.value_or(result.runs.back());
  if (!std::binary_search(result.runs.begin(), result.runs.end(), run)) {
    throw InvalidOption(fmt::format("there is no run {} in {}; give --run a number from {} to {}",
                                    run, files.front(), result.runs.front(), result.runs.back()));
  }
  result.trace.events = events_of(result.trace.events, run);
  result.summary = summary_of(result.trace.events);
  return result;
}

std::string percent(double part, double whole) {
  return whole > 0. ? fmt::format("{:.0f} %", 100. * part / whole) : "-";
}

std::vector<std::string> time_cells(const Times& times, double run) {
  const auto cell = [run](double seconds) { return part_duration(seconds, run); };
  return {cell(times.whole),
          cell(times.computing),
          percent(times.computing, times.whole),
          cell(times.waiting),
          percent(times.waiting, times.whole),
          cell(times.in_flight),
          percent(times.in_flight, times.whole),
          cell(times.hidden),
          percent(times.hidden, times.in_flight)};
}

std::vector<std::string> row(const std::string& name, std::vector<std::string> cells,
                             const std::string& bytes, const std::string& messages) {
  cells.insert(cells.begin(), name);
  cells.push_back(bytes);
  cells.push_back(messages);
  return cells;
}

std::string run_text(const TracedRun& traced) {
  if (traced.runs.size() == 1) return "the only run";
  return fmt::format("run {} of {}..{}", traced.summary.run, traced.runs.front(),
                     traced.runs.back());
}

std::string head_text(const TracedRun& traced) {
  const auto found = static_cast<Index>(traced.trace.found.size());
  std::string text = fmt::format("{} on {}, {}\n", traced.trace.problem,
                                 text::plural(traced.trace.ranks, "rank"), run_text(traced));
  if (found < traced.trace.ranks) {
    text += fmt::format("Only {} of the ranks are here; give the files of the others too.\n",
                        text::grouped(found));
  }
  return text;
}

std::string table_text(const RunSummary& run) {
  std::vector<std::vector<std::string>> rows = {{"rank", "time", "computing", "", "waiting", "",
                                                 "in flight", "", "hidden", "", "moved",
                                                 "messages"}};
  for (const RankSummary& rank : run.ranks) {
    rows.push_back(row(text::grouped(rank.rank), time_cells(rank.times, run.seconds()),
                       text::bytes(rank.bytes_sent), text::grouped(rank.messages_sent)));
  }
  rows.push_back(row("mean", time_cells(run.mean, run.seconds()), "", ""));
  std::vector<std::string> whole(9);
  whole.front() = part_duration(run.seconds(), run.seconds());
  rows.push_back(row("all", whole, text::bytes(run.bytes_sent), text::grouped(run.messages_sent)));
  return table(rows);
}

constexpr const char* key =
    "In flight: while messages travel, to or from the rank; hidden: of that, while it computes.\n"
    "Moved: bytes in messages, or read in place by shared memory, without messages.\n";

Json times_json(const Times& times) {
  return {{"seconds", times.whole},
          {"computing_s", times.computing},
          {"waiting_s", times.waiting},
          {"in_flight_s", times.in_flight},
          {"hidden_s", times.hidden}};
}

Json run_json(const TracedRun& traced) {
  Json list = Json::array();
  for (const RankSummary& rank : traced.summary.ranks) {
    Json one = {{"rank", rank.rank}};
    one.update(times_json(rank.times));
    one["bytes_sent"] = rank.bytes_sent;
    one["messages_sent"] = rank.messages_sent;
    list.push_back(std::move(one));
  }
  return {{"problem", traced.trace.problem},
          {"plan", traced.trace.plan},
          {"ranks", traced.trace.ranks},
          {"ranks_found", traced.trace.found.size()},
          {"runs", traced.runs.size()},
          {"run", traced.summary.run},
          {"seconds", traced.summary.seconds()},
          {"bytes_sent", traced.summary.bytes_sent},
          {"messages_sent", traced.summary.messages_sent},
          {"mean", times_json(traced.summary.mean)},
          {"by_rank", std::move(list)}};
}

/// Names of files are any bytes; a picture takes ASCII.
std::string drawable(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

Timeline timeline_of(const TracedRun& traced) {
  const Times& mean = traced.summary.mean;
  std::string note = fmt::format(
      "{} from {}: {}; ranks compute {} of it and wait {}", run_text(traced), drawable(traced.file),
      part_duration(traced.summary.seconds(), traced.summary.seconds()),
      percent(mean.computing, mean.whole), percent(mean.waiting, mean.whole));
  if (mean.in_flight > 0.) {
    note += fmt::format("; messages are in flight {}, of which {} hidden",
                        percent(mean.in_flight, mean.whole), percent(mean.hidden, mean.in_flight));
  }
  return {fmt::format("{} on {}", traced.trace.problem, text::plural(traced.trace.ranks, "rank")),
          note, traced.trace.events};
}

ExitCode run(const TraceArguments& arguments) {
  std::vector<TracedRun> traced = {run_in(arguments.files, arguments.run)};
  if (!arguments.beside.empty()) traced.push_back(run_in(arguments.beside, arguments.run));
  if (launched_rank() != 0) return ExitCode::good;
  if (!arguments.plot.empty()) {
    std::vector<Timeline> timelines;
    for (const TracedRun& one : traced) timelines.push_back(timeline_of(one));
    draw(timelines, arguments.plot);
  }
  if (arguments.json) {
    Json json = {{"schema", "kallima.trace-summary/1"}};
    json.update(run_json(traced.front()));
    json["beside"] = traced.size() > 1 ? run_json(traced.back()) : Json();
    fmt::print("{}\n", json.dump(2));
    return ExitCode::good;
  }
  for (const TracedRun& one : traced) fmt::print("{}{}\n", head_text(one), table_text(one.summary));
  fmt::print("{}", key);
  return ExitCode::good;
}

}  // namespace

void add_trace(Command program, Action& chosen) {
  const auto arguments = std::make_shared<TraceArguments>();
  Command command = program.add_subcommand(
      "trace", "Say from a trace what ranks did, and what was hidden; no MPI");
  command.add_files("FILE", arguments->files, "A trace, or one of each rank")
      .required()
      .type_name("");
  command
      .add_files("--beside", arguments->beside,
                 "A trace to compare with; once for each file of several")
      .type_name("FILE");
  command.add_option("--run", arguments->run, "Which of the runs; the last, if not given")
      .at_least(0)
      .type_name("N");
  command.add_picture("--plot", arguments->plot, "Draw it");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, schema kallima.trace-summary/1");
  command.footer(trace_examples);
  command.callback(
      [arguments, &chosen] { chosen = [arguments](const Arguments&) { return run(*arguments); }; });
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima bench`: how fast and how exact, here and now, on the ranks it was started on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/learning.hpp"
#include "api/request.hpp"
#include "assumed_links.hpp"
#include "base/file.hpp"
#include "base/plain_memory.hpp"
#include "comm/agreement.hpp"
#include "command.hpp"
#include "kallima/buffer.hpp"
#include "kallima/error.hpp"
#include "machine_arguments.hpp"
#include "mpi_counter.hpp"
#include "options.hpp"
#include "problem_arguments.hpp"
#include "report.hpp"
#include "resident.hpp"
#include "rivals/rivals.hpp"
#include "session.hpp"
#include "terminal.hpp"
#include "tuning.hpp"
#include "verify.hpp"
#include "wisdom_file.hpp"

namespace kallima::cli {

namespace {

struct BenchArguments {
  ProblemArguments what;
  MachineArguments on;
  std::vector<std::string> against;
  std::string wisdom;
  std::string plans;
  std::string tune;
  std::optional<Index> iterations;
  Index warm_up = 2;
  Effort effort = Effort::estimate;
  bool effort_given = false;
  PlanEffort plan_effort = PlanEffort::estimate;
  double planning_seconds = Options().planning_seconds;
  bool adaptive = false;
  Index threads = 1;
  bool in_place = false;
  bool backward = false;
  bool verify = false;
  bool explain = false;
  std::string trace;
  bool json = false;
};

constexpr const char* bench_examples = R"(
Examples:
  mpirun -n 4 kallima bench c2c:256^3
  mpirun -n 4 kallima bench c2c:256^3:f32 --verify --in slab --out same
  mpirun -n 2 kallima bench c2c:128^3 --against bare,fftw-mpi
  mpirun -n 2 kallima bench r2c:128^3 --in-place --padded
  mpirun -n 2 kallima bench c2c:128^3 --explain --machine here.toml
  mpirun -n 2 kallima bench c2c:128^3 --trace trace.json
  mpirun -n 2 kallima bench c2c:128^3 --tune-into plans.json
  mpirun -n 2 kallima bench c2c:1000x999 -i 100 -x 10 --engine-effort measure --json
  mpirun -n 2 kallima bench c2c:128^3 --plan-effort measure --explain
  mpirun -n 2 kallima bench c2c:128^3 --adaptive --explain)";

Task task_of(const BenchArguments& arguments, Index ranks) {
  Task task;
  task.request = arguments.what.request(ranks, arguments.on.machine());
  const bool back = arguments.backward || arguments.what.is_way_back();
  task.direction = back ? Direction::backward : Direction::forward;
  // Rivals are to be met at their best.
  const bool at_best = !arguments.against.empty() && !arguments.effort_given;
  task.effort = at_best ? Effort::measure : arguments.effort;
  task.plan_effort = arguments.plan_effort;
  task.planning_seconds = arguments.planning_seconds;
  task.adaptive = arguments.adaptive;
  task.in_place = arguments.in_place;
  task.threads = arguments.threads;
  task.plans = arguments.tune.empty() ? arguments.plans : arguments.tune;
  task.trace = !arguments.trace.empty();
  return task;
}

/// The arrays that all use, touched everywhere, so that no contender is charged for them.
class SharedArrays {
 public:
  SharedArrays(const Session& session, const Contenders& contenders) {
    Needs most;
    for (const auto& contender : contenders) {
      most.source = std::max(most.source, contender->needs().source);
      most.target = std::max(most.target, contender->needs().target);
    }
    agree(*comm::Communicator::of(session.comm), comm::Verdict::of([&] {
      const auto memory = std::make_shared<PlainMemory>();
      source_ = Buffer(memory, most.source, "input array");
      target_ = Buffer(memory, most.target, "output array");
      for (const Buffer* const buffer : {&source_, &target_}) {
        const BufferView bytes = buffer->view();
        std::fill_n(bytes.data, bytes.bytes, std::byte{0});
      }
    }));
  }

  [[nodiscard]] Memory memory() const { return {source_.view().data, target_.view().data}; }

 private:
  Buffer source_;
  Buffer target_;
};

/// Plans a contender and watches what that and one run take. Collective.
Price planned(const Session& session, Contender& contender, const Memory& memory) {
  const std::optional<Index> before = resident_bytes();
  MPI_Barrier(session.comm);
  const double start = MPI_Wtime();
  contender.plan(memory);
  Price price;
  price.seconds = largest(session, MPI_Wtime() - start) + contender.facts().timed_plans;
  contender.prepare();
  forget_peak();
  const Index given = bytes_given_to_mpi();
  contender.run();
  price.bytes_sent = total(session, bytes_given_to_mpi() - given);
  if (contender.facts().bytes_sent) price.bytes_sent = *contender.facts().bytes_sent;
  const std::optional<Index> peak = peak_resident_bytes();
  const Index taken = before && peak ? std::max<Index>(0, *peak - *before) : -1;
  const Index most = largest(session, taken);
  if (most >= 0) price.memory = most;
  return price;
}

/// Plans all. A rival that has no plan for this problem leaves the list: FFTW's MPI part lacks some
/// on one rank. Its engine fails alike on all ranks. Collective.
std::vector<Price> planned(const Session& session, Contenders& contenders, const Memory& memory,
                           Progress& progress) {
  std::vector<Price> prices;
  for (auto& contender : contenders) {
    progress.show(fmt::format("planning {}", contender->facts().name));
    try {
      prices.push_back(planned(session, *contender, memory));
    } catch (const EngineFailure& failure) {
      if (contender->facts().group == "kallima") throw;
      progress.clear();
      if (session.speaks()) {
        fmt::print(stderr, "kallima: without {}: {}\n", contender->facts().name, failure.what());
      }
      contender.reset();
    }
  }
  std::erase(contenders, nullptr);
  return prices;
}

/// Kallima, and where there are rivals, once more with the least effort; then the rivals.
Contenders contenders_of(const Session& session, const BenchArguments& arguments,
                         const Task& task) {
  Contenders contenders;
  contenders.push_back(make_kallima(session, task));
  const std::vector<std::string>& against = arguments.against;
  if (arguments.explain && std::find(against.begin(), against.end(), copy_name) == against.end()) {
    contenders.push_back(std::move(make_copy(session, task).front()));
  }
  if (against.empty()) return contenders;
  if (task.effort != Effort::estimate) {
    Task hasty = task;
    hasty.effort = Effort::estimate;
    contenders.push_back(make_kallima(session, hasty));
  }
  for (auto& rival : make_rivals(session, task, against)) {
    contenders.push_back(std::move(rival));
  }
  return contenders;
}

/// The rows of a table: every contender, and with rivals Kallima against itself, which shows what
/// of a ratio is noise.
std::vector<Result> rows_of(const Contenders& contenders, std::vector<Contender*>& runners,
                            const std::vector<Price>& prices, bool alone) {
  std::vector<Result> rows;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    const Facts& facts = contenders[c]->facts();
    const bool hasty = c > 0 && facts.group == "kallima";
    rows.push_back({hasty ? "kallima/estimate" : facts.name, facts, prices[c], {}, {}});
    runners.push_back(contenders[c].get());
    if (c > 0 || alone) continue;
    rows.push_back({"kallima/again", facts, prices[c], {}, {}});
    runners.push_back(contenders[c].get());
  }
  return rows;
}

/// Adds the row of what the engine's parts cost together.
void add_bare_sum(std::vector<Result>& rows) {
  const auto called = [&](const char* name) {
    return std::find_if(rows.begin(), rows.end(), [&](const Result& r) { return r.name == name; });
  };
  const auto sweeps = called("bare/sweeps");
  const auto exchange = called("bare/all-to-all");
  if (sweeps == rows.end() || exchange == rows.end()) return;
  Result sum = *exchange;
  sum.name = sum.facts.name = "bare/sum";
  sum.facts.passes = *sweeps->facts.passes + *exchange->facts.passes;
  for (std::size_t i = 0; i < sum.runs.slowest.size(); ++i) {
    sum.runs.slowest[i] += sweeps->runs.slowest[i];
    sum.runs.mean[i] += sweeps->runs.mean[i];
  }
  sum.price.seconds += sweeps->price.seconds;
  rows.insert(exchange + 1, std::move(sum));
}

/// Runs all contenders. Collective; the results are the same on all ranks.
std::vector<Result> results_of(const Session& session, const BenchArguments& arguments,
                               const Task& task) {
  Progress progress(session.speaks());
  Contenders contenders = contenders_of(session, arguments, task);
  const WisdomFile wisdom(session, arguments.wisdom);
  const SharedArrays arrays(session, contenders);
  const std::vector<Price> prices = planned(session, contenders, arrays.memory(), progress);
  wisdom.keep();
  std::vector<Contender*> runners;
  std::vector<Result> rows = rows_of(contenders, runners, prices, arguments.against.empty());
  for (std::size_t r = 0; r < rows.size() && arguments.verify; ++r) {
    const bool again = r > 0 && runners[r] == runners[r - 1];
    rows[r].errors = again ? rows[r - 1].errors : runners[r]->verify(progress);
  }
  std::vector<Runs> runs =
      timed_rounds(session, runners, {arguments.iterations, arguments.warm_up}, progress);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].runs = std::move(runs[r]);
  rows.front().links = assumed_links(session, [&] {
    return placed(task.request, options_for(task), *comm::Communicator::of(session.comm));
  });
  if (arguments.explain) {
    const Result* const copy = copy_row(rows);
    rows.front().explained =
        runners.front()->explained(copy == nullptr ? 0. : spread_of(copy->runs.slowest).median);
  }
  if (!arguments.trace.empty()) {
    const std::string trace = runners.front()->traced();
    agree(*comm::Communicator::of(session.comm), comm::Verdict::of([&] {
      if (session.speaks()) write_file(arguments.trace, trace);
    }));
  }
  add_bare_sum(rows);
  return rows;
}

/// Names the contenders that are wrong, for those who do not read tables.
ExitCode judge(const Session& session, const std::vector<Result>& rows, double limit) {
  ExitCode code = ExitCode::good;
  for (const Result& row : rows) {
    const double allowed = row.facts.promised_error.value_or(limit);
    if (!row.errors || within(*row.errors, allowed)) continue;
    // A rival that is less exact than this library promises is a finding, not a failure of ours.
    if (row.facts.group == "kallima") code = ExitCode::answer_is_no;
    if (!session.speaks()) continue;
    std::fflush(stdout);
    fmt::print(stderr, "kallima: {} is wrong: {}\n", row.name, errors_text(*row.errors, allowed));
  }
  return code;
}

ExitCode run(const Session& session, const BenchArguments& arguments) {
  Task task = task_of(arguments, session.size);
  const Problem& problem = task.request.problem;
  if (arguments.verify && problem.truncated() && problem.complex_positions() &&
      task.direction == Direction::backward) {
    throw InvalidOption(
        "--verify compares with sums over all frequencies, and not all are kept; verify the way "
        "forward, or leave k= out");
  }
  if (!arguments.plans.empty() && !has_plans(session, task)) task.plans.clear();
  if (!arguments.tune.empty()) {
    const std::string tuned = tune_into(session, task);
    if (session.speaks() && !arguments.json) std::fputs(tuned.c_str(), stdout);
  }
  const std::vector<Result> rows = results_of(session, arguments, task);
  if (session.speaks()) {
    const std::string text = arguments.json ? bench_json(session, task, rows).dump(2) + "\n"
                                            : bench_text(session, task, rows, arguments.warm_up);
    std::fputs(text.c_str(), stdout);
  }
  return judge(session, rows, promised_error(task.request.problem));
}

void add_options(Command command, BenchArguments& arguments) {
  arguments.what.add_to(command);
  arguments.on.add_to(command);
  command
      .add_option("-i,--iterations", arguments.iterations,
                  "Timed runs (default: a few seconds' worth, at least 5)")
      .type_name("N")
      .at_least(1);
  command.add_option("-x,--warm-up", arguments.warm_up, "Runs before that (default: 2)")
      .type_name("N")
      .at_least(0);
  command
      .add_choice<Effort>("--engine-effort", arguments.effort,
                          {{"estimate", Effort::estimate},
                           {"measure", Effort::measure},
                           {"patient", Effort::patient}},
                          "How hard FFT engines plan")
      .type_name("EFFORT");
  command
      .add_choice<PlanEffort>(
          "--plan-effort", arguments.plan_effort,
          {{"estimate", PlanEffort::estimate}, {"measure", PlanEffort::measure}},
          "Price plans, or time some")
      .type_name("EFFORT");
  command
      .add_option("--planning-seconds", arguments.planning_seconds,
                  "That --plan-effort measure may take (default: 2)")
      .type_name("S");
  command.add_flag("--adaptive", arguments.adaptive,
                   "Let the first 20 runs try ways to exchange, before the timed ones");
  command
      .add_option("--against", arguments.against,
                  "Run in turns with rivals, engines planned by measure")
      .type_name("LIST");
  command
      .add_option("--wisdom", arguments.wisdom,
                  "Keep what FFT engines learn in this file, and use what is in it")
      .type_name("FILE");
  // Not --tune: Open MPI's mpirun takes that for its own, behind the program's name too.
  const Option tune = command
                          .add_option("--tune-into", arguments.tune,
                                      "Time plans of about one price; keep the fastest here")
                          .type_name("FILE");
  command.add_option("--plans", arguments.plans, "Use the plans that --tune-into kept in this file")
      .type_name("FILE")
      .excludes(tune);
  command
      .add_option("--threads", arguments.threads, "Threads that share a rank's sweeps (default: 1)")
      .type_name("N")
      .at_least(1);
  command.add_flag("--in-place", arguments.in_place, "Transform in one array");
  command.add_flag("--backward", arguments.backward, "Time the way back, frequency to position");
  command.add_flag("--verify", arguments.verify,
                   "Check 64 outputs by direct sums, and the way there and back");
  command.add_flag("--explain", arguments.explain,
                   "Show what each step was priced at, how long it took, and what binds it");
  command
      .add_option("--trace", arguments.trace,
                  "Write what ranks did and when to this file, for `kallima trace` and browsers")
      .type_name("FILE");
  command.add_flag("--json", arguments.json, "Print one JSON object, schema kallima.bench/3");
}

}  // namespace

void add_bench(Command program, Action& chosen) {
  const auto arguments = std::make_shared<BenchArguments>();
  Command command =
      program.add_subcommand("bench", "Time and verify transforms; start it under mpirun");
  add_options(command, *arguments);
  command.footer(problem_help() + "\nLIST: some of " + known_rivals() + "\n" + bench_examples);
  command.callback([arguments, command, &chosen] {
    arguments->effort_given = command.given("--engine-effort");
    // What is timed has learned.
    if (arguments->adaptive) arguments->warm_up = std::max(arguments->warm_up, Learning::most_runs);
    chosen = [arguments](const Arguments& words) {
      return under_mpi(words, [&](const Session& session) { return run(session, *arguments); });
    };
  });
}

}  // namespace kallima::cli

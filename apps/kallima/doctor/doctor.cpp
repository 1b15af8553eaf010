// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima doctor`: what in this MPI and on these nodes will hurt, and the exact fix. All ranks
// look and measure, rank 0 judges, so that there is one verdict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "gather.hpp"
#include "here.hpp"
#include "judge.hpp"
#include "options.hpp"
#include "session.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using doctor::Check;
using doctor::Facts;
using doctor::Verdict;
using Json = nlohmann::ordered_json;

constexpr const char* doctor_examples = R"(
Examples:
  mpirun -n 4 kallima doctor           as the job will be started: same nodes, ranks, options
  mpirun -n 4 kallima doctor --json
  mpirun -n 4 kallima doctor --strict  for scripts that are to stop where something hurts

Ends with 1 where something fails, 0 otherwise; with --strict also with 1 where something hurts.)";

struct DoctorArguments {
  bool json = false;
  bool strict = false;
};

std::string wrapped(const std::string& paragraph) {
  constexpr std::size_t width = 98;
  std::string text;
  std::size_t used = width;
  for (const std::string& word : text::words(paragraph)) {
    const bool fits = used + 1 + word.size() <= width;
    if (!text.empty()) text += fits ? " " : "\n";
    if (!fits || text.empty()) text += "  ";
    used = fits ? used + 1 + word.size() : 2 + word.size();
    text += word;
  }
  return text;
}

Index count_of(const std::vector<Check>& checks, Verdict verdict) {
  return std::count_if(checks.begin(), checks.end(),
                       [&](const Check& check) { return check.verdict == verdict; });
}

/// "1 thing fails, 2 things hurt".
std::string summary(const std::vector<Check>& checks) {
  const Index failing = count_of(checks, Verdict::fails);
  const Index hurting = count_of(checks, Verdict::hurts);
  std::vector<std::string> all;
  if (failing > 0)
    all.push_back(text::plural(failing, "thing") + (failing == 1 ? " fails" : " fail"));
  if (hurting > 0)
    all.push_back(text::plural(hurting, "thing") + (hurting == 1 ? " hurts" : " hurt"));
  return all.empty() ? "nothing hurts" : fmt::format("{}", fmt::join(all, ", "));
}

std::string report(const Session& session, const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows = {{"check", "verdict", "found"}};
  for (const Check& check : checks) {
    rows.push_back({check.name, std::string(name_of(check.verdict)), check.found});
  }
  std::string text =
      fmt::format("{}\nlooked at: {}\n\n{}", heading("doctor"), here(session), list(rows));
  for (const Check& check : checks) {
    if (check.fix.empty()) continue;
    text += fmt::format("\n{}\n{}\n", heading(check.name), wrapped(check.fix));
  }
  return text + "\n" + summary(checks) + "\n";
}

Json report_json(const Session& session, const Facts& facts, const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"verdict", name_of(check.verdict)},
                    {"found", check.found},
                    {"fix", check.fix.empty() ? Json() : Json(check.fix)}});
  }
  Json overlaps = Json::array();
  for (const doctor::Overlap& overlap : facts.overlaps) {
    overlaps.push_back({{"from", overlap.from},
                        {"to", overlap.to},
                        {"same_node", overlap.same_node},
                        {"moved", overlap.moved}});
  }
  Json sizes = Json::array();
  for (const doctor::AllToAll& size : facts.all_to_all) {
    sizes.push_back({{"bytes", size.bytes}, {"mpi_s", size.mpi}, {"own_s", size.own}});
  }
  return {{"schema", "kallima.doctor/3"},
          {"mpi", facts.library},
          {"ranks", session.size},
          {"nodes", session.nodes},
          {"fails", count_of(checks, Verdict::fails)},
          {"hurts", count_of(checks, Verdict::hurts)},
          {"checks", std::move(list)},
          {"progress", std::move(overlaps)},
          {"all_to_all", std::move(sizes)}};
}

ExitCode run(const Session& session, const DoctorArguments& arguments) {
  Progress progress(session.speaks());
  const Facts facts = doctor::gathered(session, progress);
  progress.clear();
  int bad = 0;
  if (session.speaks()) {
    const std::vector<Check> checks = doctor::judge(facts);
    const bool hurts = count_of(checks, Verdict::hurts) > 0;
    bad = count_of(checks, Verdict::fails) > 0 || (arguments.strict && hurts) ? 1 : 0;
    // Where the launcher is another MPI's, every process is rank 0; the first speaks for all.
    if (launched_rank() == 0) {
      const std::string text = arguments.json ? report_json(session, facts, checks).dump(2) + "\n"
                                              : report(session, checks);
      std::fputs(text.c_str(), stdout);
    }
  }
  MPI_Bcast(&bad, 1, MPI_INT, 0, session.comm);
  return bad != 0 ? ExitCode::answer_is_no : ExitCode::good;
}

}  // namespace

void add_doctor(Command program, Action& chosen) {
  const auto arguments = std::make_shared<DoctorArguments>();
  Command command = program.add_subcommand(
      "doctor", "What in this MPI and machine will hurt, and the fix; start it under mpirun");
  command.add_flag("--strict", arguments->strict, "End with 1 also where something only hurts");
  command.add_flag("--json", arguments->json, "Print one JSON object, schema kallima.doctor/3");
  command.footer(doctor_examples);
  command.callback([arguments, &chosen] {
    chosen = [arguments](const Arguments& words) {
      return under_mpi(words, [&](const Session& session) { return run(session, *arguments); });
    };
  });
}

}  // namespace kallima::cli

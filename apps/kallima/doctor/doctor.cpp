// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima doctor`: what in this MPI and on these nodes will hurt, and the exact fix. All ranks
// look and measure, rank 0 judges, so that there is one verdict.
#include <fmt/format.h>

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

Ends with 1 where something hurts, 0 otherwise.)";

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

std::string report(const Session& session, const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows = {{"check", "verdict", "found"}};
  for (const Check& check : checks) {
    rows.push_back({check.name, std::string(name_of(check.verdict)), check.found});
  }
  std::string text =
      fmt::format("{}\nlooked at: {}\n\n{}", heading("doctor"), here(session), list(rows));
  for (const Check& check : checks) {
    if (check.verdict != Verdict::hurts) continue;
    text += fmt::format("\n{}\n{}\n", heading(check.name), wrapped(check.fix));
  }
  const Index hurting = count_of(checks, Verdict::hurts);
  text += fmt::format("\n{}\n", hurting == 0 ? "nothing hurts"
                                             : text::plural(hurting, "thing") +
                                                   (hurting == 1 ? " hurts" : " hurt"));
  return text;
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
  return {{"schema", "kallima.doctor/2"},
          {"mpi", facts.library},
          {"ranks", session.size},
          {"nodes", session.nodes},
          {"hurts", count_of(checks, Verdict::hurts)},
          {"checks", std::move(list)},
          {"progress", std::move(overlaps)},
          {"all_to_all", std::move(sizes)}};
}

ExitCode run(const Session& session, bool json) {
  Progress progress(session.speaks());
  const Facts facts = doctor::gathered(session, progress);
  progress.clear();
  int hurting = 0;
  if (session.speaks()) {
    const std::vector<Check> checks = doctor::judge(facts);
    hurting = count_of(checks, Verdict::hurts) > 0 ? 1 : 0;
    // Where the launcher is another MPI's, every process is rank 0; the first speaks for all.
    if (launched_rank() == 0) {
      const std::string text =
          json ? report_json(session, facts, checks).dump(2) + "\n" : report(session, checks);
      std::fputs(text.c_str(), stdout);
    }
  }
  MPI_Bcast(&hurting, 1, MPI_INT, 0, session.comm);
  return hurting != 0 ? ExitCode::answer_is_no : ExitCode::good;
}

}  // namespace

void add_doctor(Command program, Action& chosen) {
  const auto json = std::make_shared<bool>(false);
  Command command = program.add_subcommand(
      "doctor", "What in this MPI and machine will hurt, and the fix; start it under mpirun");
  command.add_flag("--json", *json, "Print one JSON object, schema kallima.doctor/2");
  command.footer(doctor_examples);
  command.callback([json, &chosen] {
    chosen = [json](const Arguments& words) {
      return under_mpi(words, [&](const Session& session) { return run(session, *json); });
    };
  });
}

}  // namespace kallima::cli

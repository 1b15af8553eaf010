// SPDX-License-Identifier: BSD-3-Clause
//
// The program: parses the command line, runs the subcommand, turns errors into exit codes.
#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "failure.hpp"
#include "kallima/version.h"
#include "options.hpp"
#include "session.hpp"

namespace kallima::cli {

namespace {

constexpr const char* program_description =
    "Fourier transforms of arrays that are spread over many memories.";

constexpr const char* footer = R"(Examples:
  kallima plan c2c:512^3 -n 64                  what would be done on 64 ranks
  kallima predict c2c:512^3 -n 1..4096          what it will cost, on any number of ranks
  mpirun -n 4 kallima calibrate -o here.toml    what this machine is, to price on
  mpirun -n 4 kallima bench c2c:256^3 --verify  how fast and how exact it is here
  mpirun -n 4 kallima doctor                    what in this MPI and machine will hurt
  kallima simulate butterfly -n 4096 -P 16 -g 8 -L 20   what a schedule hides, node by node
  kallima trace ranks.json --plot ranks.svg     what each rank did when, and what was hidden
  kallima simulate c2c:128^3 -n 64 --platform f what 64 ranks do over a simulated network

PROBLEM:
  c2c:512x512x512     complex to complex, double precision
  c2c:256^3:f32       three axes of 256, single precision
  c2c:2^30            one axis of 2^30 (base 2 is a power, others repeat an axis)

Exit codes: 0 good, 1 the answer is no (a check failed), 2 bad usage, 3 MPI or the machine failed.
`kallima SUBCOMMAND --help` shows the options of a subcommand.)";

void print_once(const std::string& text) {
  if (launched_rank() == 0) std::fputs(text.c_str(), stdout);
}

ExitCode run(const Arguments& arguments) {
  Action chosen;
  Report report;
  const auto add_all = [&](Command program) {
    add_calibrate(program, chosen);
    for (const auto add : {add_plan, add_predict, add_advise}) add(program, report);
    for (const auto add : {add_bench, add_doctor, add_trace, add_export, add_simulate}) {
      add(program, chosen);
    }
  };
  const auto ending =
      parse(arguments, {"kallima", KALLIMA_VERSION, program_description, footer}, add_all);
  if (!ending && chosen) return chosen(arguments);
  if (!ending) {
    print_once(report());
    return ExitCode::good;
  }
  if (ending->code != ExitCode::good) return fail_everywhere(arguments, ending->code, ending->text);
  print_once(ending->text);
  return ExitCode::good;
}

}  // namespace

}  // namespace kallima::cli

int main(int argc, char** argv) {
  using namespace kallima::cli;
  const Arguments arguments(argv + std::min(argc, 1), argv + argc);
  try {
    return static_cast<int>(run(arguments));
  } catch (...) {
    const Failure failure = current_failure();
    return static_cast<int>(fail_everywhere(arguments, failure.code, failure.text));
  }
}

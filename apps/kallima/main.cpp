// SPDX-License-Identifier: BSD-3-Clause
//
// The program: parses the command line, runs the subcommand, turns errors into exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "command.hpp"
#include "failure.hpp"
#include "session.hpp"

namespace kallima::cli {

namespace {

constexpr const char* description =
    "Fourier transforms of arrays that are spread over many memories.";

constexpr const char* footer = R"(Examples:
  kallima plan c2c:512^3 -n 64                  what would be done on 64 ranks
  kallima predict c2c:512^3 -n 1..4096          what it will cost, on any number of ranks
  mpirun -n 4 kallima calibrate -o here.toml    what this machine is, to price on
  mpirun -n 4 kallima bench c2c:256^3 --verify  how fast and how exact it is here
  mpirun -n 4 kallima doctor                    what in this MPI and machine will hurt

PROBLEM:
  c2c:512x512x512     complex to complex, double precision
  c2c:256^3:f32       three axes of 256, single precision
  c2c:2^30            one axis of 2^30 (base 2 is a power, others repeat an axis)

Exit codes: 0 good, 1 the answer is no (a check failed), 2 bad usage, 3 MPI or the machine failed.
`kallima SUBCOMMAND --help` shows the options of a subcommand.)";

/// What to type for help on what was typed.
std::string help_command(const CLI::App& program) {
  const auto called = program.get_subcommands();
  return called.empty() ? "kallima --help"
                        : fmt::format("kallima {} --help", called.front()->get_name());
}

/// The names of all subcommands.
std::string known_subcommands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* const command : program.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string usage_error(const CLI::App& program, const Arguments& arguments,
                        const CLI::ParseError& error) {
  if (arguments.empty()) return program.help();
  std::string what = error.what();
  if (program.get_subcommands().empty() && !arguments.front().starts_with('-')) {
    what = fmt::format("there is no subcommand '{}'; use one of {}", arguments.front(),
                       known_subcommands(program));
  }
  return fmt::format("kallima: {}\nSee: {}\n", what, help_command(program));
}

void print_once(const std::string& text) {
  if (launched_rank() == 0) std::fputs(text.c_str(), stdout);
}

ExitCode run(const Arguments& arguments) {
  CLI::App program(description, "kallima");
  Action chosen;
  program.footer(footer);
  program.get_formatter()->label("REQUIRED", "(required)");
  program.require_subcommand(1);
  program.set_version_flag("--version", "kallima " KALLIMA_VERSION, "Print the version and exit");
  for (const auto add : {add_calibrate, add_plan, add_predict, add_advise, add_bench, add_doctor})
    add(program, chosen);
  try {
    program.parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes the last first
  } catch (const CLI::CallForVersion& call) {
    print_once(fmt::format("{}\n", call.what()));
    return ExitCode::good;
  } catch (const CLI::CallForHelp&) {
    print_once(program.help());
    return ExitCode::good;
  } catch (const CLI::ParseError& error) {
    return fail_everywhere(arguments, ExitCode::bad_usage, usage_error(program, arguments, error));
  }
  return chosen(arguments);
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

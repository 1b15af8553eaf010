// SPDX-License-Identifier: BSD-3-Clause
//
// What a subcommand is to the program: a file with one function that adds it. To add one, write
// NAME.cpp with add_NAME, declare it here and list it in main.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kallima::cli {

class Command;

/// How the program ends. Scripts rely on it.
enum class ExitCode : int {
  good = 0,
  answer_is_no = 1,   ///< a check that was asked for failed
  bad_usage = 2,      ///< the command line is wrong, or names what cannot be
  machine_failed = 3  ///< MPI, memory or a file
};

/// The words of the command line, behind the program's name.
using Arguments = std::vector<std::string>;

/// Does what a subcommand was asked.
using Action = std::function<ExitCode(const Arguments&)>;

/// What a subcommand has to say that asks nothing but what it was told: the same on all ranks.
using Report = std::function<std::string()>;

/// `kallima plan`: the steps and layouts, for ranks that need not be there.
void add_plan(Command program, Report& chosen);

/// `kallima calibrate`: measures the machine it is started on.
void add_calibrate(Command program, Action& chosen);

/// `kallima predict`: what a transform will cost, for ranks and machines that need not be there.
void add_predict(Command program, Report& chosen);

/// `kallima advise`: which ranks, grids and sizes are good ones.
void add_advise(Command program, Report& chosen);

/// `kallima bench`: time and error of the transform on the ranks it is started on.
void add_bench(Command program, Action& chosen);

/// `kallima doctor`: what in this MPI and machine will hurt, and the fix.
void add_doctor(Command program, Action& chosen);

/// `kallima trace`: what ranks did and when, from files that a traced run wrote.
void add_trace(Command program, Action& chosen);

/// `kallima export`: a machine in the words of another program.
void add_export(Command program, Action& chosen);

/// `kallima simulate`: a transform on ranks that are not there, or the models of processors and
/// messages, one by one.
void add_simulate(Command program, Action& chosen);

}  // namespace kallima::cli

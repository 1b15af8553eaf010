// SPDX-License-Identifier: BSD-3-Clause
//
// What needs no MPI: the subcommands plan, predict and advise of the command line, in this process.
#include "command.hpp"
#include "common.hpp"
#include "kallima/machine.hpp"
#include "kallima/version.h"
#include "options.hpp"

namespace kallima::python {

namespace {

/// What `kallima WORDS...` prints.
std::string report(const std::vector<std::string>& words) {
  const py::gil_scoped_release unlocked;
  cli::Report chosen;
  const auto add_all = [&chosen](cli::Command program) {
    for (const auto add : {cli::add_plan, cli::add_predict, cli::add_advise}) add(program, chosen);
  };
  if (const auto wrong = cli::parse(words, {"kallima", KALLIMA_VERSION, "", ""}, add_all)) {
    throw InvalidOption(wrong->text.substr(0, wrong->text.find_last_not_of('\n') + 1));
  }
  return chosen();
}

}  // namespace

void add_planning(py::module_& module) {
  module.def("report", report);
  module.def("machine_names", machine_names);
  module.def("machine_text", [](const std::string& name_or_path) {
    return name_or_path.empty() ? default_machine().to_text()
                                : find_machine(name_or_path).to_text();
  });
}

}  // namespace kallima::python

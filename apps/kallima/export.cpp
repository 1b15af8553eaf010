// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima export`: a machine in the words of another program. Never starts MPI.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "machine/platform.hpp"
#include "machine/rate_interpolation.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "platform_files.hpp"
#include "problem_arguments.hpp"
#include "session.hpp"

namespace kallima::cli {

namespace {

struct ExportArguments {
  std::string machine;
  std::string nodes;
  Index ranks_per_node = 0;
  std::optional<Wiring> wiring;
  Wiring chosen_wiring = Wiring::full;
  std::string taper;
  Index dimensions = 0;
  Index groups = 0;
  std::string output;
};

constexpr const char* export_examples = R"(
Writes FILE, a platform of SimGrid, and beside it FILE's .hosts, which ranks are laid on, and .toml,
the machine as it was built: what `kallima simulate --platform FILE` prices on.

Examples:
  kallima export simgrid selene --nodes 1024 -o selene.xml
  kallima export simgrid here.toml --nodes 64 --topology torus -o torus.xml
  kallima export simgrid frontier --nodes 128 --ranks-per-node 8 -o part.xml)";

double taper_of(const std::string& text) {
  std::istringstream stream(text);
  double taper = 0.;
  if (!(stream >> taper) || !stream.eof() || taper < 1.) {
    throw ParseError(fmt::format("taper '{}'; give a number from 1 on", text));
  }
  return taper;
}

/// The machine, wired as the command line says.
Machine wired(const ExportArguments& arguments) {
  MachineFigures figures = find_machine(arguments.machine).figures();
  Topology& topology = figures.topology;
  if (arguments.wiring) topology.wiring = *arguments.wiring;
  if (!arguments.taper.empty()) topology.taper = taper_of(arguments.taper);
  if (arguments.dimensions > 0) topology.dimensions = arguments.dimensions;
  if (arguments.groups > 0) {
    topology.groups = arguments.groups;
    topology.nodes = 0;
  }
  return figures;
}

ExitCode run(const ExportArguments& arguments) {
  const Machine machine = wired(arguments);
  const Index per_node =
      arguments.ranks_per_node > 0 ? arguments.ranks_per_node : machine->node.ranks;
  const Platform platform =
      simgrid_platform(machine, count_of(arguments.nodes, "number of nodes"), per_node);
  if (launched_rank() != 0) return ExitCode::good;
  const PlatformFiles files = files_beside(arguments.output);
  write_file(files.platform, platform.xml);
  write_file(files.hosts, platform.hosts);
  write_file(files.machine, platform.machine.to_text());
  fmt::print("{}, {} and {}: {} of machine {}\n", files.platform, files.hosts, files.machine,
             text::plural(platform.machine->topology.nodes, "node"), machine->name);
  for (const std::string& note : platform.notes) fmt::print("note: {}\n", note);
  return ExitCode::good;
}

}  // namespace

void add_export(Command program, Action& chosen) {
  const auto arguments = std::make_shared<ExportArguments>();
  Command command = program.add_subcommand(
      "export", "Write a machine in the words of another program: export simgrid; no MPI");
  Command simgrid =
      command.add_subcommand("simgrid", "A platform that SimGrid's SMPI runs simulated ranks on");
  simgrid.add_option("MACHINE", arguments->machine, "A file or a name").required().type_name("");
  simgrid.add_option("--nodes", arguments->nodes, "Nodes of the platform, as in 64 or 2^10")
      .required()
      .type_name("N");
  simgrid
      .add_option("--ranks-per-node", arguments->ranks_per_node,
                  "How many share a node (default: the machine's)")
      .type_name("K")
      .at_least(1);
  simgrid
      .add_choice<Wiring>("--topology", arguments->chosen_wiring,
                          {{"full", Wiring::full},
                           {"fat-tree", Wiring::fat_tree},
                           {"torus", Wiring::torus},
                           {"dragonfly", Wiring::dragonfly}},
                          "Wire the nodes so, and not as the machine's are")
      .type_name("T");
  simgrid.add_option("--taper", arguments->taper, "Of a fat tree or a dragonfly").type_name("X");
  simgrid.add_option("--dimensions", arguments->dimensions, "Of a torus")
      .type_name("D")
      .at_least(1);
  simgrid.add_option("--groups", arguments->groups, "Of a dragonfly of all the nodes")
      .type_name("G")
      .at_least(2);
  simgrid.add_option("-o,--output", arguments->output, "The platform file, .xml")
      .required()
      .type_name("FILE");
  simgrid.footer(export_examples);
  command.footer("\nExample:\n  kallima export simgrid selene --nodes 1024 -o selene.xml");
  simgrid.callback([arguments, simgrid, &chosen] {
    if (simgrid.given("--topology")) arguments->wiring = arguments->chosen_wiring;
    chosen = [arguments](const Arguments&) { return run(*arguments); };
  });
}

}  // namespace kallima::cli

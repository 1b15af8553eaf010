// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima calibrate`: measures the machine it is started on and writes it down, for plan, predict,
// advise and the library's planner.
#include "calibration/calibrate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "calibration_charts.hpp"
#include "comm/agreement.hpp"
#include "command.hpp"
#include "fft/cache.hpp"
#include "here.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "options.hpp"
#include "session.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using calibration::Calibration;
using calibration::FitQuality;
using calibration::Stability;
using Json = nlohmann::ordered_json;

struct CalibrateArguments {
  std::string out;
  std::string name = "here";
  bool quick = false;
  std::optional<Index> rounds;
  std::optional<Index> most_mib;
  std::string plot;
  bool json = false;
};

constexpr const char* calibrate_examples = R"(
Takes two to three minutes, with --quick 20 seconds, between nodes a minute. Start it as your program is started: as many ranks a node, on at least two
nodes where there are several. One rank alone measures no links.

Examples:
  mpirun -n 4 kallima calibrate -o here.toml
  mpirun -n 2 kallima calibrate -o here.toml --plot here.svg
  mpirun -n 2 kallima calibrate -o here.toml --quick
  kallima predict c2c:512^3 -n 1..64 --machine here.toml)";

/// Nothing is said where it is written; what cannot be written is the same error on all ranks.
void write(const Session& session, const std::string& path, const Machine& machine) {
  agree(*comm::Communicator::of(session.comm), comm::Verdict::of([&] {
    if (session.speaks()) write_file(path, machine.to_text());
  }));
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100. * part); }

/// One figure of every kind, for people; the file has them all.
std::vector<std::vector<std::string>> parameter_rows(const Machine& machine) {
  std::vector<std::vector<std::string>> rows = {{"figure", "value", "means"}};
  const auto add = [&](const std::string& figure, const std::string& value,
                       const std::string& means) {
    rows.push_back({figure, value, means});
  };
  const auto rate = [](double per_byte) {
    return per_byte > 0. ? fmt::format("{:.2f} GB/s", 1e-9 / per_byte) : std::string("-");
  };
  for (const Speed& speed : machine->speeds) {
    const std::string active = fmt::format("{} active", speed.active);
    for (const double length : {64., 1024.}) {
      for (const LineEngine engine : {LineEngine::fftw, LineEngine::kernels}) {
        const FftRates& rates = speed.rates(Precision::f64, engine);
        for (const bool across : {false, true}) {
          add(fmt::format("lines of {}{}, {}, {}", length, across ? " across" : "", name_of(engine),
                          active),
              duration(rates.form(across).in_cache.at(length)), "per element of a sweep in cache");
        }
      }
    }
    for (const double bytes : {1 << 22, 1 << 28}) {
      add(fmt::format("copy of {}, {}", text::bytes(static_cast<Index>(bytes)), active),
          rate(speed.copy.at(bytes)), "read and written");
    }
  }
  const auto add_link = [&](const char* name, const Link& link) {
    const auto source = machine->sources.find(name);
    if (source != machine->sources.end() && source->second != "measured") return;
    add(fmt::format("{}: L", name), duration(link.latency), "on the way");
    add(fmt::format("{}: o", name), duration(link.overhead), "of a rank per message");
    add(fmt::format("{}: g", name), duration(link.gap), "from message to message");
    for (const double bytes : {1 << 14, 1 << 22}) {
      add(fmt::format("{}: 1/G, {}", name, text::bytes(static_cast<Index>(bytes))),
          rate(link.per_byte.at(bytes)), "of a rank");
    }
    add(fmt::format("{}: all ranks of a node", name), rate(link.node_per_byte), "together");
    if (link.busy < 1.) {
      add(fmt::format("{}: keeps a core busy", name), percent(link.busy), "of the time of bytes");
    }
    add(fmt::format("{}: alpha", name), duration(link.fits.alpha), "alpha-beta, per message");
    add(fmt::format("{}: 1/beta", name), rate(link.fits.beta), "alpha-beta");
    add(fmt::format("{}: BSP's l", name), duration(link.fits.bsp_sync), "per exchange");
    add(fmt::format("{}: BSP's 1/g", name), rate(link.fits.bsp_gap), "of the busiest rank");
  };
  add_link("in_node", machine->in_node);
  add_link("between_nodes", machine->between_nodes);
  const auto& barrier = machine->shared_memory.barrier.points();
  if (machine->sources.at("shared_memory") == "measured") {
    add(fmt::format("a barrier of {} ranks", barrier.back().first), duration(barrier.back().second),
        "in shared memory");
  }
  return rows;
}

std::string fits_text(const Calibration& found) {
  if (found.fits.empty()) {
    return "Links were not measured: that needs at least two ranks, as in `mpirun -n 2 kallima "
           "calibrate`.\n";
  }
  std::vector<std::vector<std::string>> rows = {{"link", "model", "off by (median)"}};
  for (const FitQuality& fit : found.fits) {
    rows.push_back({fit.link, std::string(name_of(fit.model)), percent(fit.residual)});
  }
  return fmt::format("{}\n{}", heading("How well models fit"), table(rows));
}

std::string stability_text(const Calibration& found, Index rounds) {
  if (rounds < 2) return {};
  std::vector<std::vector<std::string>> rows = {{"not stable", "differ by"}};
  constexpr double limit = 0.15;
  for (const Stability& figure : found.stability) {
    if (figure.apart > limit) rows.push_back({figure.figure, percent(figure.apart)});
  }
  if (rows.size() == 1) {
    return fmt::format(
        "All figures looked at: the three least of {} rounds differ by less than 15 %.\n", rounds);
  }
  return fmt::format("Figures whose three least rounds differ by more than 15 %:\n{}", table(rows));
}

std::string report(const Calibration& found, const CalibrateArguments& arguments) {
  const Machine machine = found.machine;
  std::string text = fmt::format("{}\n{}\n\n{}\n", heading("Machine " + machine->name),
                                 machine->about, table(parameter_rows(machine)));
  text += fits_text(found) + "\n";
  text += fmt::format("Sweeps that no figure was taken from are off by {} (median).\n",
                      percent(machine->accuracy.sweeps));
  text += stability_text(found, found.rounds);
  if (!arguments.out.empty()) text += fmt::format("Written to {}.\n", arguments.out);
  return text;
}

Json report_json(const Calibration& found) {
  Json fits = Json::array();
  for (const FitQuality& fit : found.fits) {
    fits.push_back({{"link", fit.link}, {"model", name_of(fit.model)}, {"residual", fit.residual}});
  }
  Json figures = Json::array();
  for (const Stability& one : found.stability) {
    figures.push_back({{"figure", one.figure}, {"value", one.value}, {"apart", one.apart}});
  }
  return {{"schema", "kallima.calibration/2"},
          {"machine", Machine(found.machine).to_text()},
          {"fits", std::move(fits)},
          {"figures", std::move(figures)}};
}

ExitCode run(const Session& session, const CalibrateArguments& arguments) {
  calibration::Settings settings;
  if (arguments.quick) settings = calibration::Settings::quick();
  if (arguments.rounds) settings.rounds = *arguments.rounds;
  if (arguments.most_mib) settings.most_bytes = *arguments.most_mib << 20;
  const Index cache = fft::second_cache_bytes();
  if (cache > 0) settings.tile_bytes = cache / 8 * 5;
  Progress progress(session.speaks());
  Calibration found =
      calibration::run(session.comm, settings, [&](double part, const std::string& what) {
        constexpr int width = 30;
        const auto full = static_cast<int>(std::lround(part * width));
        progress.show(fmt::format("[{:=<{}}{:{}}] {:3.0f} %  {}", "", full, "", width - full,
                                  100. * part, what));
      });
  progress.clear();
  found.machine.name = arguments.name;
  found.machine.about = here(session);
  found.machine.made = text::now();
  found.machine.sources["all"] =
      fmt::format("kallima calibrate{}, {}, {}", arguments.quick ? " --quick" : "",
                  text::plural(found.rounds, "round"), found.machine.made);
  if (!arguments.out.empty()) write(session, arguments.out, found.machine);
  if (!arguments.plot.empty()) {
    agree(*comm::Communicator::of(session.comm), comm::Verdict::of([&] {
      if (session.speaks()) draw(charts_of(found), arguments.plot);
    }));
  }
  if (session.speaks()) {
    const std::string text =
        arguments.json ? report_json(found).dump(2) + "\n" : report(found, arguments);
    std::fputs(text.c_str(), stdout);
  }
  return ExitCode::good;
}

}  // namespace

void add_calibrate(Command program, Action& chosen) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command command = program.add_subcommand(
      "calibrate", "Measure this machine, for prices; start it under mpirun");
  command.add_option("-o,--output", arguments->out, "Write the machine to this file")
      .type_name("FILE");
  command.add_picture("--plot", arguments->plot, "Draw what was found");
  command.add_option("--name", arguments->name, "What the machine is called (default: here)")
      .type_name("NAME");
  command.add_flag("--quick", arguments->quick, "Fewer lengths and sizes, in seconds");
  command
      .add_option("--rounds", arguments->rounds,
                  "How often everything is measured (default: as often as time allows)")
      .type_name("N")
      .at_least(1);
  command
      .add_option("--arrays", arguments->most_mib,
                  "MiB of memory that a rank goes through at most (default: 512, quick 128)")
      .type_name("MIB")
      .at_least(1);
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, schema kallima.calibration/2");
  command.footer(calibrate_examples);
  command.callback([arguments, &chosen] {
    chosen = [arguments](const Arguments& words) {
      return under_mpi(words, [&](const Session& session) { return run(session, *arguments); });
    };
  });
}

}  // namespace kallima::cli

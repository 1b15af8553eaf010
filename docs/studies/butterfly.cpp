// SPDX-License-Identifier: BSD-3-Clause
//
// The charts of docs/studies/butterfly.md: `study_butterfly FOLDER` writes them. Everything is
// simulated, so that they come out the same everywhere.
#include <cstdio>
#include <exception>
#include <string>

#include "theory/figures.hpp"
#include "theory/schedules.hpp"
#include "chart/chart.hpp"
#include "theory/hiding.hpp"

namespace {

using namespace kallima;
using namespace kallima::butterfly;
using cli::Chart;
using cli::Series;

Figures figures(const Program& program, Index gap, Index latency) {
  const Network network =
      network_of(models::LogP{static_cast<double>(latency), 0, static_cast<double>(gap), 1});
  return figures_of(program, network, simulate(program, network));
}

Program output_driven(const Size& size, PhaseTwo phase_two) {
  return output_driven_schedule(size, xor_outputs(size), phase_two);
}

/// Speed-up over the gap.
Chart speed_chart(const Size& size) {
  Chart chart;
  chart.title =
      "n = " + std::to_string(size.inputs) + ", P = " + std::to_string(size.procs) + ", L = 20";
  chart.x_label = "g, steps between messages";
  chart.y_label = "speed-up";
  const auto add = [&](const std::string& name, const Program& program) {
    Series series;
    series.name = name;
    series.points = false;
    for (Index gap = 1; gap <= 24; ++gap) {
      series.x.push_back(static_cast<double>(gap));
      series.y.push_back(figures(program, gap, 20).speed_up);
    }
    chart.series.push_back(series);
  };
  add("output", output_driven(size, PhaseTwo::most_significant_first));
  add("output-lsd", output_driven(size, PhaseTwo::least_significant_first));
  add("column", column_schedule(size, shifted_targets(size.procs)));
  add("output-to-0",
      output_driven_schedule(size, same_outputs(size), PhaseTwo::most_significant_first));
  add("cyclic", one_allocation_schedule(size, Allocation::cyclic));
  return chart;
}

/// The largest gap at which nothing idles, over n: simulated, and as the paper promises.
Chart vanishing_chart(Index procs) {
  Chart chart;
  chart.title = "largest g at which nothing idles, P = " + std::to_string(procs) + ", L = 0";
  chart.x_label = "n";
  chart.y_label = "g";
  chart.log_x = true;
  Series msd{"output", {}, {}, {}, {}};
  Series lsd{"output-lsd", {}, {}, {}, {}};
  Series promised{"promised: n >= (2^g / g) P^2", {}, {}, {}, {}};
  promised.dashed = true;
  for (Index n = procs * procs; n <= Index{1} << 14; n *= 2) {
    const Size size{n, procs};
    const auto theorem = [&](Index gap) { return models::Butterfly{n, procs, gap, 0}; };
    const auto largest = [](auto hides) {
      Index gap = 0;
      while (hides(gap + 1)) ++gap;
      return static_cast<double>(gap);
    };
    const auto simulated = [&](PhaseTwo phase_two) {
      const Program program = output_driven(size, phase_two);
      return largest([&](Index gap) { return figures(program, gap, 0).idle == 0; });
    };
    const auto x = static_cast<double>(n);
    lsd.x.push_back(x);
    lsd.y.push_back(simulated(PhaseTwo::least_significant_first));
    msd.x.push_back(x);
    msd.y.push_back(simulated(PhaseTwo::most_significant_first));
    promised.x.push_back(x);
    promised.y.push_back(largest([&](Index gap) { return models::hides_all(theorem(gap)); }));
  }
  chart.series = {msd, lsd, promised};
  return chart;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      std::fputs("usage: study_butterfly FOLDER\n", stderr);
      return 2;
    }
    const std::string folder = argv[1];
    cli::draw({speed_chart({1 << 12, 16}), speed_chart({1 << 12, 64})},
              folder + "/butterfly-speed.svg");
    cli::draw({vanishing_chart(8), vanishing_chart(32)}, folder + "/butterfly-vanishes.svg");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "study_butterfly: %s\n", error.what());
    return 3;
  }
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "calibration_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "machine/figures.hpp"
#include "machine/link_models.hpp"

namespace kallima::cli {

namespace {

using calibration::Calibration;
using calibration::ExchangeSample;

Series series(const std::string& name, const Curve& curve, bool dashed) {
  Series result;
  result.name = name;
  result.dashed = dashed;
  for (const auto& [argument, value] : curve.points()) {
    if (argument <= 1.) continue;  // only says that it goes on
    result.x.push_back(argument);
    result.y.push_back(value);
  }
  return result;
}

std::string active(const Speed& speed) { return text::plural(speed.active, "rank") + " at work"; }

Chart in_cache(const Machine& machine) {
  Chart result =
      logarithmic("Sweeps in cache, double precision", "length of a line", "seconds an element");
  for (const Speed& speed : machine->speeds) {
    const bool crowded = speed.active > 1;
    for (const LineEngine engine : {LineEngine::fftw, LineEngine::kernels}) {
      const FftRates& rates = speed.rates(Precision::f64, engine);
      const std::string by = fmt::format(", {}, {}", name_of(engine), active(speed));
      result.series.push_back(series("lines" + by, rates.lines.in_cache, crowded));
      result.series.push_back(series("across memory" + by, rates.interleaved.in_cache, crowded));
    }
  }
  return result;
}

Chart beyond(const Machine& machine) {
  const Speed& speed = machine->speeds.back();
  Chart result = logarithmic("Beyond cache, double precision, " + active(speed),
                             "bytes of all arrays of a rank", "seconds a byte");
  result.series = {series("copy", speed.copy, false),
                   series("lines, FFTW", speed.f64.lines.beyond, false),
                   series("lines, kernels", speed.kernels_f64.lines.beyond, true),
                   series("across memory, FFTW", speed.f64.interleaved.beyond, false),
                   series("across memory, kernels", speed.kernels_f64.interleaved.beyond, true)};
  return result;
}

Chart link_chart(const std::string& title, const Link& link,
                 const std::vector<ExchangeSample>& samples) {
  Chart result = logarithmic(title, "bytes of a message", "seconds of an exchange");
  Index messages = samples.front().messages;
  for (const ExchangeSample& sample : samples) messages = std::min(messages, sample.messages);
  result.title += ", " + text::plural(messages, "message") + " a rank";
  Series measured;
  measured.name = "measured";
  measured.line = false;
  std::vector<std::pair<Index, double>> points;
  for (const ExchangeSample& sample : samples) {
    if (sample.messages == messages) points.emplace_back(sample.bytes, sample.seconds);
  }
  std::sort(points.begin(), points.end());
  for (const auto& [bytes, seconds] : points) {
    measured.x.push_back(static_cast<double>(bytes));
    measured.y.push_back(seconds);
  }
  result.series.push_back(std::move(measured));
  for (const Model model : {Model::loggp, Model::alpha_beta, Model::logp, Model::bsp}) {
    Series modelled;
    modelled.name = name_of(model);
    modelled.points = false;
    modelled.dashed = model != Model::loggp;
    for (const auto& [bytes, seconds] : points) {
      modelled.x.push_back(static_cast<double>(bytes));
      modelled.y.push_back(exchange_seconds(model, link, messages, messages * bytes));
    }
    result.series.push_back(std::move(modelled));
  }
  return result;
}

}  // namespace

std::vector<Chart> charts_of(const Calibration& found) {
  std::vector<Chart> charts = {in_cache(found.machine), beyond(found.machine)};
  if (!found.in_node.empty()) {
    charts.push_back(link_chart("Within a node", found.machine.in_node, found.in_node));
  }
  if (!found.between_nodes.empty()) {
    charts.push_back(link_chart("Between nodes", found.machine.between_nodes, found.between_nodes));
  }
  return charts;
}

}  // namespace kallima::cli

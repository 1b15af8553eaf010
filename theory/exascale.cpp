// SPDX-License-Identifier: BSD-3-Clause
#include "theory/exascale.hpp"

#include <algorithm>
#include <cmath>

#include "theory/topology.hpp"

namespace kallima::models {

namespace {

double volume(const CubeFft& fft) { return fft.extent * fft.extent * fft.extent; }

double bytes_per_node(const CubeFft& fft) { return volume(fft) * fft.word_bytes / fft.nodes; }

/// Table 1, column "2010 values".
Processor processor_of_2010(Lane lane) {
  const double link = 10e9;
  if (lane == Lane::cpu) {
    return {.node = {.flops = 50.4e9,
                     .memory_bandwidth = 21.3e9,
                     .link_bandwidth = link,
                     .cache_bytes = 6e6},
            .cores = 6,
            .line_bytes = 64};
  }
  return {.node = {.flops = 515e9,
                   .memory_bandwidth = 144e9,
                   .link_bandwidth = link,
                   .cache_bytes = 2.7e6},
          .cores = 448,
          .line_bytes = 128};
}

}  // namespace

double flop_count(const CubeFft& fft) { return 15 * volume(fft) * std::log2(fft.extent); }

double flops_seconds(const Node& node, const CubeFft& fft) {
  return flop_count(fft) / fft.nodes / node.flops;
}

double memory_seconds(const Node& node, const CubeFft& fft, double constant) {
  const double cache_words = node.cache_bytes / fft.word_bytes;
  const double passes = std::max(1.0, std::log2(fft.extent) / std::log2(cache_words));
  return 3 * constant * passes * bytes_per_node(fft) / node.memory_bandwidth;
}

double shuffle_seconds(const Node& node, const CubeFft& fft) {
  return 2 * 2 * bytes_per_node(fft) / node.memory_bandwidth;
}

double bus_seconds(const CubeFft& fft, double bandwidth) {
  return 2 * bytes_per_node(fft) / bandwidth;
}

double words_sent(const CubeFft& fft) {
  return volume(fft) / fft.nodes * (1 - 1 / std::sqrt(fft.nodes));
}

double network_seconds(const Node& node, const CubeFft& fft, double kappa) {
  return 2 * volume(fft) * fft.word_bytes / (std::pow(fft.nodes, kappa) * node.link_bandwidth);
}

double kappa_of_torus(int dimensions) { return bisection_exponent(Torus{dimensions}); }

double torus_seconds(const Node& node, const CubeFft& fft, int dimensions, FormulaVersion form) {
  if (form == FormulaVersion::printed)
    return network_seconds(node, fft, kappa_of_torus(dimensions));
  const double sent = bytes_per_node(fft) * (1 - 1 / fft.nodes);
  return 2 * bisection_seconds(
                 Torus{dimensions},
                 {.nodes = fft.nodes, .bytes = sent, .link_bandwidth = node.link_bandwidth});
}

CubeCost cube_cost(const Node& node, const CubeFft& fft, FormulaVersion form, double constant) {
  return {.memory = memory_seconds(node, fft, constant),
          .network = torus_seconds(node, fft, 3, form)};
}

double memory_over_network(const Node& node, const CubeFft& fft, double kappa, double constant) {
  return memory_seconds(node, fft, constant) / network_seconds(node, fft, kappa);
}

// With x = P^(-1/3), T = a x^3 + b x^2 rises with x; Newton from above the root cannot step below
// it, as T is convex.
double nodes_for_serial(const Node& node, CubeFft fft, double seconds, double constant) {
  fft.nodes = 1;
  const CubeCost one = cube_cost(node, fft, FormulaVersion::printed, constant);
  double x = std::min(std::cbrt(seconds / one.memory), std::sqrt(seconds / one.network));
  for (int step = 0; step < 50; ++step) {
    const double value = (one.memory * x + one.network) * x * x - seconds;
    x -= value / ((3 * one.memory * x + 2 * one.network) * x);
  }
  return 1 / (x * x * x);
}

double nodes_for_overlapped(const Node& node, CubeFft fft, double seconds, double constant) {
  fft.nodes = 1;
  const CubeCost one = cube_cost(node, fft, FormulaVersion::printed, constant);
  return std::max(one.memory / seconds, std::pow(one.network / seconds, 1.5));
}

CubeFft strongly_scaled(CubeFft fft, double nodes) {
  fft.nodes = nodes;
  return fft;
}

CubeFft weakly_scaled(CubeFft fft, double nodes) {
  fft.extent *= std::cbrt(nodes / fft.nodes);
  fft.nodes = nodes;
  return fft;
}

double growth(const Trend& trend, double years, FormulaVersion form) {
  return form == FormulaVersion::printed ? std::pow(trend.ten_year_factor, years / 10)
                                         : std::exp2(years / trend.doubling_years);
}

Processor processor(Lane lane, double years, FormulaVersion form) {
  Processor result = processor_of_2010(lane);
  result.node.flops *= growth(trends::peak, years, form);
  result.node.memory_bandwidth *= growth(trends::memory_bandwidth, years, form);
  result.node.link_bandwidth *= growth(trends::link_bandwidth, years, form);
  result.node.cache_bytes *= growth(trends::cache, years, form);
  result.cores *= growth(trends::cores, years, form);
  result.line_bytes *= growth(trends::line, years, form);
  return result;
}

double machine_peak(double years, FormulaVersion form) {
  return 4e15 * growth(trends::machine_peak, years, form);
}

double system_memory(double years, FormulaVersion form) {
  return 635e12 * growth(trends::system_memory, years, form);
}

double nodes_at_peak(const Node& node, double machine_peak) { return machine_peak / node.flops; }

Sides stacked_memory_balance(const Processor& processor) {
  return {.left = processor.node.flops / processor.node.memory_bandwidth,
          .right = std::log2(processor.node.cache_bytes / processor.cores)};
}

}  // namespace kallima::models

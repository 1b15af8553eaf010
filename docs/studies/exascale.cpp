// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that docs/studies/exascale.md computes, as one JSON object on standard output: the
// tables, predictions and figures of Czechowski et al. 2012 by their formulas, and prices of plans
// on the machines of machines/. exascale.py makes tables and figures of it.
#include <array>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "kallima/planner.hpp"
#include "base/checked.hpp"
#include "theory/exascale.hpp"
#include "machine/figures.hpp"

namespace {

using Json = nlohmann::ordered_json;
using kallima::Index;
using namespace kallima::models;

constexpr double extent = 21000;        // of predictions 1 and 2
constexpr double exascale_peak = 4e18;  // flops per second
constexpr double decade = 10;

/// A way to read the paper.
struct Reading {
  const char* name;
  FormulaVersion trends;           ///< table 1
  FormulaVersion torus;            ///< equation (5)
  bool flops_for_words;  ///< A of equation (2) is 5 log2(n), which brings the paper's figures back

  [[nodiscard]] double constant(double n) const {
    return flops_for_words ? 5 * std::log2(n) : memory_constant;
  }
};

constexpr std::array readings = {Reading{"equations", FormulaVersion::printed, FormulaVersion::printed, false},
                                 Reading{"figures", FormulaVersion::printed, FormulaVersion::printed, true},
                                 Reading{"corrected", FormulaVersion::corrected, FormulaVersion::corrected, false}};

struct Row {
  const char* name = "";
  const char* unit = "";
  Trend trend;
  double base = 0;  ///< 2010
};

Json table_1() {
  const Processor cpu = processor(Lane::cpu, 0, FormulaVersion::printed);
  const Processor gpu = processor(Lane::gpu, 0, FormulaVersion::printed);
  const double peak = machine_peak(0, FormulaVersion::printed);
  const std::array rows = {
      Row{"peak of a CPU", "flop/s", trends::peak, cpu.node.flops},
      Row{"peak of a GPU", "flop/s", trends::peak, gpu.node.flops},
      Row{"cores of a CPU", "", trends::cores, cpu.cores},
      Row{"cores of a GPU", "", trends::cores, gpu.cores},
      Row{"memory bandwidth, CPU", "B/s", trends::memory_bandwidth, cpu.node.memory_bandwidth},
      Row{"memory bandwidth, GPU", "B/s", trends::memory_bandwidth, gpu.node.memory_bandwidth},
      Row{"fast memory, CPU", "B", trends::cache, cpu.node.cache_bytes},
      Row{"fast memory, GPU", "B", trends::cache, gpu.node.cache_bytes},
      Row{"line, CPU", "B", trends::line, cpu.line_bytes},
      Row{"line, GPU", "B", trends::line, gpu.line_bytes},
      Row{"link", "B/s", trends::link_bandwidth, cpu.node.link_bandwidth},
      Row{"peak of the machine", "flop/s", trends::machine_peak, peak},
      Row{"memory of the machine", "B", trends::system_memory, system_memory(0, FormulaVersion::printed)},
      Row{"CPUs", "", trends::nodes, nodes_at_peak(cpu.node, peak)},
      Row{"GPUs", "", trends::nodes, nodes_at_peak(gpu.node, peak)}};
  Json table = Json::array();
  for (const Row& row : rows) {
    const double corrected = growth(row.trend, decade, FormulaVersion::corrected);
    table.push_back({{"name", row.name},
                     {"unit", row.unit},
                     {"base", row.base},
                     {"doubling_years", row.trend.doubling_years},
                     {"factor_printed", row.trend.ten_year_factor},
                     {"factor", corrected},
                     {"value_printed_factor", row.base * row.trend.ten_year_factor},
                     {"value", row.base * corrected}});
  }
  return table;
}

/// nodes_for_serial and nodes_for_overlapped reckon by equation (5); links eight times as fast make
/// it the corrected one.
Node as_printed(Node node, FormulaVersion torus) {
  if (torus == FormulaVersion::corrected) node.link_bandwidth *= 8;
  return node;
}

Json bar(const char* name, const Node& node, double nodes, const Reading& reading) {
  const CubeFft fft = {.extent = extent, .nodes = nodes};
  const CubeCost cost = cube_cost(node, fft, reading.torus, reading.constant(extent));
  return {{"name", name},
          {"processors", nodes},
          {"peak", nodes * node.flops},
          {"memory_s", cost.memory},
          {"network_s", cost.network},
          {"serial_s", cost.serial()},
          {"overlapped_s", cost.overlapped()},
          {"flops_s", flops_seconds(node, fft)},
          {"rate", flop_count(fft) / cost.serial()},
          {"bytes_per_node", std::pow(extent, 3) * fft.word_bytes / nodes},
          {"cache_bytes", node.cache_bytes}};
}

/// Predictions 1 and 2, figure 5.
Json predictions(const Reading& reading) {
  const Node gpu = processor(Lane::gpu, decade, reading.trends).node;
  const Node cpu = processor(Lane::cpu, decade, reading.trends).node;
  const double gpus = nodes_at_peak(gpu, exascale_peak);
  const CubeCost cost =
      cube_cost(gpu, {.extent = extent, .nodes = gpus}, reading.torus, reading.constant(extent));
  const Node scaled = as_printed(cpu, reading.torus);
  const CubeFft fft = {.extent = extent, .nodes = 1};
  return {{"reading", reading.name},
          {"constant", reading.constant(extent)},
          {"bars",
           {bar("GPU", gpu, gpus, reading),
            bar("CPU-1", cpu, nodes_at_peak(cpu, exascale_peak), reading),
            bar("CPU-2", cpu,
                nodes_for_serial(scaled, fft, cost.serial(), reading.constant(extent)), reading),
            bar("CPU-3", cpu,
                nodes_for_overlapped(scaled, fft, cost.overlapped(), reading.constant(extent)),
                reading)}}};
}

/// T_mem / T_net of a weakly scaled 4096^3 on CPUs.
Json figure_6(const Reading& reading) {
  const Node then = processor(Lane::cpu, 0, reading.trends).node;
  const CubeFft first = {.extent = 4096,
                         .nodes = nodes_at_peak(then, machine_peak(0, reading.trends))};
  Json lines = Json::array();
  for (const int dimensions : {3, 4, 5, 6}) {
    Json points = Json::array();
    for (int year = 0; year <= 10; ++year) {
      const Node now = processor(Lane::cpu, year, reading.trends).node;
      const CubeFft fft =
          weakly_scaled(first, nodes_at_peak(now, machine_peak(year, reading.trends)));
      points.push_back({2010 + year, memory_seconds(now, fft, reading.constant(fft.extent)) /
                                         torus_seconds(now, fft, dimensions, reading.torus)});
    }
    lines.push_back({{"dimensions", dimensions}, {"points", points}});
  }
  return {{"reading", reading.name}, {"lines", lines}};
}

kallima::Machine published(const std::string& name) {
  return kallima::find_machine(std::string(KALLIMA_PUBLISHED_MACHINES) + "/" + name + ".toml");
}

/// A transform that is priced.
struct Run {
  const char* name = "";
  const char* machine = "";
  const char* problem = "";
  Index ranks = 1;
  kallima::Decomposition decomposition = kallima::Decomposition::any;
};

Json priced(const Run& run) {
  const auto machine = std::make_shared<const kallima::Machine>(published(run.machine));
  kallima::PlanRequest request;
  request.problem = kallima::Problem::parse(run.problem);
  request.ranks = run.ranks;
  request.placement.ranks_per_node = (*machine)->node.ranks;
  request.machine = machine;
  request.decomposition = run.decomposition;
  const kallima::Plan plan = kallima::make_plan(request);
  const kallima::PlanCost cost = kallima::price(plan, *machine);
  const auto n = static_cast<double>(request.problem.elements());
  return {{"name", run.name},
          {"machine", run.machine},
          {"problem", run.problem},
          {"ranks", run.ranks},
          {"nodes", kallima::ceil_div(run.ranks, (*machine)->node.ranks)},
          {"seconds", cost.total.total()},
          {"latency_s", cost.total.latency},
          {"network_s", cost.total.bandwidth},
          {"memory_s", cost.total.memory},
          {"compute_s", cost.total.compute},
          {"hidden_s", cost.total.hidden},
          {"binds", cost.total.binds()},
          {"spread", cost.spread},
          {"exchanges", plan.exchanges()},
          {"array_bytes", cost.arrays},
          {"memory_per_rank", (*machine)->node.memory / static_cast<double>((*machine)->node.ranks)},
          {"flop", (request.problem.real() ? 2.5 : 5.) * n * std::log2(n)},
          {"layout_in", plan.input().to_text()}};
}

Json runs() {
  using enum kallima::Decomposition;
  const std::array all = {Run{"cufftmp", "selene", "c2c:16384^3:f32", 4096, slab},
                          Run{"cufftmp-f64", "selene", "c2c:16384^3:f64", 4096, slab},
                          Run{"cufftmp-8", "selene", "c2c:2048^3:f32", 8, slab},
                          Run{"cufftmp-2048", "selene", "c2c:2048^3:f32", 2048, slab},
                          Run{"cufftmp-2048-any", "selene", "c2c:2048^3:f32", 2048, any},
                          Run{"yeung-slab", "frontier", "r2c:32768^3:f32", 32768, slab},
                          Run{"yeung-pencil", "frontier", "r2c:32768^3:f32", 32768, pencil},
                          Run{"yeung-8192", "frontier", "r2c:32768^3:f32", 65536, any},
                          Run{"ravikumar", "summit", "r2c:18432^3:f32", 18432, any},
                          Run{"21000", "czechowski-2020-gpu", "c2c:21000^3", 131250, any},
                          Run{"21000", "czechowski-2020-cpu", "c2c:21000^3", 1312500, any},
                          Run{"21000", "frontier", "c2c:21000^3", 70000, any},
                          Run{"21000", "aurora", "c2c:21000^3", 105000, any},
                          Run{"21000", "fugaku", "c2c:21000^3", 630000, any},
                          Run{"21000", "lumi-g", "c2c:21000^3", 21000, any}};
  Json list = Json::array();
  for (const Run& run : all) list.push_back(priced(run));
  return list;
}

/// What a rank of a machine has.
Json balance(const char* name) {
  const kallima::Machine machine = published(name);
  const double memory = 2. / machine->speeds.back().copy.at(1e9);
  const double network = 1. / machine->between_nodes.per_byte.at(1e9);
  return {{"name", name},
          {"ranks", machine->node.ranks},
          {"memory", memory},
          {"network", network},
          {"ratio", memory / network}};
}

Json balances() {
  const Node gpu = processor(Lane::gpu, decade, FormulaVersion::printed).node;
  const Node cpu = processor(Lane::cpu, decade, FormulaVersion::printed).node;
  Json list = Json::array();
  for (const auto& [name, node] :
       {std::pair{"czechowski-2020-gpu", gpu}, {"czechowski-2020-cpu", cpu}}) {
    list.push_back({{"name", name},
                    {"ranks", 1},
                    {"memory", node.memory_bandwidth},
                    {"network", node.link_bandwidth},
                    {"ratio", node.memory_bandwidth / node.link_bandwidth}});
  }
  for (const char* name :
       {"hopper", "keeneland", "summit", "fugaku", "selene", "frontier", "lumi-g", "aurora"}) {
    list.push_back(balance(name));
  }
  return list;
}

Json everything() {
  Json predicted = Json::array();
  Json ratios = Json::array();
  for (const Reading& reading : readings) {
    predicted.push_back(predictions(reading));
    ratios.push_back(figure_6(reading));
  }
  return {{"schema", "kallima.study.exascale/1"},
          {"table_1", table_1()},
          {"predictions", predicted},
          {"figure_6", ratios},
          {"balances", balances()},
          {"runs", runs()}};
}

}  // namespace

int main() {
  try {
    std::cout << everything().dump(1) << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

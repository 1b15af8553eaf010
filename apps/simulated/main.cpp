// SPDX-License-Identifier: BSD-3-Clause
//
// What `kallima simulate` starts under SimGrid's smpirun: runs the plans of a file on simulated
// ranks and prints one JSON object a plan, schema kallima.simulated/2.
//
//     smpirun -np P -platform F -hostfile H kallima_simulated PLANS RUNS SAMPLES
//
// PLANS holds texts of plans with lines of "---" between. Each is run RUNS times from the moment
// that all ranks are ready, and takes as long as its slowest rank, in simulated time. SAMPLES
// outputs are compared with direct sums; 0 leaves that out. Data are really moved and transformed,
// so the answer can be wrong; what computing takes is not simulated (smpirun is told so), as sweeps
// on the host that simulates say nothing of those on the machine that is simulated. Ends with 1
// where an answer is wrong.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Sleeps in simulated time.
#include <smpi/smpi_helpers_internal.h>

#include "base/file.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "bench/numbers.hpp"
#include "bench/verify.hpp"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"

namespace kallima::simulated {
namespace {

using Json = nlohmann::ordered_json;

struct Task {
  std::vector<Plan> plans;
  int runs = 1;
  Index samples = 0;
};

double largest(double mine) {
  double all = 0.;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

Index total(Index mine) {
  Index all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Waits until a moment that is later on all ranks, the same on all. Ranks leave a barrier one
/// after the other, which would count as part of a short exchange. Collective.
double barrier() {
  constexpr double later = 1e-3;
  const double moment = largest(MPI_Wtime()) + later;
  const double left = moment - MPI_Wtime();
  constexpr double nano = 1e-9;
  const auto whole = static_cast<std::time_t>(left);
  const timespec wait{whole, static_cast<long>((left - static_cast<double>(whole)) / nano)};
  smpi_nanosleep(&wait, nullptr);
  return moment;
}

/// Relative error of the sampled outputs. Collective.
template <class Fft, class Input, class Output>
double error_of(const Fft& fft, const Input& input, const Output& output, const Task& task) {
  const auto samples = cli::sampled_indices(fft.output_layout().shape(), task.samples);
  const auto want = cli::direct_sums(MPI_COMM_WORLD, input, fft.plan().problem(), samples,
                                     Direction::forward, [](double) { /* nobody watches */ });
  return cli::relative_error(cli::elements_at(MPI_COMM_WORLD, output, samples), want, 1.0L);
}

template <class Fft>
Json measured(const Plan& plan, const Task& task) {
  Options options;
  options.plan = std::make_shared<const Plan>(plan);
  options.axes = plan.problem().axes;
  options.keep = plan.problem().keep;
  options.r2c_axis = plan.problem().r2c_axis;
  const Fft fft(MPI_COMM_WORLD, plan.problem().shape, options);
  auto input = fft.make_input();
  auto output = fft.make_output();
  cli::fill(input);
  auto bound =
      fft.bind_memory(Direction::forward, input.data(), input.size(), output.data(), output.size());
  std::vector<double> took;
  for (int run = 0; run < task.runs; ++run) {
    const double begin = barrier();
    bound.run();
    took.push_back(largest(MPI_Wtime() - begin));
  }
  const CommStatistics moved = fft.statistics();
  Json line = {{"schema", "kallima.simulated/2"},
               {"plan", text::hex(plan.hash())},
               {"problem", plan.problem().to_text()},
               {"ranks", plan.ranks()},
               {"seconds", median(took)},
               {"bytes_sent", total(moved.bytes_sent) / task.runs},
               {"messages_sent", total(moved.messages_sent) / task.runs}};
  if (task.samples > 0) {
    line["error"] = error_of(fft, input, output, task);
    line["promised_error"] = promised_error(plan);
  }
  return line;
}

template <class T>
Json measured_in(const Plan& plan, const Task& task) {
  if (plan.problem().real()) return measured<RealTransform<T>>(plan, task);
  if (plan.problem().kind == Kind::r2r) return measured<R2RTransform<T>>(plan, task);
  return measured<Transform<T>>(plan, task);
}

Task task_of(int argc, char** argv) {
  if (argc != 4) throw InvalidOption("kallima_simulated PLANS RUNS SAMPLES");
  Task task;
  std::string plan;
  for (const std::string& line : text::split(text_of_file(argv[1]), '\n')) {
    if (line != "---") {
      plan += line + "\n";
      continue;
    }
    task.plans.push_back(Plan::parse(plan));
    plan.clear();
  }
  task.runs = std::stoi(argv[2]);
  task.samples = std::stoll(argv[3]);
  return task;
}

int run(int argc, char** argv) {
  const Task task = task_of(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = true;
  for (const Plan& plan : task.plans) {
    const bool single = plan.problem().precision == Precision::f32;
    const Json line = single ? measured_in<float>(plan, task) : measured_in<double>(plan, task);
    right = right && (task.samples == 0 || line.at("error") <= line.at("promised_error"));
    if (rank != 0) continue;
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace kallima::simulated

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 3;
  try {
    code = kallima::simulated::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "kallima_simulated: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}

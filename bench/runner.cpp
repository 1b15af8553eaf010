// SPDX-License-Identifier: BSD-3-Clause
#include "bench/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>

#include "api/packed.hpp"
#include "calibration/work.hpp"
#include "comm/agreement.hpp"

namespace kallima::bench {

namespace {

/// Of a plan's kind: Transform or RealTransform.
template <class T, template <class> class Fft>
class RunnerOf final : public Runner {
 public:
  RunnerOf(const World& world, const Plan& plan)
      : fft_(world.communicator->comm, plan.problem().shape, options_for(plan)),
        arrays_(bytes(plan)),
        bound_(fft_.bind_memory(Direction::forward, arrays_.from(), room(plan.input()),
                                arrays_.to(), room(plan.output()))) {}

  void run() override { bound_.run(); }
  [[nodiscard]] CommStatistics statistics() const override { return fft_.statistics(); }

 private:
  static Options options_for(const Plan& plan) {
    Options options;
    options.plan = std::make_shared<const Plan>(plan);
    return options;
  }
  [[nodiscard]] std::size_t room(const Layout& layout) const {
    return static_cast<std::size_t>(layout.allocated_size(fft_.rank()));
  }
  [[nodiscard]] Index bytes(const Plan& plan) const {
    const std::size_t most = std::max({room(plan.input()), room(plan.output()), std::size_t{1}});
    return static_cast<Index>(most * sizeof(std::complex<T>));
  }

  Fft<T> fft_;
  calibration::Arrays arrays_;
  Bound<T> bound_;
};

}  // namespace

std::unique_ptr<Runner> runner_of(const World& world, const Plan& plan) {
  const bool real = plan.problem().real();
  if (plan.problem().precision == Precision::f32) {
    if (real) return std::make_unique<RunnerOf<float, RealTransform>>(world, plan);
    return std::make_unique<RunnerOf<float, Transform>>(world, plan);
  }
  if (real) return std::make_unique<RunnerOf<double, RealTransform>>(world, plan);
  return std::make_unique<RunnerOf<double, Transform>>(world, plan);
}

double timed(const World& world, Runner& runner) {
  using Clock = std::chrono::steady_clock;
  const MPI_Comm comm = world.communicator->comm;
  MPI_Barrier(comm);
  const Clock::time_point begin = Clock::now();
  runner.run();
  const double mine = std::chrono::duration<double>(Clock::now() - begin).count();
  double slowest = 0.;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

std::vector<Plan> of_rank_0(const World& world, const std::vector<Plan>& plans) {
  std::vector<std::string> texts;
  for (const Plan& plan : plans) texts.push_back(plan.to_text());
  std::vector<Plan> result;
  for (const std::string& text : unpacked(comm::broadcast(*world.communicator, packed(texts)))) {
    result.push_back(Plan::parse(text));
  }
  return result;
}

void say(const World& world, const Json& line) {
  if (!world.speaks()) return;
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

int under_mpi(int argc, char** argv, const char* name, int (*run)(int, char**)) {
  MPI_Init(&argc, &argv);
  int code = 3;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}

}  // namespace kallima::bench

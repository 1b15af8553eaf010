// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/whole.hpp"

#include <algorithm>
#include <chrono>

#include "calibration/fit.hpp"
#include "calibration/work.hpp"
#include "comm/communicator.hpp"
#include "kallima/price.hpp"
#include "kallima/transform.hpp"

namespace kallima::calibration {

std::vector<Shape> whole_shapes(Index most_bytes) {
  const std::vector<Shape> all = {{8, 32, 32},     {64, 128},      {16, 64, 32},   {128, 256},
                                  {32, 64, 64},    {256, 512},     {64, 128, 64},  {512, 1024},
                                  {1 << 19},       {64, 256, 128}, {1024, 2048},   {1 << 21},
                                  {128, 256, 256}, {1 << 23},      {256, 512, 256}};
  std::vector<Shape> result;
  for (const Shape& shape : all) {
    if (3 * 16 * volume(shape) <= 2 * most_bytes) result.push_back(shape);
  }
  return result;
}

WholeTime whole_time(MPI_Comm comm, const Shape& shape, ExchangeMethod method, double budget) {
  using Clock = std::chrono::steady_clock;
  using comm::check;
  Options options;
  options.chunks = 1;  // each step by itself
  options.machine = std::make_shared<const Machine>(built_in_machine());
  options.method = method;
  const Transform<double> fft(comm, shape, options);
  const Index in = fft.input_layout().allocated_size(fft.rank());
  const Index out = fft.output_layout().allocated_size(fft.rank());
  const Arrays arrays(std::max<Index>(1, std::max(in, out)) * Index{sizeof(std::complex<double>)});
  Bound<double> bound =
      fft.bind_memory(Direction::forward, arrays.from(), static_cast<std::size_t>(in), arrays.to(),
                      static_cast<std::size_t>(out));
  const auto once = [&] {
    check(MPI_Barrier(comm), "MPI_Barrier");
    const Clock::time_point begin = Clock::now();
    bound.run();
    double mine = std::chrono::duration<double>(Clock::now() - begin).count();
    double slowest = 0.;
    check(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    return slowest;
  };
  for (int i = 0; i < 2; ++i) once();
  std::vector<double> took;
  for (double sum = 0.; goes_on(took.size(), sum, budget);) {
    took.push_back(once());
    sum += took.back();
  }
  WholeTime result{fft.plan(), median(took), 0.};
  const PlanCost stages = price(result.plan, *options.machine);
  const Timings timings = fft.timings();
  for (std::size_t stage = 0; stage < stages.steps.size(); ++stage) {
    if (stages.steps[stage].bytes > 0) result.exchanging += timings.stages[stage];
  }
  return result;
}

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/work.hpp"

#include <algorithm>
#include <chrono>

#include "base/median.hpp"
#include "base/plain_memory.hpp"
#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "planner/sweep.hpp"

namespace kallima::calibration {

namespace {

Plan plan_of(const Work& work, Index tile_bytes) {
  PlanRequest request;
  request.tile_bytes = tile_bytes;
  request.engine = work.engine;
  Problem& problem = request.problem;
  problem.precision = work.precision;
  problem.kind = work.kernel == Kernel::real ? Kind::r2c : Kind::c2c;
  std::vector<Step> steps;
  if (work.twiddles) {
    // j = lines j1 + j0 along one axis: the sweep along j1 is one across memory.
    problem.shape = {work.elements()};
    const std::vector<Digit> digits = {{0, work.lines, DigitKind::position, 0},
                                       {0, 1, DigitKind::position, 0}};
    const Layout whole = Layout::block(problem.shape, {1});
    const Layout halves = Layout::block({work.length, work.lines}, {1, 1});
    steps.emplace_back(Regroup{digits, halves});
    steps.emplace_back(line_sweep(request, work.kernel, halves, 0));
    return {problem, Direction::forward, 1, {}, whole, steps};
  }
  problem.shape = work.across ? Shape{work.length, work.lines} : Shape{work.lines, work.length};
  if (work.row > 0) problem.shape = {work.length, work.lines / work.row, work.row};
  if (problem.kind == Kind::r2c) problem.r2c_axis = work.across ? 0 : 1;
  const Layout layout = Layout::block(problem.shape, std::vector<Index>(problem.shape.size(), 1));
  if (work.kernel == Kernel::none) {
    steps.emplace_back(Sweep{});
  } else {
    steps.emplace_back(line_sweep(request, work.kernel, layout, work.across ? 0 : 1));
  }
  return {problem, Direction::forward, 1, {}, layout, steps};
}

template <class T>
double timed(const Plan& plan, const Arrays& arrays, double budget) {
  using Clock = std::chrono::steady_clock;
  exec::Loopback<T> ranks(plan, false);
  const std::vector<const std::complex<T>*> in = {
      reinterpret_cast<const std::complex<T>*>(arrays.from())};
  const std::vector<std::complex<T>*> out = {reinterpret_cast<std::complex<T>*>(arrays.to())};
  // A core that has slept takes some milliseconds to come to its speed.
  const Clock::time_point start = Clock::now();
  do {
    ranks.run(in, out, T{1});
  } while (std::chrono::duration<double>(Clock::now() - start).count() < budget);
  std::vector<double> took;
  double sum = 0.;
  while (goes_on(took.size(), sum, budget)) {
    const Clock::time_point begin = Clock::now();
    ranks.run(in, out, T{1});
    took.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    sum += took.back();
  }
  return median(std::move(took));
}

}  // namespace

Index Work::bytes() const {
  const Index element = Element{true, precision}.bytes();
  if (kernel != Kernel::real) return 2 * elements() * element;
  return elements() * element / 2 + lines * half_extent(length) * element;
}

Arrays::Arrays(Index bytes) {
  const auto memory = std::make_shared<PlainMemory>();
  from_ = Buffer(memory, bytes, "array to calibrate with");
  to_ = Buffer(memory, bytes, "array to calibrate with");
  for (const Buffer* const buffer : {&from_, &to_}) {
    const BufferView all = buffer->view();
    std::fill_n(all.data, all.bytes, std::byte{0});
  }
}

double seconds_of(const Work& work, const Arrays& arrays, Index tile_bytes, double budget) {
  const Plan plan = plan_of(work, tile_bytes);
  return work.precision == Precision::f32 ? timed<float>(plan, arrays, budget)
                                          : timed<double>(plan, arrays, budget);
}

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
//
// A machine for those who have not calibrated theirs: two sockets, a tapered fat tree, memory as
// slow as clusters in use commonly have it, links between nodes as those of their kind are
// (network.hpp). Plans made on it avoid what is expensive everywhere; its seconds are no
// prediction.
#include "machine/figures.hpp"
#include "machine/network.hpp"

namespace kallima {

namespace {

FftRates rates(double scale) {
  const auto scaled = [&](std::vector<Curve::Point> points) {
    return Curve(std::move(points)).scaled(scale);
  };
  FftRates result;
  constexpr double far = 1 << 30;  // a power of two, as others do not count between points
  result.lines.in_cache =
      scaled({{2., 2e-9}, {32., 2e-9}, {1024., 3e-9}, {65536., 8e-9}, {far, 2e-8}});
  result.interleaved.in_cache =
      scaled({{2., 3e-9}, {32., 3.5e-9}, {1024., 5e-9}, {65536., 1.5e-8}, {far, 3e-8}});
  result.primes = Curve({{2., 1.}, {3., 1.2}, {7., 1.5}, {13., 2.}, {101., 5.}, {1e9, 5.}});
  result.real = Curve(0.55);
  result.twiddle = scale * 1e-9;
  return result;
}

Speed speed(Index active, double per_byte) {
  constexpr double second_cache = 1 << 20;
  constexpr double third_cache = 1 << 24;
  constexpr double everything = 1e15;  // as far as anybody asks, it stays the same
  Speed result;
  result.active = active;
  result.f32 = rates(0.6);
  result.f64 = rates(1.);
  result.copy = Curve({{1., 0.3 * per_byte},
                       {second_cache, 0.3 * per_byte},
                       {third_cache, per_byte},
                       {everything, per_byte}});
  result.in_plan = Curve(1.1);
  for (FftRates* const of : {&result.f32, &result.f64}) {
    const auto beyond = [&](double each) {
      return Curve({{1., 0.}, {second_cache, 0.}, {third_cache, each}, {everything, each}});
    };
    of->lines.beyond = beyond(per_byte);
    of->interleaved.beyond = beyond(1.2 * per_byte);
  }
  // Kernels are faster than FFTW nearly everywhere. The slow side is that they are no faster; they
  // are chosen then too.
  result.kernels_f32 = result.f32;
  result.kernels_f64 = result.f64;
  return result;
}

MachineFigures make() {
  MachineFigures machine;
  machine.name = "built-in";
  machine.about = "a common cluster, each figure on the slow side; calibrate for yours";
  machine.node = {64, 64, 256e9, false};
  machine.speeds = {speed(1, 2e-10), speed(64, 6e-10)};
  machine.shared_memory.barrier = Curve({{1., 1e-7}, {2., 1e-6}, {128., 1e-5}, {1024., 1e-4}});
  machine.shared_memory.in_plan = Curve(1.2);
  machine.in_node = assumed_link(
      "shared memory", {1e-6, 5e-7},
      Curve({{1., 4e-10}, {1024., 4e-10}, {1048576., 2.5e-10}, {1e12, 2.5e-10}}), 0., 1.);
  machine.between_nodes = typical_link({});
  machine.topology = {Wiring::fat_tree, 2., 3, 2, 0};
  machine.accuracy = {0.5, 0.5};
  machine.sources = {{"all", "assumed: slower than most; nothing was measured"}};
  return machine;
}

}  // namespace

const Machine& built_in_machine() {
  static const Machine machine = make();
  return machine;
}

}  // namespace kallima

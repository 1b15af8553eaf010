// SPDX-License-Identifier: BSD-3-Clause
//
// A Gaussian random field with a given power spectrum, as cosmological codes begin with, and the
// spectrum that it has. White noise is drawn by global index, so that the field is the same on any
// number of ranks; apply() multiplies its frequencies by sqrt(P(k)).
//
//     mpirun -n 4 example_random_field [N]      N^3 points, 48 by default
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "example.hpp"
#include "kallima/kallima.hpp"

namespace {

/// The power that is asked for.
double power(double k) { return 1.0 / (1.0 + k * k); }

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): independent numbers for neighbouring seeds.
std::uint64_t scrambled(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// Normally distributed, by Box and Muller's method.
double normal(std::uint64_t number) {
  const auto uniform = [](std::uint64_t seed) {
    return (static_cast<double>(scrambled(seed) >> 11) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2.0 * std::log(uniform(2 * number))) *
         std::cos(2.0 * std::numbers::pi * uniform(2 * number + 1));
}

int make_field(kallima::Index n) {
  const kallima::RealTransform<double> fft(MPI_COMM_WORLD, {n, n, n});
  auto field = fft.make_input();
  for (auto [index, value] : field.indexed()) {
    value = normal(static_cast<std::uint64_t>((index[0] * n + index[1]) * n + index[2]));
  }
  fft.apply(field, field,
            [](const auto& k, auto& value) { value *= std::sqrt(power(std::sqrt(k.squared()))); });

  // |value|^2 of the frequencies of white noise is N on the average.
  auto field_k = fft.make_output();
  fft.forward(field, field_k);
  const std::vector<kallima::Shell> shells = kallima::power_spectrum(MPI_COMM_WORLD, field_k);
  const auto elements = static_cast<double>(n * n * n);
  double worst = 0.0;  // in standard deviations
  if (fft.rank() == 0) std::printf("      k      modes   measured   asked for\n");
  for (const kallima::Shell& shell : shells) {
    if (shell.modes < 20) continue;
    const double measured = shell.power / elements;
    const double asked = power(shell.k);
    // Half of the modes are independent, and each is the sum of two squares.
    const double deviation = asked * std::sqrt(2.0 / static_cast<double>(shell.modes));
    // P(k) changes within a shell, by a few percent where it is steepest.
    worst = std::max(worst, std::abs(measured - asked) / (deviation + 0.05 * asked));
    if (fft.rank() == 0) {
      std::printf("%7.3f %10lld %10.5f %11.5f\n", shell.k, static_cast<long long>(shell.modes),
                  measured, asked);
    }
  }
  if (fft.rank() == 0) std::printf("largest difference %.2f of what is expected\n", worst);
  return worst < 4.0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, 48, make_field); }

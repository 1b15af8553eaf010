// SPDX-License-Identifier: BSD-3-Clause
//
// Solves the Poisson problem  -laplace(u) = f  in a periodic box of edges 4 pi, 2 pi and 2 pi along
// z, y and x, for an f whose solution is known, prints the plan and checks the error. x is the last
// axis, the fastest in memory: index[2].
//
//     mpirun -n 4 example_poisson [N]      N^3 points, 48 by default
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numbers>

#include "kallima/kallima.hpp"

namespace {

constexpr double pi = std::numbers::pi;

/// u(x, y, z) = sin(2 x) cos(y) sin(z / 2), whose -laplace is (4 + 1 + 1/4) u.
double solution(const kallima::MultiIndex& index, kallima::Index n) {
  const auto at = [&](std::size_t axis, double length) {
    return length * static_cast<double>(index[axis]) / static_cast<double>(n);
  };
  const double z = at(0, 4.0 * pi);
  const double y = at(1, 2.0 * pi);
  const double x = at(2, 2.0 * pi);
  return std::sin(2.0 * x) * std::cos(y) * std::sin(z / 2.0);
}

int solve(kallima::Index n) {
  kallima::Options options;
  options.lengths = {4.0 * pi, 2.0 * pi, 2.0 * pi};  // as the shape: of z, y, x
  const kallima::Transform<double> fft(MPI_COMM_WORLD, {n, n, n}, options);
  auto u = fft.make_input();
  auto u_k = fft.make_output();

  for (auto [index, value] : u.indexed()) value = 5.25 * solution(index, n);
  fft.forward(u, u_k);
  for (auto [k, value] : u_k.wavenumbers()) value *= k.is_zero() ? 0.0 : 1.0 / k.squared();
  fft.backward(u_k, u);

  double mine = 0.0;
  for (auto [index, value] : u.indexed()) {
    mine = std::max(mine, std::abs(value - solution(index, n)));
  }
  double worst = 0.0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (fft.rank() == 0) {
    std::cout << fft.explain();
    std::printf("largest error %.2e\n", worst);
  }
  return worst < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = solve(argc > 1 ? std::atoll(argv[1]) : 48);
  } catch (const kallima::Error& error) {
    // The same on every rank, so one of them may speak for all.
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cerr << error.what() << '\n';
  }
  MPI_Finalize();
  return status;
}

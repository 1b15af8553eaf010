// SPDX-License-Identifier: BSD-3-Clause
//
// Solves  laplace(u) = f  between two walls, as codes for channel flow do for the pressure:
// periodic along z and x, u = 0 at y = -1 and y = 1. Fourier along z and x, along y Chebyshev
// polynomials: a cosine transform of type 1 makes their coefficients of values at cos(pi j / N).
//
// For every wavenumber the coefficients along y solve  u'' - lambda u = f  by the tau method in the
// form that couples neighbours only: Canuto, Hussaini, Quarteroni and Zang, Spectral Methods in
// Fluid Dynamics, 1988, section 5.1.2. So the output has y whole on every rank.
//
//     mpirun -n 4 example_channel [N]      N points along each axis, 32 by default
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include "example.hpp"
#include "kallima/kallima.hpp"

namespace {

constexpr double pi = std::numbers::pi;

/// The coefficients of u from those of f, in place: u'' - lambda u = f, u(-1) = u(1) = 0. Even and
/// odd ones do not meet.
void solve_column(std::vector<std::complex<double>>& f, double lambda) {
  const auto last = static_cast<int>(f.size()) - 1;
  const auto present = [&](int k) { return k <= last ? 1.0 : 0.0; };
  for (const int parity : {0, 1}) {
    // u_k = constant + slope u_(k-2), from the highest k down.
    std::vector<std::complex<double>> constant(f.size() + 2);
    std::vector<double> slope(f.size() + 2);
    const int highest = last - (last + parity) % 2;
    for (int k = highest; k >= 2; k -= 2) {
      const double n = k;
      const double below = (k == 2 ? 2.0 : 1.0) / (4.0 * n * (n - 1.0));
      const double here = present(k + 2) / (2.0 * (n * n - 1.0));
      const double above = present(k + 4) / (4.0 * n * (n + 1.0));
      const auto at = static_cast<std::size_t>(k);
      const std::complex<double> right =
          below * f[at - 2] - here * f[at] + (k + 2 <= last ? above * f[at + 2] : 0.0);
      const double diagonal = 1.0 + lambda * here - lambda * above * slope[at + 2];
      constant[at] = (right + lambda * above * constant[at + 2]) / diagonal;
      slope[at] = lambda * below / diagonal;
    }
    // All of one parity add up to 0 at the walls, which gives the lowest.
    std::complex<double> sum = 0.0;
    double factor = 1.0;
    double product = 1.0;
    std::complex<double> so_far = 0.0;
    for (int k = parity + 2; k <= highest; k += 2) {
      const auto at = static_cast<std::size_t>(k);
      so_far = constant[at] + slope[at] * so_far;
      product *= slope[at];
      sum += so_far;
      factor += product;
    }
    if (parity > last) continue;
    f[static_cast<std::size_t>(parity)] = -sum / factor;
    for (int k = parity + 2; k <= highest; k += 2) {
      const auto at = static_cast<std::size_t>(k);
      f[at] = constant[at] + slope[at] * f[at - 2];
    }
  }
}

int solve(kallima::Index n) {
  using kallima::AxisKind;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kallima::Options options;
  options.axes = {AxisKind::fourier, AxisKind::cosine_1, AxisKind::real};  // z, y, x
  options.lengths = {2.0 * pi, 2.0, 2.0 * pi};
  options.out = "z:block/" + std::to_string(std::min<kallima::Index>(ranks, n)) + " y:all x:all";
  const kallima::RealTransform<double> fft(MPI_COMM_WORLD, {n, n + 1, n}, options);
  auto u = fft.make_input();
  auto u_k = fft.make_output();

  // u = sin(pi y) cos(x) sin(2 z), whose laplacian is -(pi^2 + 1 + 4) u.
  const auto solution = [&](const kallima::MultiIndex& at) {
    const double z = 2.0 * pi * static_cast<double>(at[0]) / static_cast<double>(n);
    const double y = std::cos(pi * static_cast<double>(at[1]) / static_cast<double>(n));
    const double x = 2.0 * pi * static_cast<double>(at[2]) / static_cast<double>(n);
    return std::sin(pi * y) * std::cos(x) * std::sin(2.0 * z);
  };
  for (auto [index, value] : u.indexed()) value = -(pi * pi + 5.0) * solution(index);

  fft.forward(u, u_k);
  const kallima::Layout& layout = fft.output_layout();
  const auto held = layout.local_indices(fft.rank());
  const auto stride = layout.local_strides(fft.rank());
  std::vector<std::complex<double>> column(static_cast<std::size_t>(n + 1));
  for (kallima::Index i = 0; i < held[0].count; ++i) {
    for (kallima::Index j = 0; j < held[2].count; ++j) {
      kallima::MultiIndex index;
      index[0] = held[0].at(i);
      index[2] = held[2].at(j);
      const kallima::Wavenumber k = fft.spectrum().wavenumber(index);
      std::complex<double>* const first = u_k.data() + i * stride[0] + j * stride[2];
      // A cosine transform leaves the first and the last coefficient twice as large as the others.
      const auto doubled = [&](kallima::Index m) { return m == 0 || m == n ? 2.0 : 1.0; };
      for (kallima::Index m = 0; m <= n; ++m) {
        column[static_cast<std::size_t>(m)] = first[m * stride[1]] / doubled(m);
      }
      solve_column(column, k.component(0) * k.component(0) + k.component(2) * k.component(2));
      for (kallima::Index m = 0; m <= n; ++m) {
        first[m * stride[1]] = column[static_cast<std::size_t>(m)] * doubled(m);
      }
    }
  }
  fft.backward(u_k, u);

  double mine = 0.0;
  for (auto [index, value] : u.indexed()) {
    mine = std::max(mine, std::abs(value - solution(index)));
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

int main(int argc, char** argv) { return run_example(argc, argv, 32, solve); }

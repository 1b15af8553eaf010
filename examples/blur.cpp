// SPDX-License-Identifier: BSD-3-Clause
//
// Convolution of an image with a kernel, both distributed over the ranks: apply() of two inputs
// multiplies their frequencies. The image is padded with zeros by the extent of the kernel, so that
// nothing comes round its edges. Some pixels are compared with the sum that defines them.
//
//     mpirun -n 4 example_blur [N]      an image of N x 3N/2 pixels, 96 by default
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "example.hpp"
#include "kallima/kallima.hpp"

namespace {

using kallima::Index;

constexpr Index radius = 4;  // of the kernel

/// Stripes and a disc, of an image with so many rows.
double pixel(Index y, Index x, Index rows) {
  const double dy = static_cast<double>(2 * y - rows);
  const double dx = static_cast<double>(2 * x - rows);
  const bool disc = dx * dx + dy * dy < 0.5 * static_cast<double>(rows * rows);
  return (disc ? 1.0 : 0.0) + ((y + x) % 16 < 8 ? 0.25 : 0.0);
}

/// A Gaussian that leans to one side, so that a kernel upside down would be found out.
double kernel(Index dy, Index dx) {
  if (std::max(std::abs(dy), std::abs(dx)) > radius) return 0.0;
  const double square = static_cast<double>(dy * dy + dx * dx);
  return std::exp(-square / 6.0) *
         (1.0 + 0.1 * static_cast<double>(dy) + 0.05 * static_cast<double>(dx));
}

/// The sum that a pixel is.
double convolved(Index y, Index x, Index rows, Index columns) {
  double sum = 0.0;
  for (Index dy = -radius; dy <= radius; ++dy) {
    for (Index dx = -radius; dx <= radius; ++dx) {
      const Index from_y = y - dy;
      const Index from_x = x - dx;
      if (from_y < 0 || from_y >= rows || from_x < 0 || from_x >= columns) continue;
      sum += kernel(dy, dx) * pixel(from_y, from_x, rows);
    }
  }
  return sum;
}

int blur(Index rows) {
  const Index columns = rows * 3 / 2;
  const Index height = rows + 2 * radius;
  const Index width = columns + 2 * radius;
  const kallima::RealTransform<double> fft(MPI_COMM_WORLD, {height, width});
  auto image = fft.make_input();
  auto weights = fft.make_input();
  for (auto [index, value] : image.indexed()) {
    if (index[0] < rows && index[1] < columns) value = pixel(index[0], index[1], rows);
  }
  // What lies before the kernel's centre comes round the edge.
  for (auto [index, value] : weights.indexed()) {
    value = kernel(index[0] < height / 2 ? index[0] : index[0] - height,
                   index[1] < width / 2 ? index[1] : index[1] - width);
  }

  fft.apply(image, weights, image,
            [](const auto& /*k*/, auto& value, const auto& weight) { value *= weight; });

  double mine = 0.0;
  double inside = 0.0;
  for (auto [index, value] : image.indexed()) {
    const bool shown = index[0] < rows && index[1] < columns;
    if (shown) inside += value;
    if (!shown || (index[0] * columns + index[1]) % 7 != 0) continue;
    mine = std::max(mine, std::abs(value - convolved(index[0], index[1], rows, columns)));
  }
  double worst = 0.0;
  double sum = 0.0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&inside, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (fft.rank() == 0) {
    std::printf("%lld x %lld pixels, mean %.6f, largest error %.2e\n", static_cast<long long>(rows),
                static_cast<long long>(columns), sum / static_cast<double>(rows * columns), worst);
  }
  return worst < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, 96, blur); }

// SPDX-License-Identifier: BSD-3-Clause
#include <kallima/kallima.hpp>

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    const kallima::Transform<float> fft(MPI_COMM_WORLD, {6, 10});
    auto u = fft.make_input();
    auto u_k = fft.make_output();
    for (auto [index, value] : u.indexed()) value = 1.0F;
    fft.forward(u, u_k);
    for (auto [k, value] : u_k.wavenumbers()) {
      if (std::abs(value - (k.is_zero() ? 60.0F : 0.0F)) > 1e-4F) ++wrong;
    }
    try {
      const kallima::Transform<double> none(MPI_COMM_WORLD, {0});
      ++wrong;
    } catch (const kallima::InvalidShape& error) {
      if (fft.rank() == 0) std::printf("as it should: %s\n", error.what());
    }
  }
  // Machines that were installed with the library, wherever it was moved to.
  if (argc > 1 && kallima::find_machine(argv[1]).name() != argv[1]) ++wrong;
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

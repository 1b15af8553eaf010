// SPDX-License-Identifier: BSD-3-Clause
#include <kallima/kallima.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

/// Calls what the other butterflies have and Transform has: a shared library must export it.
int wrong_butterflies() {
  int wrong = 0;
  const kallima::Ntt ntt(MPI_COMM_WORLD, {64});
  auto residues = ntt.make_input();
  auto residues_k = ntt.make_output();
  ntt.bind(kallima::Direction::forward, residues, residues_k).run();
  const kallima::WalshHadamard walsh(MPI_COMM_WORLD, {64});
  auto numbers = walsh.make_input();
  auto numbers_k = walsh.make_output();
  walsh.bind(kallima::Direction::forward, numbers, numbers_k).run();
  const kallima::Sort<std::int64_t> sort(MPI_COMM_WORLD, 64);
  auto keys = sort.make_keys();
  std::int64_t next = 64 * (sort.rank() + 1);
  for (auto& key : keys) key = --next;
  sort.bind(keys, keys).run();
  if (!std::is_sorted(keys.begin(), keys.end())) ++wrong;
  if (ntt.rank() != sort.rank() || walsh.rank() != sort.rank()) ++wrong;
  return wrong;
}

}  // namespace

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
  if (argc > 1 && kallima::find_machine(argv[1]).name != argv[1]) ++wrong;
  wrong += wrong_butterflies();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
#include <kallima/ntt.hpp>
#include <kallima/sort.hpp>
#include <kallima/walsh_hadamard.hpp>

#include <algorithm>
#include <cstdint>

namespace {

/// Calls what the extras have: a shared library must export it.
int wrong_extras() {
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
  const int wrong = wrong_extras();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// A program of heFFTe: transforms between bricks, forward and back, timed. Compiled twice, against
// heFFTe's heffte.h and against Kallima's; bench/adoption/heffte.sh compares the two.
//
//     mpirun -n P bricks ROUNDS [n ...]
//
// Per problem a line: its name, seconds of forward and backward (median of the rounds, the slowest
// rank), seconds of planning, a number that all frequencies go into.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heffte.h"

namespace {

template <class In, class Fft>
void measure(const char* name, int n, int rounds, Fft& fft, double planning) {
  std::vector<In> in(static_cast<std::size_t>(fft.size_inbox()));
  std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.size_outbox()));
  std::vector<std::complex<double>> workspace(fft.size_workspace());
  const heffte::box3d<> box = fft.inbox();
  std::size_t place = 0;
  for (int k = box.low[2]; k <= box.high[2]; ++k) {
    for (int j = box.low[1]; j <= box.high[1]; ++j) {
      for (int i = box.low[0]; i <= box.high[0]; ++i) {
        in[place++] = std::sin(0.37 * i + 1.3 * j * j + 0.11 * k * i);
      }
    }
  }
  std::vector<double> seconds;
  double sum = 0.0;
  for (int round = -2; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    fft.forward(in.data(), out.data(), workspace.data());
    if (round == -2) {
      const heffte::box3d<> held = fft.outbox();
      place = 0;
      for (int k = held.low[2]; k <= held.high[2]; ++k) {
        for (int j = held.low[1]; j <= held.high[1]; ++j) {
          for (int i = held.low[0]; i <= held.high[0]; ++i) {
            const std::complex<double> value = out[place++];
            sum += value.real() * std::cos(i + 2.0 * j + 3.0 * k) + value.imag() * std::sin(j - k);
          }
        }
      }
    }
    fft.backward(out.data(), in.data(), workspace.data(), heffte::scale::full);
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round >= 0) seconds.push_back(took);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::sort(seconds.begin(), seconds.end());
  if (heffte::mpi::world_rank(0)) {
    std::printf("%s:%d^3 %.6e %.3e %.10e\n", name, n, seconds[seconds.size() / 2], planning, sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {64, 128, 256};
  const int ranks = heffte::mpi::comm_size(MPI_COMM_WORLD);
  const auto mine = static_cast<std::size_t>(heffte::mpi::comm_rank(MPI_COMM_WORLD));
  for (const int n : sizes) {
    const heffte::box3d<> world({0, 0, 0}, {n - 1, n - 1, n - 1});
    // As square as can be; the same grid for both libraries.
    const std::array<int, 2> across = heffte::make_procgrid(ranks);
    const std::array<int, 3> grid = {{across[0], across[1], 1}};
    const auto boxes = heffte::split_world(world, grid);
    const auto halves = heffte::split_world(world.r2c(0), grid);
    {
      const double begin = MPI_Wtime();
      heffte::fft3d<heffte::backend::fftw> fft(boxes[mine], boxes[mine], MPI_COMM_WORLD);
      measure<std::complex<double>>("c2c", n, rounds, fft, MPI_Wtime() - begin);
    }
    {
      const double begin = MPI_Wtime();
      heffte::fft3d_r2c<heffte::backend::fftw> fft(boxes[mine], halves[mine], 0, MPI_COMM_WORLD);
      measure<double>("r2c", n, rounds, fft, MPI_Wtime() - begin);
    }
  }
  MPI_Finalize();
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// A program of heFFTe, in C++11: complex elements, reals, cosines, on boxes of all ranks. The
// transforms of a plane wave and of a constant are known.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "heffte.h"

namespace {

double worst = 0.0;

void expect(std::complex<double> is, std::complex<double> expected) {
  worst = std::max(worst, std::abs(is - expected));
}

void plane_wave(const heffte::box3d<>& mine, const heffte::box3d<>& other) {
  heffte::plan_options options = heffte::default_options<heffte::backend::fftw>();
  options.algorithm = heffte::reshape_algorithm::p2p_plined;
  options.use_reorder = true;
  heffte::fft3d<heffte::backend::fftw> fft(mine, other, MPI_COMM_WORLD, options);
  std::vector<std::complex<double>> in(static_cast<std::size_t>(fft.size_inbox()));
  std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.size_outbox()));
  std::vector<std::complex<double>> workspace(fft.size_workspace());
  std::size_t place = 0;
  for (int k = mine.low[2]; k <= mine.high[2]; ++k) {
    for (int j = mine.low[1]; j <= mine.high[1]; ++j) {
      for (int i = mine.low[0]; i <= mine.high[0]; ++i) {
        in[place++] = std::polar(1.0, 2.0 * std::acos(-1.0) * (2.0 * i / 8.0 + 3.0 * k / 8.0));
      }
    }
  }
  fft.forward(in.data(), out.data(), workspace.data(), heffte::scale::full);
  place = 0;
  for (int k = other.low[2]; k <= other.high[2]; ++k) {
    for (int j = other.low[1]; j <= other.high[1]; ++j) {
      for (int i = other.low[0]; i <= other.high[0]; ++i) {
        expect(out[place++], i == 2 && j == 0 && k == 3 ? 1.0 : 0.0);
      }
    }
  }
  const std::vector<std::complex<double>> back = fft.backward(out);
  for (std::size_t p = 0; p < in.size(); ++p) expect(back[p], in[p]);
}

void constant(const heffte::box3d<>& mine, const heffte::box3d<>& halved) {
  heffte::fft3d_r2c<heffte::backend::fftw> fft(mine, halved, 0, MPI_COMM_WORLD);
  const std::vector<float> in(static_cast<std::size_t>(fft.size_inbox()), 1.0F);
  const std::vector<std::complex<float>> out = fft.forward(in, heffte::scale::full);
  std::size_t place = 0;
  for (int k = halved.low[2]; k <= halved.high[2]; ++k) {
    for (int j = halved.low[1]; j <= halved.high[1]; ++j) {
      for (int i = halved.low[0]; i <= halved.high[0]; ++i) {
        expect(out[place++], i == 0 && j == 0 && k == 0 ? 1.0 : 0.0);
      }
    }
  }
  const std::vector<float> back = fft.backward(out);
  for (std::size_t p = 0; p < in.size(); ++p) expect(back[p], 1.0);
}

void cosines(const heffte::box3d<>& mine) {
  heffte::rtransform<heffte::backend::fftw_cos> fft(mine, mine, MPI_COMM_WORLD);
  const std::vector<double> in(static_cast<std::size_t>(fft.size_inbox()), 1.0);
  const std::vector<double> back = fft.backward(fft.forward(in), heffte::scale::full);
  for (std::size_t p = 0; p < in.size(); ++p) expect(back[p], 1.0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = heffte::mpi::comm_rank(MPI_COMM_WORLD);
  const int ranks = heffte::mpi::comm_size(MPI_COMM_WORLD);
  const heffte::box3d<> world({0, 0, 0}, {7, 7, 7});
  const std::array<int, 3> grid = heffte::proc_setup_min_surface(world, ranks);
  const auto boxes = heffte::split_world(world, grid);
  const auto halves = heffte::split_world(world.r2c(0), grid);
  heffte::world_complete(boxes, heffte::find_world(boxes));
  const auto mine = static_cast<std::size_t>(rank);
  plane_wave(boxes[mine], boxes[static_cast<std::size_t>((rank + 1) % ranks)]);
  constant(boxes[mine], halves[mine]);
  cosines(boxes[mine]);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("largest error %.1e\n", worst);
  MPI_Finalize();
  return worst < 1e-6 ? 0 : 1;
}

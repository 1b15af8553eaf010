// SPDX-License-Identifier: BSD-3-Clause
//
// A particle-mesh step, as cosmological and plasma codes make it: masses of particles are spread
// over cells, a transform solves for the potential, and its gradient pulls the particles. Arrays
// have ghost cells, which transforms leave alone and a halo exchange fills. Forces are compared
// with those of linear theory, and add up to 0.
//
// Particles belong to the rank that holds their cell. Here they lie on a lattice that a long wave
// has displaced a little, so each rank knows those near its part; a code of one's own would
// exchange them.
//
//     mpirun -n 4 example_particle_mesh [N]      N^3 cells and particles, 32 by default
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "example.hpp"
#include "kallima/kallima.hpp"

namespace {

using kallima::Index;
using Vector = std::array<double, 3>;

constexpr double pi = std::numbers::pi;
constexpr Index ghosts = 2;         // cells beside a rank's own
constexpr double amplitude = 1e-3;  // of the wave, in cells
constexpr double waves = 2.0;       // in the box

/// A rank's cells, with ghost cells around them.
class Mesh {
 public:
  Mesh(const kallima::Layout& layout, Index rank, Index n)
      : held_(layout.local_indices(rank)),
        stride_(layout.local_strides(rank)),
        origin_(layout.first_offset(rank)),
        n_(n) {}

  [[nodiscard]] bool empty() const { return held_[0].count == 0; }
  /// Cells of this rank along an axis, which is cut into blocks.
  [[nodiscard]] const kallima::Progression& held(std::size_t axis) const { return held_[axis]; }
  /// The place of a cell that is this rank's, or at most `ghosts` away from them. Cells are counted
  /// from the box's corner and go round its ends.
  [[nodiscard]] bool find(const std::array<Index, 3>& cell, Index margin, std::size_t& at) const {
    Index offset = origin_;
    for (std::size_t a = 0; a < 3; ++a) {
      Index place = ((cell[a] - held_[a].first) % n_ + n_) % n_;
      if (place >= held_[a].count + margin) place -= n_;
      if (place < -margin || place >= held_[a].count + margin) return false;
      offset += place * stride_[a];
    }
    at = static_cast<std::size_t>(offset);
    return true;
  }

 private:
  std::vector<kallima::Progression> held_;
  std::vector<Index> stride_;
  Index origin_;
  Index n_;
};

/// The cells that a particle is in, and its share of each: a cloud as large as a cell.
template <class Visit>
void for_each_share(const Vector& position, Visit visit) {
  std::array<Index, 3> cell{};
  Vector beyond{};
  for (std::size_t a = 0; a < 3; ++a) {
    cell[a] = static_cast<Index>(std::floor(position[a]));
    beyond[a] = position[a] - std::floor(position[a]);
  }
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::array<Index, 3> here = cell;
    double share = 1.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const bool upper = (corner >> a & 1U) != 0;
      here[a] += upper ? 1 : 0;
      share *= upper ? beyond[a] : 1.0 - beyond[a];
    }
    visit(here, share);
  }
}

/// Where the particle of a lattice point is: in the middle of its cell, displaced along x.
Vector position_of(const std::array<Index, 3>& point, Index n) {
  Vector at{};
  for (std::size_t a = 0; a < 3; ++a) at[a] = static_cast<double>(point[a]) + 0.5;
  at[2] += amplitude * std::sin(2.0 * pi * waves * at[2] / static_cast<double>(n));
  return at;
}

/// Calls visit(point) for the lattice points at most `margin` beside this rank's cells.
template <class Visit>
void for_each_point(const Mesh& mesh, Index margin, Visit visit) {
  if (mesh.empty()) return;
  const auto begin = [&](std::size_t a) { return mesh.held(a).first - margin; };
  const auto end = [&](std::size_t a) { return mesh.held(a).first + mesh.held(a).count + margin; };
  for (Index z = begin(0); z < end(0); ++z) {
    for (Index y = begin(1); y < end(1); ++y) {
      for (Index x = begin(2); x < end(2); ++x) visit(std::array<Index, 3>{z, y, x});
    }
  }
}

int step(Index n) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kallima::Options options;
  const kallima::Layout layout =
      kallima::Layout::slab({n, n, n}, std::min<Index>(ranks, n)).with_margins(ghosts);
  options.in = layout;
  options.lengths = {static_cast<double>(n), static_cast<double>(n), static_cast<double>(n)};
  const kallima::RealTransform<double> fft(MPI_COMM_WORLD, {n, n, n}, options);
  kallima::Halo<double> halo(MPI_COMM_WORLD, layout);
  const Mesh mesh(layout, fft.rank(), n);
  std::vector<double> potential(static_cast<std::size_t>(layout.allocated_size(fft.rank())));

  // Density: shares of all particles that reach into this rank's cells. A particle counts once,
  // also where it is seen round the end of an axis that one rank holds.
  for_each_point(mesh, 1, [&](const std::array<Index, 3>& point) {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool below = point[a] < mesh.held(a).first;
      const bool above = point[a] >= mesh.held(a).first + mesh.held(a).count;
      if ((below || above) && mesh.held(a).count == n) return;
      if (below && mesh.held(a).count + 1 == n) return;  // the same from above
    }
    for_each_share(position_of(point, n), [&](const std::array<Index, 3>& cell, double share) {
      std::size_t at = 0;
      if (mesh.find(cell, 0, at)) potential[at] += share;
    });
  });

  fft.apply(potential, potential, kallima::inverse_laplacian());  // laplace(potential) = density
  halo.run(potential);

  // Force: minus the gradient, at the particle. Cells and particles share mass and force alike, so
  // what one particle pulls, another is pulled back by.
  Vector sum{};
  double mine = 0.0;
  for_each_point(mesh, 0, [&](const std::array<Index, 3>& point) {
    const Vector position = position_of(point, n);
    Vector force{};
    for_each_share(position, [&](const std::array<Index, 3>& cell, double share) {
      for (std::size_t a = 0; a < 3; ++a) {
        std::array<Index, 3> above = cell;
        std::array<Index, 3> below = cell;
        ++above[a];
        --below[a];
        std::size_t up = 0;
        std::size_t down = 0;
        if (!mesh.find(above, ghosts, up) || !mesh.find(below, ghosts, down)) std::abort();
        force[a] -= share * (potential[up] - potential[down]) / 2.0;
      }
    });
    for (std::size_t a = 0; a < 3; ++a) sum[a] += force[a];
    // A small displacement s makes a density -ds/dx, and a force s.
    const double x = static_cast<double>(point[2]) + 0.5;
    const double displaced = amplitude * std::sin(2.0 * pi * waves * x / static_cast<double>(n));
    mine = std::max(mine, std::abs(force[2] - displaced) / amplitude);
  });
  double worst = 0.0;
  Vector total{};
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(sum.data(), total.data(), 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double left = std::max({std::abs(total[0]), std::abs(total[1]), std::abs(total[2])});
  if (fft.rank() == 0) {
    std::printf("force against linear theory: largest error %.3f of it; sum of all forces %.1e\n",
                worst, left);
  }
  // A cell smears a wave of n / 2 cells by (pi / 16)^2 at n = 32, and less the larger n is.
  return worst < 0.1 && left < 1e-10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, 32, step); }

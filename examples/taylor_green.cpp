// SPDX-License-Identifier: BSD-3-Clause
//
// The Taylor-Green vortex: a pseudo-spectral solver of the incompressible Navier-Stokes equations
// in the periodic box [0, 2 pi)^3, in rotation form,
//
//     du/dt = P (u x w) - nu k^2 u,   w = curl u,   P projects on what is free of divergence,
//
// with the 2/3 rule (frequencies |k| < n/3 alone are computed and sent) and Runge-Kutta of fourth
// order (Brachet et al., J. Fluid Mech. 130, 1983, 411, have the flow). Fields are real, so all
// transforms are RealTransform's.
//
//     mpirun -n 2 example_taylor_green [--points 32] [--reynolds 100] [--time 8] [--step 0.02]
//                                      [--history FILE] [--slice FILE]
//
// Checks on the way that energy is lost to dissipation alone, dE/dt = -2 nu Omega, and ends with an
// error where the balance does not close to 0.1 %. `history` gets time, energy and dissipation;
// `slice` a plane of |w| at the end, which taylor_green_picture.py draws.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kallima/kallima.hpp"

namespace {

using Complex = std::complex<double>;
using Field = std::array<kallima::RealArray<double>, 3>;
using Modes = std::array<kallima::Array<double>, 3>;

struct Arguments {
  kallima::Index points = 32;
  double reynolds = 100.0;
  double time = 8.0;
  double step = 0.02;
  std::string history;
  std::string slice;
};

/// What is needed of a wavenumber again and again, in the order of the transformed arrays' memory.
struct Mode {
  std::array<double, 3> k;
  double squared;
  double weight;  ///< 2 where it stands for its partner -k too
};

struct Budget {
  double energy = 0.0;
  double dissipation = 0.0;
};

class Flow {
 public:
  Flow(MPI_Comm comm, const Arguments& arguments)
      : comm_(comm),
        n_(arguments.points),
        viscosity_(1.0 / arguments.reynolds),
        fft_(comm, {n_, n_, n_}, two_thirds(n_)),
        u_{fft_.make_input(), fft_.make_input(), fft_.make_input()},
        w_{fft_.make_input(), fft_.make_input(), fft_.make_input()},
        u_k_(make_modes()),
        stage_(make_modes()),
        slope_(make_modes()),
        next_(make_modes()) {
    for (auto [k, value] : u_k_[0].wavenumbers()) {
      modes_.push_back({{k.component(0), k.component(1), k.component(2)},
                        k.squared(),
                        static_cast<double>(k.weight())});
    }
    start();
  }

  /// One step of fourth order.
  void advance(double dt) {
    copy(u_k_, next_);
    copy(u_k_, stage_);
    const std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0};
    const std::array<double, 4> share = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (std::size_t s = 0; s < 4; ++s) {
      find_slope();
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t i = 0; i < modes_.size(); ++i) {
          next_[a][i] += share[s] * dt * slope_[a][i];
          stage_[a][i] = u_k_[a][i] + ahead[s] * dt * slope_[a][i];
        }
      }
    }
    std::swap(u_k_, next_);
  }

  /// Energy per volume and the rate at which viscosity takes it away, 2 nu Omega.
  [[nodiscard]] Budget budget() const {
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      double square = 0.0;
      for (std::size_t a = 0; a < 3; ++a) square += std::norm(u_k_[a][i]);
      sums[0] += modes_[i].weight * square;
      sums[1] += modes_[i].weight * modes_[i].squared * square;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, comm_);
    const double all = std::pow(static_cast<double>(n_), 6);  // transforms are not scaled forward
    return {0.5 * sums[0] / all, viscosity_ * sums[1] / all};
  }

  /// Largest |k . u_k| of any mode, in units of the largest |u_k|.
  [[nodiscard]] double divergence() const {
    std::array<double, 2> most{};
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      Complex sum = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        sum += modes_[i].k[a] * u_k_[a][i];
        most[1] = std::max(most[1], std::abs(u_k_[a][i]));
      }
      most[0] = std::max(most[0], std::abs(sum));
    }
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_DOUBLE, MPI_MAX, comm_);
    return most[0] / most[1];
  }

  /// |w| in the plane where the first index is n/4, row by row, on rank 0.
  [[nodiscard]] std::vector<double> vorticity_slice() {
    copy(u_k_, stage_);
    find_curl();
    std::vector<double> plane(static_cast<std::size_t>(n_ * n_), 0.0);
    std::size_t i = 0;
    for (auto [index, value] : w_[0].indexed()) {
      if (index[0] == n_ / 4) {
        plane[static_cast<std::size_t>(index[1] * n_ + index[2])] =
            std::sqrt(w_[0][i] * w_[0][i] + w_[1][i] * w_[1][i] + w_[2][i] * w_[2][i]);
      }
      ++i;
    }
    std::vector<double> whole(plane.size());
    MPI_Reduce(plane.data(), whole.data(), static_cast<int>(plane.size()), MPI_DOUBLE, MPI_SUM, 0,
               comm_);
    return whole;
  }

 private:
  /// Products of two fields of frequencies |k| < n/3 are free of aliases below n/3.
  [[nodiscard]] static kallima::Options two_thirds(kallima::Index n) {
    kallima::Options options;
    options.keep.assign(3, (n - 1) / 3);
    return options;
  }

  [[nodiscard]] Modes make_modes() const {
    return {fft_.make_output(), fft_.make_output(), fft_.make_output()};
  }

  static void copy(const Modes& from, Modes& to) {
    for (std::size_t a = 0; a < 3; ++a) std::copy(from[a].begin(), from[a].end(), to[a].begin());
  }

  /// u = (sin x cos y cos z, -cos x sin y cos z, 0); axis 0 is x here.
  void start() {
    const double h = 2.0 * std::acos(-1.0) / static_cast<double>(n_);
    for (std::size_t a = 0; a < 2; ++a) {
      for (auto [index, value] : u_[a].indexed()) {
        const double x = h * static_cast<double>(index[0]);
        const double y = h * static_cast<double>(index[1]);
        const double z = h * static_cast<double>(index[2]);
        value = a == 0 ? std::sin(x) * std::cos(y) * std::cos(z)
                       : -std::cos(x) * std::sin(y) * std::cos(z);
      }
    }
    for (std::size_t a = 0; a < 3; ++a) fft_.forward(u_[a], u_k_[a]);
  }

  /// w of the stage, in positions. Leaves slope_ overwritten.
  void find_curl() {
    const Complex i_unit(0.0, 1.0);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const std::size_t c = (a + 2) % 3;
      for (std::size_t i = 0; i < modes_.size(); ++i) {
        slope_[a][i] = i_unit * (modes_[i].k[b] * stage_[c][i] - modes_[i].k[c] * stage_[b][i]);
      }
      fft_.backward(slope_[a], w_[a]);
    }
  }

  /// slope_ = P (u x w) - nu k^2 u of stage_.
  void find_slope() {
    find_curl();
    for (std::size_t a = 0; a < 3; ++a) fft_.backward(stage_[a], u_[a]);
    for (std::size_t i = 0; i < u_[0].size(); ++i) {
      const std::array<double, 3> u = {u_[0][i], u_[1][i], u_[2][i]};
      const std::array<double, 3> w = {w_[0][i], w_[1][i], w_[2][i]};
      for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3;
        const std::size_t c = (a + 2) % 3;
        u_[a][i] = u[b] * w[c] - u[c] * w[b];
      }
    }
    for (std::size_t a = 0; a < 3; ++a) fft_.forward(u_[a], slope_[a]);
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const Mode& mode = modes_[i];
      Complex along = 0.0;
      for (std::size_t a = 0; a < 3; ++a) along += mode.k[a] * slope_[a][i];
      if (mode.squared > 0.0) along /= mode.squared;
      for (std::size_t a = 0; a < 3; ++a) {
        const Complex free = slope_[a][i] - mode.k[a] * along;
        slope_[a][i] = free - viscosity_ * mode.squared * stage_[a][i];
      }
    }
  }

  MPI_Comm comm_;
  kallima::Index n_;
  double viscosity_;
  kallima::RealTransform<double> fft_;
  Field u_;
  Field w_;
  Modes u_k_;
  Modes stage_;
  Modes slope_;
  Modes next_;
  std::vector<Mode> modes_;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    const char* const value = argv[i + 1];
    if (word == "--points") arguments.points = std::atoll(value);
    if (word == "--reynolds") arguments.reynolds = std::atof(value);
    if (word == "--time") arguments.time = std::atof(value);
    if (word == "--step") arguments.step = std::atof(value);
    if (word == "--history") arguments.history = value;
    if (word == "--slice") arguments.slice = value;
  }
  return arguments;
}

void write_slice(const std::string& path, const std::vector<double>& plane, kallima::Index n) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  for (std::size_t i = 0; i < plane.size(); ++i) {
    const bool ends_row = (i + 1) % static_cast<std::size_t>(n) == 0;
    std::fprintf(file, "%.6g%c", plane[i], ends_row ? '\n' : ' ');
  }
  std::fclose(file);
}

/// The maximum of a parabola through three values a step apart, around the middle one.
std::array<double, 2> vertex(double t, double dt, double before, double at, double behind) {
  const double slope = 0.5 * (behind - before);
  const double curve = behind - 2.0 * at + before;
  return {t - dt * slope / curve, at - 0.5 * slope * slope / curve};
}

int run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Arguments arguments = parse(argc, argv);
  Flow flow(MPI_COMM_WORLD, arguments);
  const double dt = arguments.step;
  std::vector<Budget> past = {flow.budget()};
  const auto steps = static_cast<std::size_t>(std::lround(arguments.time / dt));
  for (std::size_t s = 1; s <= steps; ++s) {
    flow.advance(dt);
    past.push_back(flow.budget());
    if (rank == 0 && s % (steps / 8 + 1) == 0) {
      std::printf("t = %6.3f  E = %.8f  dissipation = %.8f\n", static_cast<double>(s) * dt,
                  past[s].energy, past[s].dissipation);
      std::fflush(stdout);
    }
  }

  // Over two steps energy falls by the integral of the dissipation: Simpson's rule is of the same
  // order as the steps.
  double open = 0.0;
  std::size_t peak = 0;
  for (std::size_t s = 1; s + 1 < past.size(); ++s) {
    const double lost = past[s - 1].energy - past[s + 1].energy;
    const double taken =
        dt / 3.0 * (past[s - 1].dissipation + 4.0 * past[s].dissipation + past[s + 1].dissipation);
    open = std::max(open, std::abs(lost - taken) / taken);
    if (past[s].dissipation > past[peak].dissipation) peak = s;
  }
  const double divergence = flow.divergence();
  const std::vector<double> plane = flow.vorticity_slice();
  if (rank == 0) {
    if (peak > 0 && peak + 1 < past.size()) {
      const auto [when, height] =
          vertex(static_cast<double>(peak) * dt, dt, past[peak - 1].dissipation,
                 past[peak].dissipation, past[peak + 1].dissipation);
      std::printf("dissipation peaks at t = %.4f, height %.8f\n", when, height);
    }
    std::printf("energy balance open by %.2e at most, divergence %.1e\n", open, divergence);
    if (!arguments.history.empty()) {
      if (std::FILE* const file = std::fopen(arguments.history.c_str(), "w")) {
        for (std::size_t s = 0; s < past.size(); ++s) {
          std::fprintf(file, "%.6f %.10f %.10f\n", static_cast<double>(s) * dt, past[s].energy,
                       past[s].dissipation);
        }
        std::fclose(file);
      }
    }
    if (!arguments.slice.empty()) write_slice(arguments.slice, plane, arguments.points);
  }
  const bool starts_right = std::abs(past.front().energy - 0.125) < 1e-12 &&
                            std::abs(past.front().dissipation * arguments.reynolds - 0.75) < 1e-10;
  const bool good = open < 1e-3 && divergence < 1e-12 && starts_right;
  if (!good && rank == 0) std::printf("WRONG\n");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to call a transform, against what a program does without them: a batch against a call for
// each field, apply() against forward, a loop over frequencies and backward, arrays with margins
// against copies without, a redistribution against the exchange inside of a plan.
//
//     mpirun -n 2 kallima_ways [ROUNDS [NAME...]]     21 rounds and all ways by default
//
// Prints a line of JSON for each.
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/alternate.hpp"
#include "bench/runner.hpp"
#include "kallima/error.hpp"
#include "kallima/redistribute.hpp"
#include "kallima/spectral.hpp"
#include "kallima/transform.hpp"

namespace kallima::bench {
namespace {

using Complex = std::complex<double>;

template <class E>
std::vector<E> memory(const Layout& layout, Index rank) {
  return std::vector<E>(static_cast<std::size_t>(layout.allocated_size(rank)), E(1.0));
}

struct Bench {
  World world;
  int rounds = 21;

  template <class Ours, class Theirs>
  void compare(const std::string& name, int times, const Ours& ours, const Theirs& theirs) const {
    const Alternated took = alternate(world.communicator->comm, rounds, times, ours, theirs);
    say(world, {{"way", name},
                {"ranks", world.communicator->size},
                {"rounds", rounds},
                {"ms", 1e3 * median(took.ours)},
                {"without_ms", 1e3 * median(took.theirs)},
                {"ratio", took.ratio()},
                {"ratio_quartiles", took.quartiles()},
                {"least_ratio", took.least_ratio()}});
  }
};

/// Three fields, forward: one call for all of them, in one array or in three, against three calls.
void batch(const Bench& bench, Index n) {
  Options options;
  options.axes = {AxisKind::batch, AxisKind::fourier, AxisKind::fourier, AxisKind::fourier};
  const Transform<double> all(MPI_COMM_WORLD, {3, n, n, n}, options);
  options.separate_fields = true;
  const Transform<double> separate(MPI_COMM_WORLD, {3, n, n, n}, options);
  const Transform<double> one(MPI_COMM_WORLD, {n, n, n});
  auto u = memory<Complex>(all.input_layout(), all.rank());
  auto u_k = memory<Complex>(all.output_layout(), all.rank());
  std::vector<std::vector<Complex>> from(3, memory<Complex>(one.input_layout(), one.rank()));
  std::vector<std::vector<Complex>> to(3, memory<Complex>(one.output_layout(), one.rank()));
  auto together = all.bind(Direction::forward, u, u_k);
  auto fields =
      separate.bind_fields(Direction::forward, {from[0], from[1], from[2]}, {to[0], to[1], to[2]});
  std::vector<Bound<double>> each;
  for (std::size_t i = 0; i < 3; ++i) {
    each.push_back(one.bind(Direction::forward, from[i], to[i]));
  }
  const auto three = [&] {
    for (Bound<double>& bound : each) bound.run();
  };
  const int times = n <= 64 ? 10 : 2;
  const std::string size = std::to_string(n) + "^3";
  bench.compare(
      "batch of 3 x " + size, times, [&] { together.run(); }, three);
  bench.compare(
      "3 separate fields of " + size, times, [&] { fields.run(); }, three);
}

/// The inverse Laplacian of reals.
void operate(const Bench& bench, Index n) {
  const RealTransform<double> fft(MPI_COMM_WORLD, {n, n, n});
  auto u = memory<double>(fft.input_layout(), fft.rank());
  auto u_k = memory<Complex>(fft.output_layout(), fft.rank());
  auto there = fft.bind_forward(u, u_k);
  auto back = fft.bind_backward(u_k, u);
  const Layout& layout = fft.output_layout();
  const auto held = layout.local_indices(fft.rank());
  const auto strides = layout.local_strides(fft.rank());
  // k^2 by index, per axis.
  std::vector<std::vector<double>> squares(3);
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = 0; i < held[a].count; ++i) {
      MultiIndex index;
      index[a] = held[a].at(i);
      const double k = fft.spectrum().wavenumber(index).component(a);
      squares[a].push_back(k * k);
    }
  }
  const auto by_hand = [&] {
    there.run();
    for (std::size_t i = 0; i < squares[0].size(); ++i) {
      for (std::size_t j = 0; j < squares[1].size(); ++j) {
        Complex* const row =
            u_k.data() + static_cast<Index>(i) * strides[0] + static_cast<Index>(j) * strides[1];
        const double across = squares[0][i] + squares[1][j];
        for (std::size_t k = 0; k < squares[2].size(); ++k) {
          const double square = across + squares[2][k];
          row[static_cast<Index>(k) * strides[2]] *= square > 0.0 ? -1.0 / square : 0.0;
        }
      }
    }
    back.run();
  };
  bench.compare(
      "apply at r2c " + std::to_string(n) + "^3", 1, [&] { fft.apply(u, u, inverse_laplacian()); },
      by_hand);
}

/// Copies a rank's own part of an array with margins to a dense one, or back.
void copy_part(const Layout& layout, Index rank, Complex* with, Complex* dense, bool out) {
  const Shape shape = layout.local_shape(rank);
  const auto strides = layout.local_strides(rank);
  Complex* const first = with + layout.first_offset(rank);
  for (Index z = 0; z < shape[0]; ++z) {
    for (Index y = 0; y < shape[1]; ++y, dense += shape[2]) {
      Complex* const row = first + z * strides[0] + y * strides[1];
      if (out) {
        std::copy_n(row, shape[2], dense);
      } else {
        std::copy_n(dense, shape[2], row);
      }
    }
  }
}

/// Forward and back of an array with margins of two.
void margins(const Bench& bench, Index n) {
  const Shape shape = {n, n, n};
  const Layout dense = Layout::slab(shape, bench.world.communicator->size);
  Options options;
  options.in = dense;
  const Transform<double> plain(MPI_COMM_WORLD, shape, options);
  const Layout around = dense.with_margins(2);
  options.in = around;
  const Transform<double> fft(MPI_COMM_WORLD, shape, options);
  auto u = memory<Complex>(around, fft.rank());
  auto v = memory<Complex>(dense, fft.rank());
  auto u_k = memory<Complex>(fft.output_layout(), fft.rank());
  auto v_k = memory<Complex>(plain.output_layout(), fft.rank());
  auto there = fft.bind(Direction::forward, u, u_k);
  auto back = fft.bind(Direction::backward, u_k, u);
  auto plain_there = plain.bind(Direction::forward, v, v_k);
  auto plain_back = plain.bind(Direction::backward, v_k, v);
  const auto ours = [&] {
    there.run();
    back.run();
  };
  const auto without = [&] {
    plain_there.run();
    plain_back.run();
  };
  const auto copied = [&] {
    copy_part(around, fft.rank(), u.data(), v.data(), true);
    without();
    copy_part(around, fft.rank(), u.data(), v.data(), false);
  };
  const std::string size = std::to_string(n) + "^3";
  bench.compare("margins of 2 around " + size + ", against none", 2, ours, without);
  bench.compare("margins of 2 around " + size + ", against copies", 2, ours, copied);
}

/// From slabs to pencils, against what the exchange between sweeps takes in a plan of messages.
void redistribute(const Bench& bench, Index n) {
  const Shape shape = {n, n, n};
  const Index ranks = bench.world.communicator->size;
  const Index rows = ranks % 2 == 0 ? 2 : 1;
  const Layout slab = Layout::slab(shape, ranks);
  const Layout pencil = Layout::pencil(shape, 0, rows, ranks / rows);
  for (const ExchangeMethod method : {ExchangeMethod::point_to_point, ExchangeMethod::any}) {
    Options options;
    options.method = method;
    const Redistribute<Complex> moves(MPI_COMM_WORLD, shape, slab, pencil, options);
    options.in = slab;
    options.out = pencil;
    const Transform<double> fft(MPI_COMM_WORLD, shape, options);
    auto u = memory<Complex>(slab, fft.rank());
    auto v = memory<Complex>(pencil, fft.rank());
    auto turn = moves.bind(Direction::forward, u, v);
    auto there = fft.bind(Direction::forward, u, v);
    bench.compare(
        "redistribution of " + std::to_string(n) + "^3 by " + std::string(name_of(method)) +
            ", against a transform between the same",
        1, [&] { turn.run(); }, [&] { there.run(); });
    const Timings took = fft.timings();
    double exchange = 0.;
    const Plan& plan = fft.plan();
    std::size_t stage = 0;
    for (std::size_t step = 0; step < plan.steps().size(); ++step) {
      if (std::holds_alternative<Regroup>(plan.steps()[step])) continue;
      const Sweep* const sweep = plan.sweep_at(step);
      if (sweep != nullptr && sweep->joined) continue;
      if (plan.exchange_at(step) != nullptr) exchange += took.stages[stage];
      ++stage;
    }
    say(bench.world, {{"exchange_in_plan_ms", 1e3 * exchange}});
  }
}

int measure(int argc, char** argv) {
  Bench bench{{comm::Communicator::of(MPI_COMM_WORLD), nullptr}};
  if (argc > 1) bench.rounds = std::atoi(argv[1]);
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  const auto run = [&](const std::string& name, const std::function<void()>& work) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) work();
  };
  run("batch", [&] {
    batch(bench, 64);
    batch(bench, 128);
  });
  run("apply", [&] { operate(bench, 256); });
  run("margins", [&] { margins(bench, 128); });
  run("redistribute", [&] { redistribute(bench, 256); });
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_ways", kallima::bench::measure);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// What walks over an array cost against loops by hand: wavenumbers() and rows() against three
// nested loops with a table of squared wavenumbers per axis, indexed() and rows() against three
// nested loops; and a transform, for scale. One after the other, round by round, so that a change
// of the machine's mood meets all alike; each on data of its own kind, set anew before it.
//
//     kallima_walk [N [ROUNDS]]      128 and 41 by default; prints a table, ratios are of medians
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/median.hpp"
#include "bench/runner.hpp"
#include "kallima/kallima.hpp"

namespace kallima::bench {
namespace {

using Complex = std::complex<double>;

/// Something to be timed, and what it is held against.
struct Work {
  std::string name;
  std::size_t against;            ///< place in the list
  std::function<void()> prepare;  ///< not timed
  std::function<void()> run;
  std::vector<double> seconds = {};
};

/// What a rank holds of up to three axes, as loops by hand see it: slowest axis in memory first.
struct ByHand {
  std::array<Index, 3> counts = {1, 1, 1};
  std::array<Index, 3> strides = {0, 0, 0};
  std::array<Index, 3> firsts = {0, 0, 0};
  std::array<Index, 3> steps = {1, 1, 1};
  std::array<Index, 3> factors = {0, 0, 0};  ///< of the index, in the sum that indices are for
  std::array<std::vector<double>, 3> squares = {{{0.0}, {0.0}, {0.0}}};  ///< of wavenumbers
};

template <class E>
ByHand by_hand(const BasicView<E>& view) {
  ByHand result;
  const Layout& layout = view.layout();
  for (std::size_t i = 0; i < layout.axes(); ++i) {
    const auto a = static_cast<std::size_t>(layout.order()[i]);
    const std::size_t to = 3 - layout.axes() + i;
    const Progression along = layout.local_indices(view.rank(), a);
    result.counts[to] = along.count;
    result.strides[to] = layout.local_strides(view.rank())[a];
    result.firsts[to] = along.first;
    result.steps[to] = along.step;
    result.factors[to] = static_cast<Index>(3 - a);
    result.squares[to].clear();
    for (Index at = 0; at < along.count; ++at) {
      MultiIndex index;
      index[a] = along.at(at);
      const double k = view.spectrum().wavenumber(index).component(a);
      result.squares[to].push_back(k * k);
    }
  }
  return result;
}

// Each in a function of its own, so that what is around it does not change how it is compiled.

[[gnu::noinline]] void solve_by_hand(const View<double>& u, const ByHand& loop) {
  for (Index i = 0; i < loop.counts[0]; ++i) {
    for (Index j = 0; j < loop.counts[1]; ++j) {
      Complex* const row = u.data() + i * loop.strides[0] + j * loop.strides[1];
      const double* const along = loop.squares[2].data();
      const double across = loop.squares[0][static_cast<std::size_t>(i)] +
                            loop.squares[1][static_cast<std::size_t>(j)];
      for (Index k = 0; k < loop.counts[2]; ++k) {
        const double squared = across + along[k];
        row[k] *= squared == 0.0 ? 0.0 : -1.0 / squared;
      }
    }
  }
}

[[gnu::noinline]] void solve_by_walk(const View<double>& u) {
  for (auto [k, value] : u.wavenumbers()) value *= k.is_zero() ? 0.0 : -1.0 / k.squared();
}

[[gnu::noinline]] void solve_by_rows(const View<double>& u) {
  for (auto row : u.rows()) {
    for (Index i = 0; i < row.size(); ++i) {
      const Wavenumber k = row.wavenumber(i);
      row[i] *= k.is_zero() ? 0.0 : -1.0 / k.squared();
    }
  }
}

[[gnu::noinline]] void number_by_hand(const RealView<double>& u, const ByHand& loop) {
  for (Index i = 0; i < loop.counts[0]; ++i) {
    for (Index j = 0; j < loop.counts[1]; ++j) {
      double* const row = u.data() + i * loop.strides[0] + j * loop.strides[1];
      const Index across = loop.factors[0] * (loop.firsts[0] + i * loop.steps[0]) +
                           loop.factors[1] * (loop.firsts[1] + j * loop.steps[1]);
      for (Index k = 0; k < loop.counts[2]; ++k) {
        const Index along = loop.factors[2] * (loop.firsts[2] + k * loop.steps[2]);
        row[k] = static_cast<double>(across + along);
      }
    }
  }
}

[[gnu::noinline]] void number_by_walk(const RealView<double>& u) {
  for (auto [index, value] : u.indexed()) {
    value = static_cast<double>(3 * index[0] + 2 * index[1] + index[2]);
  }
}

[[gnu::noinline]] void number_by_rows(const RealView<double>& u) {
  for (auto row : u.rows()) {
    for (Index i = 0; i < row.size(); ++i) {
      const MultiIndex index = row.index(i);
      row[i] = static_cast<double>(3 * index[0] + 2 * index[1] + index[2]);
    }
  }
}

/// Memory and a view of it.
template <class E>
struct Part {
  std::vector<E> memory;
  BasicView<E> view;

  Part(const Layout& layout, Index rank, const Spectrum& spectrum)
      : memory(static_cast<std::size_t>(layout.allocated_size(rank))),
        view(memory, layout, rank, spectrum) {}
};

/// Three ways to solve a Poisson equation in an array of frequencies.
void solve(std::vector<Work>& works, const std::string& what, const Layout& layout, Index rank,
           const Spectrum& spectrum) {
  const auto part = std::make_shared<Part<Complex>>(layout, rank, spectrum);
  const auto loop = std::make_shared<ByHand>(by_hand(part->view));
  const auto prepare = [part] { std::fill(part->memory.begin(), part->memory.end(), 1.0); };
  const std::size_t first = works.size();
  works.push_back(
      {what + ", by hand", first, prepare, [part, loop] { solve_by_hand(part->view, *loop); }});
  works.push_back(
      {what + ", wavenumbers()", first, prepare, [part] { solve_by_walk(part->view); }});
  works.push_back({what + ", rows()", first, prepare, [part] { solve_by_rows(part->view); }});
}

/// Three ways to fill an array of positions by index.
void number(std::vector<Work>& works, const std::string& what, const Layout& layout, Index rank) {
  const auto part = std::make_shared<Part<double>>(layout, rank, Spectrum(layout.shape()));
  const auto loop = std::make_shared<ByHand>(by_hand(part->view));
  const auto prepare = [part] { std::fill(part->memory.begin(), part->memory.end(), 1.0); };
  const std::size_t first = works.size();
  works.push_back(
      {what + ", by hand", first, prepare, [part, loop] { number_by_hand(part->view, *loop); }});
  works.push_back({what + ", indexed()", first, prepare, [part] { number_by_walk(part->view); }});
  works.push_back({what + ", rows()", first, prepare, [part] { number_by_rows(part->view); }});
}

int measure(int argc, char** argv) {
  const Index n = argc > 1 ? std::atoi(argv[1]) : 128;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 41;
  const Shape reals = {n, n, n};
  const Shape halves = {n, n, n / 2 + 1};
  const Shape plane = {8 * n, 8 * n};
  const Spectrum real_spectrum(reals, 2);
  const RealTransform<double> fft(MPI_COMM_SELF, reals);
  auto u = fft.make_input();
  auto u_k = fft.make_output();
  number_by_walk(u);

  std::vector<Work> works;
  works.push_back({fmt::format("r2c {}^3, forward", n), 0, nullptr, [&] { fft.forward(u, u_k); }});
  solve(works, fmt::format("r2c {}^3", n), Layout::slab(halves, 1), 0, real_spectrum);
  solve(works, "... x slowest in memory", Layout::parse("x:all y:all z:all", halves), 0,
        real_spectrum);
  solve(works, "... x cyclic over 2", Layout::parse("z:all y:all x:cyclic/2", reals), 1,
        Spectrum(reals));
  solve(works, fmt::format("c2c {}^2", 8 * n), Layout::slab(plane, 1), 0, Spectrum(plane));
  number(works, fmt::format("reals {}^3", n), Layout::slab(reals, 1), 0);
  number(works, "... x slowest in memory", Layout::parse("x:all y:all z:all", reals), 0);
  number(works, "... x cyclic over 2", Layout::parse("z:all y:all x:cyclic/2", reals), 1);

  for (int round = -1; round < rounds; ++round) {
    for (Work& work : works) {
      if (work.prepare) work.prepare();
      const std::clock_t begin = std::clock();
      work.run();
      const std::clock_t took = std::clock() - begin;
      if (round < 0) continue;  // warms up
      work.seconds.push_back(static_cast<double>(took) / static_cast<double>(CLOCKS_PER_SEC));
    }
  }
  fmt::print("{:44}{:>10}{:>10}{:>10}{:>8}\n", "ms", "median", "least", "most", "ratio");
  for (const Work& work : works) {
    const auto [low, high] = std::minmax_element(work.seconds.begin(), work.seconds.end());
    fmt::print("{:44}{:10.3f}{:10.3f}{:10.3f}{:8.2f}\n", work.name, 1e3 * median(work.seconds),
               1e3 * *low, 1e3 * *high, median(work.seconds) / median(works[work.against].seconds));
  }
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_walk", kallima::bench::measure);
}

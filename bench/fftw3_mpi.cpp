// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of a program of FFTW-MPI by libkallima_fftw3_mpi, against the native interface on the
// same layouts, and against FFTW's own library, which is loaded at run time. In turns, in one
// program.
//
//     mpirun -n 2 kallima_fftw3_mpi_bench [ROUNDS]
//
// Prints a line of JSON for each: ratios of medians, quartiles of the ratios of rounds, seconds of
// planning.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/alternate.hpp"
#include "bench/runner.hpp"
#include "fftw3-mpi.h"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"

namespace kallima::bench {
namespace {

using Complex = std::complex<double>;

/// FFTW's own functions.
struct Fftw {
  decltype(&fftw_mpi_init) init = nullptr;
  decltype(&fftw_mpi_plan_many_dft) dft = nullptr;
  decltype(&fftw_mpi_plan_many_dft_r2c) r2c = nullptr;

  Fftw() {
    void* const handle = dlopen("libfftw3_mpi.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
      throw FileError(std::string("no FFTW-MPI to compare with: ") + dlerror());
    init = reinterpret_cast<decltype(init)>(dlsym(handle, "fftw_mpi_init"));
    dft = reinterpret_cast<decltype(dft)>(dlsym(handle, "fftw_mpi_plan_many_dft"));
    r2c = reinterpret_cast<decltype(r2c)>(dlsym(handle, "fftw_mpi_plan_many_dft_r2c"));
    init();
  }
};

struct Case {
  Index n = 128;
  bool real = false;
  bool transposed = false;
  bool measured = false;
};

fftw_complex* numbers(std::vector<Complex>& memory) {
  return reinterpret_cast<fftw_complex*>(memory.data());
}

void compare(const World& world, const Fftw& fftw, const Case& test, int rounds) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const std::vector<ptrdiff_t> n(3, test.n);
  std::vector<ptrdiff_t> asked = n;
  if (test.real) asked.back() = test.n / 2 + 1;
  ptrdiff_t local_n0 = 0;
  ptrdiff_t start0 = 0;
  ptrdiff_t local_n1 = 0;
  ptrdiff_t start1 = 0;
  const ptrdiff_t size = fftw_mpi_local_size_many_transposed(
      3, asked.data(), 1, 0, 0, comm, &local_n0, &start0, &local_n1, &start1);
  std::vector<Complex> in(static_cast<std::size_t>(size), 1.0);
  std::vector<Complex> out(static_cast<std::size_t>(size), 1.0);
  const unsigned flags = (test.measured ? FFTW_MEASURE : FFTW_ESTIMATE) |
                         (test.transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U);
  double planning = 0.0;
  const auto planned = [&](auto dft, auto r2c, std::vector<Complex>& to) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    const fftw_plan plan =
        test.real ? r2c(3, n.data(), 1, 0, 0, reinterpret_cast<double*>(in.data()), numbers(to),
                        comm, flags)
                  : dft(3, n.data(), 1, 0, 0, numbers(in), numbers(to), comm, FFTW_FORWARD, flags);
    planning = MPI_Wtime() - begin;
    return plan;
  };
  const fftw_plan ours = planned(fftw_mpi_plan_many_dft, fftw_mpi_plan_many_dft_r2c, out);
  const double our_planning = planning;
  const fftw_plan theirs = planned(fftw.dft, fftw.r2c, out);
  const double their_planning = planning;
  const fftw_plan theirs_in_place = planned(fftw.dft, fftw.r2c, in);
  std::fill(in.begin(), in.end(), 1.0);

  Options options;
  const Shape shape = n;
  options.in = Layout::slab(shape, world.communicator->size, 0, Rule::ceil);
  options.out =
      test.transposed
          ? Layout::slab(asked, world.communicator->size, 1, Rule::ceil).with_order({1, 0, 2})
          : Layout::slab(asked, world.communicator->size, 0, Rule::ceil);
  options.scaling = Scaling::none;
  options.padded = test.real;
  if (test.measured) options.engine_effort = Effort::measure;
  const auto native = [&]() -> Bound<double> {
    if (test.real) {
      return RealTransform<double>(comm, shape, options)
          .bind_forward({reinterpret_cast<double*>(in.data()), 2 * in.size()}, out);
    }
    return Transform<double>(comm, shape, options).bind(Direction::forward, in, out);
  };
  Bound<double> bound = native();

  const auto run_ours = [&] { fftw_execute(ours); };
  const Alternated to_native = alternate(comm, rounds, 2, run_ours, [&] { bound.run(); });
  const Alternated to_theirs = alternate(comm, rounds, 2, run_ours, [&] { fftw_execute(theirs); });
  const Alternated to_in_place =
      alternate(comm, rounds, 2, run_ours, [&] { fftw_execute(theirs_in_place); });
  const bool in_place_best = median(to_in_place.theirs) < median(to_theirs.theirs);
  const Alternated& best = in_place_best ? to_in_place : to_theirs;
  say(world,
      {{"problem", std::string(test.real ? "r2c" : "c2c") + " " + std::to_string(test.n) + "^3"},
       {"transposed", test.transposed},
       {"effort", test.measured ? "measure" : "estimate"},
       {"ms", 1e3 * median(to_native.ours)},
       {"over_native", to_native.ratio()},
       {"over_native_quartiles", to_native.quartiles()},
       {"over_fftw", best.ratio()},
       {"over_fftw_quartiles", best.quartiles()},
       {"fftw_best", in_place_best ? "in place" : "out of place"},
       {"planning_s", our_planning},
       {"fftw_planning_s", their_planning}});
  for (const fftw_plan plan : {ours, theirs, theirs_in_place}) fftw_destroy_plan(plan);
}

/// What it adds to a serial plan that each call is looked at first: FFTW's own fftw_execute against
/// ours.
void serial(const World& world, int rounds) {
  fftw_complex* const line = fftw_alloc_complex(16);
  const fftw_plan plan = fftw_plan_dft_1d(16, line, line, FFTW_FORWARD, FFTW_ESTIMATE);
  void* const handle = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  const auto own = reinterpret_cast<decltype(&fftw_execute)>(dlsym(handle, "fftw_execute"));
  const int times = 1000000;
  const Alternated took = alternate(
      MPI_COMM_WORLD, rounds, times, [&] { fftw_execute(plan); }, [&] { own(plan); });
  say(world, {{"problem", "fftw_execute of 16 points"},
              {"ns", 1e9 * median(took.ours)},
              {"fftw_ns", 1e9 * median(took.theirs)},
              {"ratio", took.ratio()}});
  fftw_destroy_plan(plan);
  fftw_free(line);
}

int measure(int argc, char** argv) {
  const World world{comm::Communicator::of(MPI_COMM_WORLD), nullptr};
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const Fftw fftw;
  serial(world, rounds);
  for (const Index n : {128, 256}) {
    for (const bool measured : {false, true}) {
      for (const bool real : {false, true}) {
        for (const bool transposed : {false, true}) {
          compare(world, fftw, {n, real, transposed, measured}, rounds);
        }
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_fftw3_mpi_bench", kallima::bench::measure);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of FFTW-MPI, in the names of one precision: double, or float where
// KALLIMA_FFTW_FLOAT is defined. And those functions of serial FFTW that take any plan, which go on
// to FFTW for plans that are not ours.
//
// What is not supported goes to FFTW's own library where that is loaded behind this one.
#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "fftw3_mpi/blocks.hpp"
#include "fftw3_mpi/include/fftw3-mpi.h"
#include "fftw3_mpi/next.hpp"
#include "fftw3_mpi/plans.hpp"
#include "kallima/error.hpp"

#ifdef KALLIMA_FFTW_FLOAT
#define SERIAL(name) fftwf_##name
#else
#define SERIAL(name) fftw_##name
#endif
#define IN_WORDS_OF(name) #name
#define IN_WORDS(name) IN_WORDS_OF(name)
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace kallima::fftw3_mpi {
namespace {

#ifdef KALLIMA_FFTW_FLOAT
using Real = float;
#else
using Real = double;
#endif
using Plan = SERIAL(plan);
using Complex = SERIAL(complex);

/// Plans that FFTW's own library was asked for.
std::atomic<std::int64_t> forwarded_plans{0};

/// What a program reads of a distribution.
struct LocalSize {
  ptrdiff_t* size = nullptr;
  ptrdiff_t* start = nullptr;

  void set(Index the_size, Index the_start) const {
    if (size != nullptr) *size = the_size;
    if (start != nullptr) *start = the_start;
  }
};

struct Place {
  int rank = 0;
  int procs = 1;
  explicit Place(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &procs);
  }
};

/// Numbers to allocate for arrays that are distributed along the first axis or, transposed, along
/// the second. FFTW wants more of ranks that hold little: what its own transposes of one axis with
/// all others leave on them. Programs may hand these arrays to it, so they are as large here.
ptrdiff_t local_sizes(const std::vector<Index>& n, Index howmany, Index block0, Index block1,
                      MPI_Comm comm, const LocalSize& first, const LocalSize& second) {
  const Place place(comm);
  const auto along = [&](Index extent, Index block) {
    return Blocks{extent, block > 0 ? block : equal_block(extent, place.procs)};
  };
  Index total = howmany;
  for (const Index extent : n) total *= extent;
  if (total <= 0) return 0;
  Index size = 1;
  const auto distributed = [&](std::size_t axis, Index block, const LocalSize& answer) {
    const Blocks blocks = along(n[axis], block);
    const Index held = blocks.size(place.rank);
    answer.set(held, held > 0 ? blocks.start(place.rank) : 0);
    const Index others = total / n[axis];
    size = std::max({size, held * others, n[axis] * along(others, 0).size(place.rank)});
  };
  distributed(0, block0, first);
  if (n.size() > 1) distributed(1, block1, second);
  return (size + howmany - 1) / howmany * howmany;
}

/// The same of one axis: in blocks, or cyclic where its order is the library's own.
ptrdiff_t local_sizes_of_one_axis(Index n, Index howmany, MPI_Comm comm, unsigned flags,
                                  const LocalSize& in, const LocalSize& out) {
  const Place place(comm);
  Index most = 0;
  const auto set = [&](bool scrambled, const LocalSize& size) {
    Index count = 0;
    Index start = 0;
    if (n > 0 && scrambled) {
      const Axis axis{n, place.procs, place.procs};
      count = axis.size(place.rank);
      for (Index rank = 0; rank < place.rank; ++rank) start += axis.size(rank);
    } else if (n > 0) {
      const Blocks blocks{n, equal_block(n, place.procs)};
      count = blocks.size(place.rank);
      if (count > 0) start = blocks.start(place.rank);
    }
    size.set(count, start);
    most = std::max(most, count);
  };
  set((flags & scrambled_in) != 0, in);
  set((flags & scrambled_out) != 0, out);
  return most * howmany;
}

/// A plan, or null: of ours, or of FFTW where `request` is not supported and its function is
/// loaded.
template <class Forward>
Plan plan(const char* function, Request request, void* in, void* out, MPI_Comm comm,
          const Forward& forward) {
  const Place place(comm);
  if (!supported(request)) {
    ++forwarded_plans;
    if (place.rank == 0) {
      say(std::string(function) + " of these arguments goes to FFTW's own library" +
          (next_function(function) == nullptr ? ", which is not loaded: no plan" : ""));
    }
    return next_function(function) == nullptr ? nullptr : forward();
  }
  if (!reached(IN_WORDS(SERIAL(execute)))) {
    if (place.rank == 0) {
      complain("no plan, since " IN_WORDS(SERIAL(
          execute)) " of FFTW comes first: link this library before FFTW's, or "
                    "name it in LD_PRELOAD");
    }
    return nullptr;
  }
  try {
    request.threads = planner_threads(IN_WORDS(SERIAL(planner_nthreads)));
    void* const handle = Handles::add(make_call<Real>(request, in, out, comm));
    if (handle == nullptr && place.rank == 0) {
      say("no plan: a program may have " + std::to_string(Handles::most) + " at a time");
    }
    return static_cast<Plan>(handle);
  } catch (const std::exception& error) {
    if (place.rank == 0) say(std::string(function) + ": " + error.what());
    return nullptr;
  }
}

#define FUNCTION(name) IN_WORDS(SERIAL(mpi_##name))
#define NEXT(name) next<decltype(SERIAL(mpi_##name))>(FUNCTION(name))

Plan transpose_plan(Index n0, Index n1, Index howmany, Index block0, Index block1, Real* in,
                    Real* out, MPI_Comm comm, unsigned flags) {
  return plan(FUNCTION(plan_many_transpose),
              {Task::transpose, {n0, n1}, howmany, block0, block1, -1, flags}, in, out, comm, [&] {
                return NEXT(plan_many_transpose)(n0, n1, howmany, block0, block1, in, out, comm,
                                                 flags);
              });
}

Plan complex_plan(const std::vector<Index>& n, Index howmany, Index in_block, Index out_block,
                  Complex* in, Complex* out, MPI_Comm comm, int sign, unsigned flags) {
  return plan(FUNCTION(plan_many_dft),
              {Task::complex, n, howmany, in_block, out_block, sign, flags}, in, out, comm, [&] {
                return NEXT(plan_many_dft)(static_cast<int>(n.size()), n.data(), howmany, in_block,
                                           out_block, in, out, comm, sign, flags);
              });
}

Plan real_plan(const std::vector<Index>& n, Index howmany, Index in_block, Index out_block,
               Real* in, Real* out, MPI_Comm comm, const std::vector<fftw_r2r_kind>& kinds,
               unsigned flags) {
  return plan(FUNCTION(plan_many_r2r),
              {Task::real, n, howmany, in_block, out_block, -1, flags, kinds}, in, out, comm, [&] {
                return NEXT(plan_many_r2r)(static_cast<int>(n.size()), n.data(), howmany, in_block,
                                           out_block, in, out, comm, kinds.data(), flags);
              });
}

Plan r2c_plan(const std::vector<Index>& n, Index howmany, Index in_block, Index out_block, Real* in,
              Complex* out, MPI_Comm comm, unsigned flags) {
  return plan(FUNCTION(plan_many_dft_r2c),
              {Task::real_to_complex, n, howmany, in_block, out_block, -1, flags}, in, out, comm,
              [&] {
                return NEXT(plan_many_dft_r2c)(static_cast<int>(n.size()), n.data(), howmany,
                                               in_block, out_block, in, out, comm, flags);
              });
}

Plan c2r_plan(const std::vector<Index>& n, Index howmany, Index in_block, Index out_block,
              Complex* in, Real* out, MPI_Comm comm, unsigned flags) {
  return plan(FUNCTION(plan_many_dft_c2r),
              {Task::complex_to_real, n, howmany, in_block, out_block, 1, flags}, in, out, comm,
              [&] {
                return NEXT(plan_many_dft_c2r)(static_cast<int>(n.size()), n.data(), howmany,
                                               in_block, out_block, in, out, comm, flags);
              });
}

/// FFTW's wisdom of this rank.
std::string wisdom() {
  char* const text = SERIAL(export_wisdom_to_string)();
  if (text == nullptr) return {};
  std::string result(text);
  SERIAL(free)(text);
  return result;
}

/// Adds that of all ranks to rank 0's. Collective.
void gather_wisdom(MPI_Comm comm) {
  const Place place(comm);
  const std::string mine = place.rank == 0 ? std::string() : wisdom();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(place.procs));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins;
  int total = 0;
  for (const int each : lengths) {
    begins.push_back(total);
    total += each;
  }
  std::string all(static_cast<std::size_t>(place.rank == 0 ? total : 0), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0,
              comm);
  if (place.rank != 0) return;
  for (std::size_t rank = 1; rank < lengths.size(); ++rank) {
    const auto begin = static_cast<std::size_t>(begins[rank]);
    SERIAL(import_wisdom_from_string)
    (all.substr(begin, static_cast<std::size_t>(lengths[rank])).c_str());
  }
}

/// Adds rank 0's to that of all. Collective.
void broadcast_wisdom(MPI_Comm comm) {
  const Place place(comm);
  std::string text = place.rank == 0 ? wisdom() : std::string();
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  if (place.rank != 0) SERIAL(import_wisdom_from_string)(text.c_str());
}

/// The interface has no way to return an error from a run, and other ranks wait for this one. Their
/// communicator may be freed by now.
template <class Work>
void run_or_abort(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    complain(error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// Runs a plan of ours on other arrays; false for a plan that is not ours.
bool ran(Plan plan, const void* in, void* out) {
  Call* const call = Handles::find(plan);
  if (call == nullptr) return false;
  run_or_abort([&] { call->execute(in, out); });
  return true;
}

}  // namespace

#define NAME(name) SERIAL(mpi_##name)
#define COMM MPI_Comm
#define MPI_COMM_OF(comm) (comm)
#include "fftw3_mpi/symbols/communicator_calls.inc"
#undef NAME
#undef COMM
#undef MPI_COMM_OF

#define NAME(name) SERIAL(mpi_##name##_f03)
#define COMM MPI_Fint
#define MPI_COMM_OF(comm) MPI_Comm_f2c(comm)
#include "fftw3_mpi/symbols/communicator_calls.inc"
#undef NAME
#undef COMM
#undef MPI_COMM_OF

EXPORT void SERIAL(mpi_init)() {
  if (auto* const init = NEXT(init)) init();
}

EXPORT void SERIAL(mpi_cleanup)() {
  if (auto* const cleanup = NEXT(cleanup)) {
    cleanup();
  } else {
    SERIAL(cleanup)();
  }
}

EXPORT void SERIAL(mpi_execute_dft)(Plan plan, Complex* in, Complex* out) {
  if (!ran(plan, in, out)) NEXT(execute_dft)(plan, in, out);
}
EXPORT void SERIAL(mpi_execute_dft_r2c)(Plan plan, Real* in, Complex* out) {
  if (!ran(plan, in, out)) NEXT(execute_dft_r2c)(plan, in, out);
}
EXPORT void SERIAL(mpi_execute_dft_c2r)(Plan plan, Complex* in, Real* out) {
  if (!ran(plan, in, out)) NEXT(execute_dft_c2r)(plan, in, out);
}
EXPORT void SERIAL(mpi_execute_r2r)(Plan plan, Real* in, Real* out) {
  if (!ran(plan, in, out)) NEXT(execute_r2r)(plan, in, out);
}

#define NEXT_SERIAL(name) \
  static auto* const forward = next<decltype(SERIAL(name))>(IN_WORDS(SERIAL(name)))

EXPORT void SERIAL(execute)(const Plan plan) {
  if (Call* const call = Handles::find(plan)) {
    run_or_abort([&] { call->execute(); });
    return;
  }
  NEXT_SERIAL(execute);
  forward(plan);
}

EXPORT void SERIAL(destroy_plan)(Plan plan) {
  if (Handles::ours(plan)) {
    Handles::remove(plan);
    return;
  }
  NEXT_SERIAL(destroy_plan);
  forward(plan);
}

EXPORT void SERIAL(fprint_plan)(const Plan plan, FILE* file) {
  if (const Call* const call = Handles::find(plan)) {
    std::fputs(call->text().c_str(), file);
    return;
  }
  NEXT_SERIAL(fprint_plan);
  forward(plan, file);
}

EXPORT void SERIAL(print_plan)(const Plan plan) {
  if (Handles::find(plan) != nullptr) {
    SERIAL(fprint_plan)(plan, stdout);
    return;
  }
  NEXT_SERIAL(print_plan);
  forward(plan);
}

EXPORT char* SERIAL(sprint_plan)(const Plan plan) {
  if (const Call* const call = Handles::find(plan)) {
    const std::string text = call->text();
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
  }
  NEXT_SERIAL(sprint_plan);
  return forward(plan);
}

EXPORT void SERIAL(flops)(const Plan plan, double* additions, double* multiplications,
                          double* fused) {
  if (const Call* const call = Handles::find(plan)) {
    // A butterfly of radix 2 has three additions for two multiplications.
    *additions = 0.6 * call->operations();
    *multiplications = 0.4 * call->operations();
    *fused = 0.0;
    return;
  }
  NEXT_SERIAL(flops);
  forward(plan, additions, multiplications, fused);
}

EXPORT double SERIAL(cost)(const Plan plan) {
  if (const Call* const call = Handles::find(plan)) return call->seconds();
  NEXT_SERIAL(cost);
  return forward(plan);
}

EXPORT double SERIAL(estimate_cost)(const Plan plan) {
  if (const Call* const call = Handles::find(plan)) return call->seconds();
  NEXT_SERIAL(estimate_cost);
  return forward(plan);
}

/// FFTW frees what its plans need, those of our engine among them. While there are any, it only
/// forgets its wisdom.
EXPORT void SERIAL(cleanup)() {
  if (Handles::count() > 0) {
    SERIAL(forget_wisdom)();
    return;
  }
  NEXT_SERIAL(cleanup);
  forward();
}

/// Plans that FFTW's own library was asked for, since they are not supported here.
#ifdef KALLIMA_FFTW_FLOAT
EXPORT std::int64_t kallima_fftw3f_mpi_forwarded() { return forwarded_plans; }
#else
EXPORT std::int64_t kallima_fftw3_mpi_forwarded() { return forwarded_plans; }
#endif

}  // namespace kallima::fftw3_mpi

// SPDX-License-Identifier: BSD-3-Clause
//
// Running a bound transform allocates nothing, and the workspace is what the plan says, to the
// byte.
//
// operator new is replaced for the whole program and must never be called while a transform runs.
// malloc is replaced too (not under sanitizers, which need it themselves) and its callers are told
// apart by where they lie: the library is linked into the program; MPI and FFTW are not. MPI may
// allocate while it carries messages. FFTW allocates while it runs where it wants a buffer, as in
// Rader's algorithm for prime factors; for lengths that it has codelets for it must not.
//
//     mpirun -n 3 allocation_test [--cases 60] [--seed 1]
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/memory.hpp"
#include "api/replaced_new.hpp"
#include "comm/together.hpp"
#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "kallima/spectral.hpp"
#include "kallima/transform.hpp"
#include "schedule/schedule.hpp"
#include "support/configuration.hpp"
#include "support/methods.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define KALLIMA_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KALLIMA_COUNTS_MALLOC 0
#endif
#endif
#ifndef KALLIMA_COUNTS_MALLOC
#define KALLIMA_COUNTS_MALLOC 1
#endif

namespace {

/// Where a program or library lies in memory.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};

/// Allocations, by who asked for them.
struct Allocated {
  long news = 0;    // operator new, whoever called it
  long ours = 0;    // mallocs and their kin from the program itself
  long engine = 0;  // from FFTW
  long others = 0;  // from MPI and the rest
};

bool counting = false;
Allocated counted;
Range program;
std::array<Range, 3> engines;  // FFTW for float, double and long double

[[maybe_unused]] void count_malloc(const void* caller) {
  if (!counting) return;
  bool engine = false;
  for (const Range& range : engines) engine = engine || range.holds(caller);
  ++(program.holds(caller) ? counted.ours : engine ? counted.engine : counted.others);
}

/// For dl_iterate_phdr, which begins with the program itself.
int find_ranges(dl_phdr_info* info, std::size_t, void* seen) {
  Range range{std::numeric_limits<std::uintptr_t>::max(), 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    range.begin = std::min(range.begin, info->dlpi_addr + part.p_vaddr);
    range.end = std::max(range.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  auto& [first, found] = *static_cast<std::pair<bool, std::size_t>*>(seen);
  if (first) program = range;
  first = false;
  const bool engine = std::string(info->dlpi_name).find("libfftw3") != std::string::npos;
  if (engine && found < engines.size()) engines[found++] = range;
  return 0;
}

}  // namespace

#if KALLIMA_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT: glibc's own names
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT
void* __libc_realloc(void* data, std::size_t bytes);              // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT
void __libc_free(void* data);                                     // NOLINT

void* malloc(std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}
void* realloc(void* data, std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  return __libc_realloc(data, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** data, std::size_t alignment, std::size_t bytes) noexcept {
  count_malloc(__builtin_return_address(0));
  *data = __libc_memalign(alignment, bytes);
  return *data == nullptr ? 12 : 0;  // ENOMEM
}
void free(void* data) noexcept { __libc_free(data); }
}
#endif

void* kallima::test::allocate_for_test(std::size_t bytes, std::size_t alignment) noexcept {
  if (counting) ++counted.news;
  const bool was = counting;
  counting = false;  // one call, not two
  void* const data = std::aligned_alloc(
      alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  counting = was;
  return data;
}

namespace kallima::test {
namespace {

template <class T>
using Elements = std::vector<std::complex<T>>;

/// What is allocated while `body` runs.
template <class Body>
Allocated allocated_by(Body body) {
  counted = {};
  counting = true;
  body();
  counting = false;
  return counted;
}

/// True where FFTW has a codelet for every extent, so that it needs no buffers. For cosines and
/// sines it always does.
bool has_codelets(const Configuration& c) {
  return std::all_of(c.shape.begin(), c.shape.end(),
                     [](Index n) { return n <= 16 || n == 20 || n == 25 || n == 32 || n == 64; }) &&
         std::none_of(c.options.axes.begin(), c.options.axes.end(),
                      [](AxisKind kind) { return is_trigonometric(kind); });
}

/// In place, both ends of what has margins are the same.
bool goes_in_place(const Plan& plan) {
  const bool margins = plan.input().has_margins() || plan.output().has_margins();
  return !margins || plan.input() == plan.output();
}

struct Totals {
  long runs = 0;
  long engine = 0;
  long mpi = 0;
  double workspace = 0.0;  // largest, in units of the largest local array
};

void expect_nothing(const Allocated& got, bool strict, const std::string& what,
                    Complaints& complaints, Totals& totals) {
  complaints.equal(got.news, 0L, what + ": calls of operator new");
  complaints.equal(got.ours, 0L, what + ": calls of malloc by the library");
  if (strict) complaints.equal(got.engine, 0L, what + ": calls of malloc by the engine");
  ++totals.runs;
  totals.engine += got.engine;
  totals.mpi += got.others;
}

Plan planned(const Configuration& c, Precision precision) {
  if (c.options.plan) return *c.options.plan;
  PlanRequest request;
  request.problem = c.problem();
  request.problem.precision = precision;
  request.padded = c.options.padded;
  request.ranks = c.ranks;
  request.in = c.options.in.for_shape(c.shape);
  request.out = c.options.out.for_shape(request.problem.frequency_shape());
  request.method = c.options.method;
  request.placement.ranks_per_node = c.ranks;
  if (c.options.tile_bytes != 0) request.tile_bytes = c.options.tile_bytes;
  return make_plan(request);
}

/// One axis that cannot be split, as a convolution.
Configuration convolution(Kind kind, int ranks) {
  Configuration c;
  c.shape = {1009};
  c.kind = kind;
  c.ranks = ranks;
  c.options.in = Layout::block(c.shape, {ranks});
  PlanRequest request;
  request.problem = c.problem();
  request.ranks = ranks;
  request.placement.ranks_per_node = ranks;
  request.in = c.options.in.for_shape(c.shape);
  request.decomposition = Decomposition::convolution;
  c.options.plan = std::make_shared<const Plan>(make_plan(request));
  return c;
}

/// What a plan needs on a rank, in elements, for both directions, in and out of place.
Workspace needed(const Plan& forward, Index rank) {
  Workspace most;
  for (const Plan& plan : {forward, forward.reversed()}) {
    for (const bool in_place : {false, true}) {
      const Workspace here = workspace(plan, schedule(plan, in_place), rank);
      most.main = std::max(most.main, here.main + here.spill);
      most.segment = std::max(most.segment, here.segment);
      most.other_segment = std::max(most.other_segment, here.other_segment);
      most.transit = std::max(most.transit, here.transit);
      most.tile = std::max(most.tile, here.tile);
      most.roots = std::max(most.roots, here.roots);
      most.filter = std::max(most.filter, here.filter);
    }
  }
  return most;
}

/// Fft is a Transform or a RealTransform.
template <class T, template <class> class Fft>
void check_planned(const Configuration& c, MPI_Comm comm, Complaints& complaints, Totals& totals) {
  constexpr auto element = static_cast<Index>(sizeof(std::complex<T>));
  Options options = c.options;
  const auto memory = std::make_shared<CountingMemory>();
  options.memory = memory;
  const Plan plan = planned(c, precision_of<T>);
  const Fft<T> fft(comm, c.shape, options);

  Workspace need = needed(plan, fft.rank());
  need.tile *= options.threads;
  complaints.equal(fft.workspace_bytes(), need.elements() * element, "workspace_bytes()");
  // SharedSegments are the node's memory, not that of the user's source.
  const Index bytes = (need.elements() - need.segment - need.other_segment) * element;
  const Index arrays =
      plan.input().allocated_size(fft.rank()) * plan.states().front().element.bytes() +
      plan.output().allocated_size(fft.rank()) * element;
  // A convolution has two arrays while it is planned.
  const Index asked = bytes + (plan.convolves() ? arrays : 0);
  complaints.equal(memory->asked, asked, "bytes asked for by the constructor");
  complaints.equal(memory->alive, bytes, "bytes held");
  {
    const auto u = fft.make_input();
    const auto u_k = fft.make_output();
    complaints.equal(memory->asked - asked, arrays, "bytes asked for by arrays");
  }
  complaints.equal(memory->alive, bytes, "bytes held without arrays");

  const auto size = static_cast<std::size_t>(fft.in_place_size());
  Elements<T> a(size);
  Elements<T> b(size);
  const int before = memory->allocations;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const bool in_place : {false, true}) {
      if (in_place && !goes_in_place(plan)) continue;
      const auto elements = [&](Direction end) {
        return end == Direction::forward && c.kind == Kind::r2c ? 2 * size : size;
      };
      const bool forward = direction == Direction::forward;
      Bound<T> bound =
          fft.bind_memory(direction, a.data(), elements(direction), (in_place ? a : b).data(),
                          elements(forward ? Direction::backward : Direction::forward));
      for (int repeat = 0; repeat < 2; ++repeat) {
        const Allocated got = allocated_by([&] { bound.run(); });
        expect_nothing(got, has_codelets(c), in_place ? "in place" : "out of place", complaints,
                       totals);
      }
    }
  }
  complaints.equal(memory->allocations, before, "calls of the memory source after running");
  const auto largest = static_cast<double>(plan.largest_local_size());
  totals.workspace = std::max(totals.workspace, static_cast<double>(need.arrays()) / largest);
}

template <class T>
void check_transform(const Configuration& c, MPI_Comm comm, Complaints& complaints,
                     Totals& totals) {
  if (c.kind == Kind::r2c) {
    check_planned<T, RealTransform>(c, comm, complaints, totals);
  } else {
    check_planned<T, Transform>(c, comm, complaints, totals);
  }
}

template <class T>
void check_loopback(const Configuration& c, Complaints& complaints, Totals& totals) {
  const Plan forward = planned(c, precision_of<T>);
  for (const Plan& plan : {forward, forward.reversed()}) {
    for (const bool in_place : {false, true}) {
      if (in_place && !goes_in_place(plan)) continue;
      exec::Loopback<T> loopback(plan, in_place);
      std::vector<Elements<T>> in;
      std::vector<Elements<T>> out;
      std::vector<const std::complex<T>*> sources;
      std::vector<std::complex<T>*> targets;
      for (Index r = 0; r < plan.ranks(); ++r) {
        const auto size = static_cast<std::size_t>(
            std::max(plan.input().allocated_size(r), plan.output().allocated_size(r)));
        in.emplace_back(size);
        out.emplace_back(size);
      }
      for (std::size_t r = 0; r < in.size(); ++r) {
        sources.push_back(in[r].data());
        targets.push_back(in_place ? in[r].data() : out[r].data());
      }
      const Allocated got = allocated_by([&] { loopback.run(sources, targets, T{1}); });
      expect_nothing(got, has_codelets(c), "loopback", complaints, totals);
      complaints.equal(got.others, 0L, "loopback: calls of malloc by others");
    }
  }
}

void check_fields(Complaints& complaints, Totals& totals) {
  Options options;
  options.axes = {AxisKind::batch, AxisKind::fourier, AxisKind::fourier, AxisKind::fourier};
  options.separate_fields = true;
  const Transform<double> fft(MPI_COMM_WORLD, {3, 8, 16, 8}, options);
  const auto size = static_cast<std::size_t>(fft.in_place_size()) / 3;
  std::vector<Elements<double>> in(3, Elements<double>(size));
  std::vector<Elements<double>> out(3, Elements<double>(size));
  Bound<double> bound =
      fft.bind_fields(Direction::forward, {in[0], in[1], in[2]}, {out[0], out[1], out[2]});
  for (int repeat = 0; repeat < 2; ++repeat) {
    expect_nothing(allocated_by([&] { bound.run(); }), true, "separate fields", complaints, totals);
  }
}

/// The first call plans and allocates; later ones do not.
void check_apply(Complaints& complaints, Totals& totals) {
  const RealTransform<double> fft(MPI_COMM_WORLD, {8, 16, 8});
  auto u = fft.make_input();
  auto v = fft.make_input();
  const auto one = [&] { fft.apply(u, v, inverse_laplacian()); };
  const auto two = [&] {
    fft.apply(u, v, v, [](const auto& /*k*/, auto& value, const auto& other) { value *= other; });
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Allocated by_one = allocated_by(one);
    const Allocated by_two = allocated_by(two);
    if (repeat == 0) continue;
    expect_nothing(by_one, true, "apply()", complaints, totals);
    expect_nothing(by_two, true, "apply() of two", complaints, totals);
  }
}

int run(std::uint64_t seed, std::uint64_t cases) {
  Together all;
  std::pair<bool, std::size_t> seen{true, 0};
  dl_iterate_phdr(find_ranges, &seen);
  all.run("the program and FFTW were found in memory", [&](Complaints& complaints) {
    complaints.expect(program.end > program.begin && seen.second >= 2, "they were not");
    // The harness itself: an allocation is seen and is ours.
    const Allocated one = allocated_by([] {
      void* volatile data = std::malloc(1);
      std::free(data);
      // By a call: the compiler may leave out a new-expression whose value nobody uses.
      ::operator delete(::operator new(sizeof(int)));
    });
    if (KALLIMA_COUNTS_MALLOC != 0) complaints.equal(one.ours, 1L, "mallocs seen");
    complaints.equal(one.news, 1L, "news seen");
  });
  Totals totals;
  all.run("separate fields", [&](Complaints& complaints) { check_fields(complaints, totals); });
  all.run("apply()", [&](Complaints& complaints) { check_apply(complaints, totals); });
  std::vector<Configuration> configurations;
  for (std::uint64_t k = 0; k < cases; ++k) {
    configurations.push_back(make_configuration(seed, k, all.ranks(), true));
  }
  for (std::uint64_t k = 0; k < cases / 2; ++k) {
    configurations.push_back(make_configuration(seed, k, all.ranks(), true, Kind::r2c));
  }
  // An axis distributed cyclically is split, and the parts are joined with roots of unity.
  const Index square = Index{all.ranks()} * all.ranks();
  for (const Shape& shape : {Shape{4 * square}, Shape{16 * square}, Shape{square, 2 * square}}) {
    Configuration c;
    c.shape = shape;
    c.ranks = all.ranks();
    std::vector<Index> procs(shape.size(), 1);
    procs.front() = all.ranks();
    c.options.in = c.options.out = Layout::cyclic(shape, procs);
    configurations.push_back(c);
    if (shape.size() > 1) continue;
    c.kind = Kind::r2c;  // and k exchanged with n - k
    c.options.out.reset();
    configurations.push_back(c);
  }
  configurations.push_back(convolution(Kind::c2c, all.ranks()));
  configurations.push_back(convolution(Kind::r2c, all.ranks()));
  for (Configuration& c : configurations) {
    for (const ExchangeMethod method : all_methods) {
      if (c.options.plan) {
        c.options.plan = std::make_shared<const Plan>(c.options.plan->with_method(method));
      } else {
        c.options.method = method;
      }
      const std::string name = c.to_text() + ", " + std::string(name_of(method));
      all.run(name, [&](Complaints& complaints) {
        c.single ? check_transform<float>(c, MPI_COMM_WORLD, complaints, totals)
                 : check_transform<double>(c, MPI_COMM_WORLD, complaints, totals);
        c.single ? check_loopback<float>(c, complaints, totals)
                 : check_loopback<double>(c, complaints, totals);
      });
    }
  }
  const int status = all.finish("configurations");
  if (all.rank() == 0) {
    std::printf(
        "rank 0: %ld runs, in them mallocs by FFTW: %ld, by MPI: %ld%s; workspace up "
        "to %.2f of the largest local array\n",
        totals.runs, totals.engine, totals.mpi,
        KALLIMA_COUNTS_MALLOC != 0 ? "" : " (not counted under sanitizers)", totals.workspace);
  }
  return status;
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::uint64_t seed = 1;
  std::uint64_t cases = 60;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t value = std::stoull(argv[i + 1]);
    (std::string(argv[i]) == "--seed" ? seed : cases) = value;
  }
  const int status = kallima::test::run(seed, cases);
  MPI_Finalize();
  return status;
}

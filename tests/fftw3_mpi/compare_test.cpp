// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of libkallima_fftw3_mpi against those of FFTW's own libfftw3_mpi in one process: local
// sizes and offsets are equal, results are within the promise, input out of place is untouched.
// Random configurations of all kinds, in both precisions. One axis, which both may split as they
// like, is compared with the definition.
//
//     mpirun -n P compare_test [--cases N] [--seed S] [--own-only] [--verbose]
//
// --own-only: without FFTW's library.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "fftw3-mpi.h"

extern "C" std::int64_t kallima_fftw3_mpi_forwarded();
extern "C" std::int64_t kallima_fftw3f_mpi_forwarded();

namespace {

using Index = std::ptrdiff_t;

/// FFTW's functions of one precision, as this program is linked with them, or from FFTW's own
/// library.
template <class T>
struct Library;

// clang-format off
#define LIBRARY(P, T)                                                                             \
  template <>                                                                                     \
  struct Library<T> {                                                                             \
    using Plan = P##plan;                                                                         \
    using Complex = P##complex;                                                                   \
    static constexpr const char* prefix = #P;                                                     \
    static constexpr auto execute = P##execute;                                                   \
    static constexpr auto destroy = P##destroy_plan;                                              \
    decltype(&P##mpi_init) init = P##mpi_init;                                                    \
    decltype(&P##mpi_local_size_many_transposed) sizes = P##mpi_local_size_many_transposed;       \
    decltype(&P##mpi_local_size_many_1d) sizes_1d = P##mpi_local_size_many_1d;                    \
    decltype(&P##mpi_plan_many_dft) dft = P##mpi_plan_many_dft;                                   \
    decltype(&P##mpi_plan_many_dft_r2c) r2c = P##mpi_plan_many_dft_r2c;                           \
    decltype(&P##mpi_plan_many_dft_c2r) c2r = P##mpi_plan_many_dft_c2r;                           \
    decltype(&P##mpi_plan_many_r2r) r2r = P##mpi_plan_many_r2r;                                   \
    decltype(&P##mpi_plan_many_transpose) transpose = P##mpi_plan_many_transpose;                 \
    decltype(&P##mpi_execute_dft) execute_dft = P##mpi_execute_dft;                               \
  };
// clang-format on
LIBRARY(fftw_, double)
LIBRARY(fftwf_, float)

/// FFTW's own. Its calls of functions that have other names here stay inside; RTLD_DEEPBIND would
/// give it other constants of MPI than the program has.
template <class T>
Library<T> fftws_own(const char* file) {
  void* const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Library<T> library;
  const auto find = [&](auto& function, const char* name) {
    const std::string whole = std::string(Library<T>::prefix) + "mpi_" + name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, whole.c_str()));
  };
  find(library.init, "init");
  find(library.sizes, "local_size_many_transposed");
  find(library.sizes_1d, "local_size_many_1d");
  find(library.dft, "plan_many_dft");
  find(library.r2c, "plan_many_dft_r2c");
  find(library.c2r, "plan_many_dft_c2r");
  find(library.r2r, "plan_many_r2r");
  find(library.transpose, "plan_many_transpose");
  find(library.execute_dft, "execute_dft");
  return library;
}

enum class Task { dft, r2c, c2r, r2r, transpose };
const char* const task_names[] = {"dft", "r2c", "c2r", "r2r", "transpose"};

struct Case {
  Task task = Task::dft;
  std::vector<Index> n;
  Index howmany = 1;
  Index block0 = 0;  // of axis 0
  Index block1 = 0;  // of axis 1
  int sign = -1;
  unsigned flags = FFTW_ESTIMATE;
  bool in_place = false;
  std::vector<fftw_r2r_kind> kinds;

  [[nodiscard]] bool transposed_in() const { return (flags & FFTW_MPI_TRANSPOSED_IN) != 0; }
  [[nodiscard]] bool transposed_out() const { return (flags & FFTW_MPI_TRANSPOSED_OUT) != 0; }
  [[nodiscard]] std::string text() const {
    std::string result = task_names[static_cast<int>(task)];
    for (const Index extent : n) result += " " + std::to_string(extent);
    result += " howmany " + std::to_string(howmany) + " blocks " + std::to_string(block0) + "," +
              std::to_string(block1) + " sign " + std::to_string(sign) + " flags " +
              std::to_string(flags >> 27);
    for (const fftw_r2r_kind kind : kinds) result += " k" + std::to_string(kind);
    return result + (in_place ? " in place" : "");
  }
};

/// One side's array on this rank: which element lies where.
struct Side {
  std::vector<Index> n;  // extents that count
  Index row = 0;         // elements of a row along the last axis, in memory
  Index howmany = 1;
  std::size_t along = 0;  // axis that is distributed
  Index start = 0;
  Index count = 0;
  bool swapped = false;  // the first two axes, in memory
  int numbers = 1;       // of an element

  /// visit(number in the array of this rank, number in the whole array without padding).
  template <class Visit>
  void each(const Visit& visit) const {
    std::vector<Index> at(n.size(), 0);
    std::vector<Index> local = n;
    local[along] = count;
    if (count == 0) return;
    while (true) {
      Index whole = 0;
      for (std::size_t a = 0; a < n.size(); ++a)
        whole = whole * n[a] + at[a] + (a == along ? start : 0);
      Index place = 0;
      for (std::size_t i = 0; i < n.size(); ++i) {
        const std::size_t a = swapped && i < 2 ? 1 - i : i;
        const Index extent = a + 1 == n.size() && !(swapped && n.size() == 2)
                                 ? (row > 0 ? row : local[a])
                                 : local[a];
        place = place * extent + at[a];
      }
      for (Index field = 0; field < howmany; ++field) {
        for (int number = 0; number < numbers; ++number) {
          visit((place * howmany + field) * numbers + number,
                (whole * howmany + field) * numbers + number);
        }
      }
      std::size_t a = n.size();
      while (a > 0 && ++at[a - 1] == local[a - 1]) at[--a] = 0;
      if (a == 0) return;
    }
  }
};

double value_of(Index number) {
  std::uint64_t x = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ULL + 12345;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) / 9007199254740992.0 - 0.5;
}

using Long = std::complex<long double>;

/// One line by its definition in FFTW's manual, section 4.8.
std::vector<Long> defined(const std::vector<Long>& x, Task task, fftw_r2r_kind kind, int sign) {
  const auto n = static_cast<Index>(x.size());
  const long double pi = std::numbers::pi_v<long double>;
  std::vector<Long> y(x.size());
  for (Index k = 0; k < n; ++k) {
    Long sum = 0;
    for (Index j = 0; j < n; ++j) {
      const auto jj = static_cast<long double>(j);
      const auto kk = static_cast<long double>(k);
      const auto nn = static_cast<long double>(n);
      const long double alternating = k % 2 == 0 ? 1.0L : -1.0L;
      long double factor = 0;
      if (task != Task::r2r) {
        const long double angle = sign * 2.0L * pi * static_cast<long double>(j * k % n) / nn;
        sum += x[static_cast<std::size_t>(j)] * Long(std::cos(angle), std::sin(angle));
        continue;
      }
      switch (kind) {
        case FFTW_REDFT00:
          factor = j == 0       ? 1.0L
                   : j == n - 1 ? alternating
                                : 2.0L * std::cos(pi * jj * kk / (nn - 1));
          break;
        case FFTW_REDFT10:
          factor = 2.0L * std::cos(pi * (jj + 0.5L) * kk / nn);
          break;
        case FFTW_REDFT01:
          factor = j == 0 ? 1.0L : 2.0L * std::cos(pi * jj * (kk + 0.5L) / nn);
          break;
        case FFTW_REDFT11:
          factor = 2.0L * std::cos(pi * (jj + 0.5L) * (kk + 0.5L) / nn);
          break;
        case FFTW_RODFT00:
          factor = 2.0L * std::sin(pi * (jj + 1) * (kk + 1) / (nn + 1));
          break;
        case FFTW_RODFT10:
          factor = 2.0L * std::sin(pi * (jj + 0.5L) * (kk + 1) / nn);
          break;
        case FFTW_RODFT01:
          factor = j == n - 1 ? alternating : 2.0L * std::sin(pi * (jj + 1) * (kk + 0.5L) / nn);
          break;
        default:
          factor = 2.0L * std::sin(pi * (jj + 0.5L) * (kk + 0.5L) / nn);
          break;
      }
      sum += factor * x[static_cast<std::size_t>(j)];
    }
    y[static_cast<std::size_t>(k)] = sum;
  }
  return y;
}

/// Frequencies 0 to n/2 of reals as those of all, with what a c2r transform ignores left out.
std::vector<Long> hermitian(const std::vector<Long>& half, Index n) {
  std::vector<Long> whole(static_cast<std::size_t>(n));
  for (Index k = 0; k <= n / 2; ++k) {
    const Long value = half[static_cast<std::size_t>(k)];
    whole[static_cast<std::size_t>(k)] = k == 0 || 2 * k == n ? Long(value.real()) : value;
    if (k > 0)
      whole[static_cast<std::size_t>(n - k)] = std::conj(whole[static_cast<std::size_t>(k)]);
  }
  return whole;
}

/// The whole output by the definition, one axis after the other: numbers as Side numbers them.
template <class T>
std::vector<T> expected_output(const Case& test) {
  std::vector<Index> shape = test.n;
  if (test.task == Task::c2r) shape.back() = shape.back() / 2 + 1;
  const bool complex_in = test.task == Task::dft || test.task == Task::c2r;
  Index elements = test.howmany;
  for (const Index extent : shape) elements *= extent;
  std::vector<Long> data(static_cast<std::size_t>(elements));
  for (Index i = 0; i < elements; ++i) {
    const auto value = [](Index number) {
      return static_cast<long double>(static_cast<T>(value_of(number)));
    };
    data[static_cast<std::size_t>(i)] =
        complex_in ? Long(value(2 * i), value(2 * i + 1)) : Long(value(i));
  }
  const int sign = test.task == Task::dft ? test.sign : test.task == Task::c2r ? 1 : -1;
  for (std::size_t a = 0; test.task != Task::transpose && a < shape.size(); ++a) {
    const bool half_in = test.task == Task::c2r && a + 1 == shape.size();
    const bool half_out = test.task == Task::r2c && a + 1 == shape.size();
    Index inner = test.howmany;
    for (std::size_t b = a + 1; b < shape.size(); ++b) inner *= shape[b];
    const Index outer = elements / inner / shape[a];
    const Index length = half_in ? test.n[a] : half_out ? shape[a] / 2 + 1 : shape[a];
    std::vector<Long> next(static_cast<std::size_t>(outer * length * inner));
    for (Index o = 0; o < outer; ++o) {
      for (Index i = 0; i < inner; ++i) {
        std::vector<Long> line(static_cast<std::size_t>(shape[a]));
        for (Index j = 0; j < shape[a]; ++j) {
          line[static_cast<std::size_t>(j)] =
              data[static_cast<std::size_t>((o * shape[a] + j) * inner + i)];
        }
        if (half_in) line = hermitian(line, test.n[a]);
        line = defined(line, test.task, test.kinds.empty() ? FFTW_REDFT00 : test.kinds[a], sign);
        for (Index k = 0; k < length; ++k) {
          next[static_cast<std::size_t>((o * length + k) * inner + i)] =
              line[static_cast<std::size_t>(k)];
        }
      }
    }
    data = std::move(next);
    shape[a] = length;
    elements = outer * length * inner;
  }
  const bool complex_out = test.task == Task::dft || test.task == Task::r2c;
  std::vector<T> result;
  for (const Long& value : data) {
    result.push_back(static_cast<T>(value.real()));
    if (complex_out) result.push_back(static_cast<T>(value.imag()));
  }
  return result;
}

template <class T>
class Comparison {
 public:
  Comparison(int rank, bool own_only, const char* file) : rank_(rank), own_only_(own_only) {
    ours_.init();
    if (!own_only) {
      theirs_ = fftws_own<T>(file);
      theirs_.init();
    }
  }

  /// Configurations that FFTW's library has no plan for, or computes otherwise than its manual
  /// says.
  [[nodiscard]] int without_plan() const { return without_plan_; }
  [[nodiscard]] int otherwise() const { return otherwise_; }

  /// What is wrong, or nothing. Collective.
  std::string run(const Case& test) { return test.n.size() == 1 ? run_1d(test) : run_nd(test); }

 private:
  using Plan = typename Library<T>::Plan;
  using Complex = typename Library<T>::Complex;

  Plan plan(const Library<T>& library, const Case& test, T* in, T* out) const {
    auto* const complex_in = reinterpret_cast<Complex*>(in);
    auto* const complex_out = reinterpret_cast<Complex*>(out);
    const int axes = static_cast<int>(test.n.size());
    const Index in_block =
        test.transposed_in() && test.task != Task::transpose ? test.block1 : test.block0;
    const Index out_block =
        test.transposed_out() && test.task != Task::transpose ? test.block1 : test.block0;
    switch (test.task) {
      case Task::dft:
        return library.dft(axes, test.n.data(), test.howmany, in_block, out_block, complex_in,
                           complex_out, MPI_COMM_WORLD, test.sign, test.flags);
      case Task::r2c:
        return library.r2c(axes, test.n.data(), test.howmany, in_block, out_block, in, complex_out,
                           MPI_COMM_WORLD, test.flags);
      case Task::c2r:
        return library.c2r(axes, test.n.data(), test.howmany, in_block, out_block, complex_in, out,
                           MPI_COMM_WORLD, test.flags);
      case Task::r2r:
        return library.r2r(axes, test.n.data(), test.howmany, in_block, out_block, in, out,
                           MPI_COMM_WORLD, test.kinds.data(), test.flags);
      case Task::transpose:
        return library.transpose(test.n[0], test.n[1], test.howmany, test.block0, test.block1, in,
                                 out, MPI_COMM_WORLD, test.flags);
    }
    return nullptr;
  }

  bool anywhere(bool mine) const {
    int value = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return value != 0;
  }

  static double promise(double elements) {
    const double eps = std::numeric_limits<T>::epsilon();
    return std::max(eps, 1.5 * eps * std::sqrt(std::log2(std::max(2.0, elements))));
  }

  std::string run_nd(const Case& test) {
    const bool halved = test.task == Task::r2c || test.task == Task::c2r;
    std::vector<Index> asked = test.n;
    if (halved) asked.back() = asked.back() / 2 + 1;
    std::vector<Index> ours(4, -7);
    const Index size =
        ours_.sizes(static_cast<int>(asked.size()), asked.data(), test.howmany, test.block0,
                    test.block1, MPI_COMM_WORLD, &ours[0], &ours[1], &ours[2], &ours[3]);
    if (!own_only_) {
      std::vector<Index> theirs(4, -7);
      const Index their_size = theirs_.sizes(static_cast<int>(asked.size()), asked.data(),
                                             test.howmany, test.block0, test.block1, MPI_COMM_WORLD,
                                             &theirs[0], &theirs[1], &theirs[2], &theirs[3]);
      if (anywhere(ours != theirs)) return "local sizes or offsets differ";
      if (anywhere(size < their_size)) return "less memory than FFTW asks for";
    }
    const bool complex_in = test.task == Task::dft || test.task == Task::c2r;
    const bool complex_out = test.task == Task::dft || test.task == Task::r2c;
    const auto side = [&](bool complex, bool transposed) {
      Side result;
      result.n = complex && halved ? asked : test.n;
      result.howmany = test.howmany;
      result.along = transposed ? 1 : 0;
      result.count = ours[transposed ? 2 : 0];
      result.start = ours[transposed ? 3 : 1];
      result.swapped = transposed;
      result.numbers = complex ? 2 : 1;
      if (halved && !complex) result.row = 2 * asked.back();
      return result;
    };
    Side in = side(complex_in, test.transposed_in());
    Side out = side(complex_out, test.transposed_out());
    if (test.task == Task::transpose) {
      in = side(false, false);
      out = side(false, true);
      in.swapped = test.transposed_in();
      out.swapped = !test.transposed_out();
    }
    const std::size_t numbers =
        static_cast<std::size_t>((complex_in || complex_out ? 2 : 1) * size);
    // Aligned alike, and never empty.
    std::vector<T> input(numbers + 1, T(99)), output(numbers + 1, T(77));
    T* const in_data = input.data();
    T* const out_data = test.in_place ? in_data : output.data();
    const auto fill = [&] {
      in.each([&](Index place, Index number) {
        input[static_cast<std::size_t>(place)] = static_cast<T>(value_of(number));
      });
    };
    const Plan own = plan(ours_, test, in_data, out_data);
    if (anywhere(own == nullptr)) return "no plan";
    fill();
    const std::vector<T> before = input;
    Library<T>::execute(own);
    std::vector<T> result = test.in_place ? input : output;
    if (anywhere(!test.in_place && before != input)) return "input was changed";
    Library<T>::destroy(own);
    const std::vector<T> expected = expected_output<T>(test);
    const auto distance = [&](const std::vector<T>& found) {
      std::array<double, 2> sums{};
      out.each([&](Index place, Index number) {
        const auto right = static_cast<double>(expected[static_cast<std::size_t>(number)]);
        const double difference =
            static_cast<double>(found[static_cast<std::size_t>(place)]) - right;
        sums[0] += difference * difference;
        sums[1] += right * right;
      });
      return sums;
    };
    const std::array<double, 2> own_distance = distance(result);
    const std::string wrong = verdict(test, own_distance[0], own_distance[1]);
    if (!wrong.empty() || own_only_) return wrong;
    // FFTW's own plan of the same, on the same arrays.
    std::fill(input.begin(), input.end(), T(99));
    std::fill(output.begin(), output.end(), T(77));
    const Plan their = plan(theirs_, test, in_data, out_data);
    if (anywhere(their == nullptr)) {
      ++without_plan_;
      return {};
    }
    fill();
    Library<T>::execute(their);
    Library<T>::destroy(their);
    const std::array<double, 2> their_distance = distance(test.in_place ? input : output);
    if (!verdict(test, their_distance[0], their_distance[1]).empty()) ++otherwise_;
    return {};
  }

  std::string verdict(const Case& test, double error, double norm) const {
    double sums[2] = {error, norm};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double elements = 1.0;
    for (const Index extent : test.n) elements *= static_cast<double>(extent);
    const double limit = test.task == Task::transpose ? 0.0 : promise(elements);
    if (std::sqrt(sums[0]) <= limit * std::sqrt(sums[1])) return {};
    return "relative error " +
           std::to_string(std::sqrt(sums[0] / sums[1]) / std::numeric_limits<T>::epsilon()) +
           " eps";
  }

  /// By the definition, from all ranks.
  std::string run_1d(const Case& test) {
    const Index n = test.n[0];
    Index ni = -1, i_start = -1, no = -1, o_start = -1;
    const Index size = ours_.sizes_1d(n, test.howmany, MPI_COMM_WORLD, test.sign, test.flags, &ni,
                                      &i_start, &no, &o_start);
    Index both[2] = {ni, no};
    Index begins[2] = {0, 0};
    MPI_Exscan(both, begins, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ == 0) begins[0] = begins[1] = 0;
    Index sums[2] = {ni, no};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (anywhere(sums[0] != n || sums[1] != n)) return "local sizes do not add up";
    if (anywhere((ni > 0 && i_start != begins[0]) || (no > 0 && o_start != begins[1])))
      return "offsets are no sums";
    if (anywhere(size < test.howmany * std::max(ni, no))) return "too little memory";
    const auto numbers = static_cast<std::size_t>(2 * size);
    std::vector<T> input(numbers + 1, T(99)), output(numbers + 1, T(77));
    T* const out_data = test.in_place ? input.data() : output.data();
    const Plan own = plan(ours_, test, input.data(), out_data);
    if (anywhere(own == nullptr)) return "no plan";
    for (Index i = 0; i < 2 * ni * test.howmany; ++i) {
      input[static_cast<std::size_t>(i)] = static_cast<T>(value_of(2 * i_start * test.howmany + i));
    }
    Library<T>::execute(own);
    Library<T>::destroy(own);
    const bool scrambled = (test.flags & FFTW_MPI_SCRAMBLED_OUT) != 0;
    if (scrambled) {
      // Some order: the way back understands it.
      Case back = test;
      back.sign = -test.sign;
      back.in_place = true;
      back.flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN;
      const Plan undo = plan(ours_, back, out_data, out_data);
      if (anywhere(undo == nullptr)) return "no plan back";
      Library<T>::execute(undo);
      Library<T>::destroy(undo);
    }
    std::vector<std::complex<double>> line(static_cast<std::size_t>(n));
    double error = 0.0;
    double norm = 0.0;
    const Index first = scrambled ? i_start : o_start;
    const Index count = scrambled ? ni : no;
    for (Index field = 0; field < test.howmany; ++field) {
      for (Index j = 0; j < n; ++j) {
        const Index number = 2 * (j * test.howmany + field);
        line[static_cast<std::size_t>(j)] = {static_cast<T>(value_of(number)),
                                             static_cast<T>(value_of(number + 1))};
      }
      for (Index k = first; k < first + count; ++k) {
        std::complex<double> sum = 0.0;
        if (scrambled) {
          sum = line[static_cast<std::size_t>(k)] * static_cast<double>(n);
        } else {
          for (Index j = 0; j < n; ++j) {
            const double angle = test.sign * 2.0 * std::numbers::pi *
                                 static_cast<double>(j * k % n) / static_cast<double>(n);
            sum += line[static_cast<std::size_t>(j)] * std::polar(1.0, angle);
          }
        }
        const auto at = static_cast<std::size_t>(2 * ((k - first) * test.howmany + field));
        error += std::norm(std::complex<double>(out_data[at], out_data[at + 1]) - sum);
        norm += std::norm(sum);
      }
    }
    return verdict(test, error, norm);
  }

  int rank_;
  bool own_only_;
  int without_plan_ = 0;
  int otherwise_ = 0;
  Library<T> ours_;
  Library<T> theirs_;
};

Case random_case(std::mt19937& random, int procs) {
  const auto up_to = [&](Index most) {
    return static_cast<Index>(random() % static_cast<unsigned>(most));
  };
  const auto chance = [&](int percent) { return up_to(100) < percent; };
  Case test;
  const Index which = up_to(100);
  test.task = which < 35   ? Task::dft
              : which < 55 ? Task::r2c
              : which < 70 ? Task::c2r
              : which < 90 ? Task::r2r
                           : Task::transpose;
  std::size_t axes = static_cast<std::size_t>(2 + up_to(3));
  if (test.task == Task::dft && chance(20)) axes = 1;
  if (test.task == Task::transpose) axes = 2;
  const Index most = axes == 1 ? 200 : axes == 2 ? 40 : axes == 3 ? 12 : 7;
  for (std::size_t a = 0; a < axes; ++a) test.n.push_back(1 + up_to(chance(15) ? procs + 1 : most));
  if (chance(30)) test.howmany = 1 + up_to(4);
  test.in_place = chance(50);
  if (test.task == Task::dft && chance(50)) test.sign = 1;
  const bool may_in = axes > 1 && test.task != Task::r2c;
  const bool may_out = axes > 1 && test.task != Task::c2r;
  if (may_in && chance(35)) test.flags |= FFTW_MPI_TRANSPOSED_IN;
  if (may_out && chance(35)) test.flags |= FFTW_MPI_TRANSPOSED_OUT;
  if (axes == 1 && chance(40)) test.flags |= FFTW_MPI_SCRAMBLED_OUT;
  if (chance(20)) test.flags &= ~FFTW_ESTIMATE;
  if (axes > 1 && chance(40)) {
    Index second = test.n[1];
    if (axes == 2 && (test.task == Task::r2c || test.task == Task::c2r)) second = second / 2 + 1;
    // A block of all that there is, FFTW takes for an axis that is not distributed.
    const auto block = [&](Index n) {
      const Index least = (n + procs - 1) / procs;
      return least >= n ? Index{0} : std::min(least + up_to(3), n - 1);
    };
    if (chance(70)) test.block0 = block(test.n[0]);
    if (chance(70)) test.block1 = block(second);
  }
  if (test.task == Task::r2r) {
    for (Index& extent : test.n) {
      extent = std::max<Index>(extent, 2);
      test.kinds.push_back(static_cast<fftw_r2r_kind>(FFTW_REDFT00 + up_to(8)));
    }
  }
  return test;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int procs = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  int cases = 100;
  unsigned seed = 1;
  bool own_only = false;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--own-only") own_only = true;
    if (word == "--verbose") verbose = true;
    if (i + 1 == argc) break;
    if (word == "--cases") cases = std::atoi(argv[i + 1]);
    if (word == "--seed") seed = static_cast<unsigned>(std::atoi(argv[i + 1]));
  }
  Comparison<double> doubles(rank, own_only, "libfftw3_mpi.so.3");
  Comparison<float> floats(rank, own_only, "libfftw3f_mpi.so.3");
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(procs));
  int failed = 0;
  for (int i = 0; i < cases; ++i) {
    const Case test = random_case(random, procs);
    if (verbose && rank == 0) std::fprintf(stderr, "case %d: %s\n", i, test.text().c_str());
    const std::string wrong = i % 3 == 0 ? floats.run(test) : doubles.run(test);
    if (wrong.empty()) continue;
    ++failed;
    if (rank == 0)
      std::printf("FAILED case %d%s: %s: %s\n", i, i % 3 == 0 ? " float" : "", test.text().c_str(),
                  wrong.c_str());
  }
  const auto forwarded = kallima_fftw3_mpi_forwarded() + kallima_fftw3f_mpi_forwarded();
  if (rank == 0) {
    std::printf(
        "%d configurations, %d failed, %lld forwarded to FFTW's own library; that has no plan for "
        "%d, and computes %d otherwise than its manual says\n",
        cases, failed, static_cast<long long>(forwarded),
        doubles.without_plan() + floats.without_plan(), doubles.otherwise() + floats.otherwise());
  }
  MPI_Finalize();
  return failed == 0 && forwarded == 0 ? 0 : 1;
}

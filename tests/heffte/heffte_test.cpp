// SPDX-License-Identifier: BSD-3-Clause
//
// Random configurations through heFFTe's interface, against FFTW on the whole array: all kinds,
// boxes of random grids on random ranks, orders, fields, scaling, in place, vectors, both
// precisions.
//
//     mpirun -n P heffte_test [--cases N] [--seed S] [--verbose]
#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kallima/heffte.hpp"

namespace heffte = kallima::heffte_api;

namespace {

using Index = std::ptrdiff_t;
using Complex = std::complex<double>;
template <class I>
using Box = heffte::box3d<I>;

double value_of(Index number) {
  std::uint64_t x = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ULL + 977;
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 29;
  return static_cast<double>(x >> 11) / 9007199254740992.0 - 0.5;
}

struct Case {
  std::string kind;  // complex, reals, r2c, cosine, sine, cosine1, sine1
  std::array<int, 3> n{};
  int r2c = 0;
  int fields = 1;
  bool two_axes = false;
  heffte::scale scaling = heffte::scale::none;
  int way = 0;  // 0 pointers, 1 with workspace, 2 in place, 3 vectors
  std::array<int, 3> in_order{};
  std::array<int, 3> out_order{};
  unsigned seed = 0;

  [[nodiscard]] std::string text() const {
    std::ostringstream words;
    words << kind << ' ' << n[0] << 'x' << n[1] << 'x' << n[2] << " r2c " << r2c << " fields "
          << fields << " scaling " << static_cast<int>(scaling) << " way " << way << " orders "
          << in_order[0] << in_order[1] << in_order[2] << ' ' << out_order[0] << out_order[1]
          << out_order[2];
    return words.str();
  }
};

/// Boxes of a grid of at most so many ranks, dealt to the ranks in any order; some hold nothing.
template <class I>
std::vector<Box<I>> boxes_of(const Box<I>& world, int ranks, std::mt19937& random) {
  std::array<int, 3> grid = {1, 1, 1};
  int left = ranks;
  for (const std::size_t a : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
    const int most = static_cast<int>(std::min<I>(static_cast<I>(left), world.size[a]));
    grid[a] = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
    left /= grid[a];
  }
  if (random() % 3 == 0) {
    try {
      grid = heffte::proc_setup_min_surface(world, ranks);
    } catch (const std::invalid_argument&) {
    }
  }
  const std::vector<Box<I>> boxes = heffte::split_world(world, grid);
  std::vector<int> owners(static_cast<std::size_t>(ranks));
  std::iota(owners.begin(), owners.end(), 0);
  std::shuffle(owners.begin(), owners.end(), random);
  std::vector<Box<I>> result;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(owners[static_cast<std::size_t>(rank)]);
    result.push_back(at < boxes.size() ? boxes[at] : Box<I>({0, 0, 0}, {-1, -1, -1}));
  }
  return result;
}

/// visit(place in the array of a rank, index along each axis).
template <class I>
void each(const Box<I>& box, const std::function<void(Index, std::array<Index, 3>)>& visit) {
  if (box.empty()) return;
  Index place = 0;
  std::array<Index, 3> at{};
  const auto slow = static_cast<std::size_t>(box.order[2]);
  const auto mid = static_cast<std::size_t>(box.order[1]);
  const auto fast = static_cast<std::size_t>(box.order[0]);
  for (at[slow] = box.low[slow]; at[slow] <= box.high[slow]; ++at[slow]) {
    for (at[mid] = box.low[mid]; at[mid] <= box.high[mid]; ++at[mid]) {
      for (at[fast] = box.low[fast]; at[fast] <= box.high[fast]; ++at[fast]) visit(place++, at);
    }
  }
}

Index number_of(const std::array<Index, 3>& at, const std::array<int, 3>& n) {
  return at[0] + n[0] * (at[1] + n[1] * at[2]);
}

/// The whole transform of one field: frequencies by number_of(), of reals all of them.
std::vector<Complex> transformed(const Case& test, std::vector<Complex> data) {
  const std::array<int, 3> n = {test.n[2], test.n[1], test.n[0]};
  if (test.kind == "complex" || test.kind == "reals" || test.kind == "r2c") {
    auto* const memory = reinterpret_cast<fftw_complex*>(data.data());
    fftw_plan plan =
        fftw_plan_dft_3d(n[0], n[1], n[2], memory, memory, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return data;
  }
  const fftw_r2r_kind kind = test.kind == "cosine"    ? FFTW_REDFT10
                             : test.kind == "sine"    ? FFTW_RODFT10
                             : test.kind == "cosine1" ? FFTW_REDFT00
                                                      : FFTW_RODFT00;
  std::vector<double> reals(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) reals[i] = data[i].real();
  fftw_plan plan = fftw_plan_r2r_3d(n[0], n[1], n[2], reals.data(), reals.data(), kind, kind, kind,
                                    FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = reals[i];
  return data;
}

template <class E>
struct Real {
  using type = E;
};
template <class T>
struct Real<std::complex<T>> {
  using type = T;
};

template <class E>
E element(double re, double im) {
  using T = typename Real<E>::type;
  if constexpr (std::is_same_v<E, T>) {
    return static_cast<T>(re);
  } else {
    return E(static_cast<T>(re), static_cast<T>(im));
  }
}

/// Squares of differences and of what is expected, over all ranks.
struct Distance {
  std::array<double, 2> sums{};
  template <class E>
  void add(E is, Complex expected) {
    sums[0] += std::norm(Complex(is) - expected);
    sums[1] += std::norm(expected);
  }
  double relative() {
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sums[1] == 0.0 ? std::sqrt(sums[0]) : std::sqrt(sums[0] / sums[1]);
  }
};

template <class In, class Out, class Fft>
std::string compare(const Case& test, const Fft& fft) {
  using T = typename Real<In>::type;
  constexpr bool real_in = std::is_same_v<In, T>;
  constexpr bool real_out = std::is_same_v<Out, T>;
  const Index volume = Index{test.n[0]} * test.n[1] * test.n[2];
  std::vector<std::vector<Complex>> whole;
  for (int field = 0; field < test.fields; ++field) {
    std::vector<Complex> data(static_cast<std::size_t>(volume));
    for (Index i = 0; i < volume; ++i) {
      const double re = static_cast<T>(value_of(2 * (i + field * volume)));
      const double im = static_cast<T>(value_of(2 * (i + field * volume) + 1));
      data[static_cast<std::size_t>(i)] = Complex(re, real_in ? 0.0 : im);
    }
    whole.push_back(std::move(data));
  }
  const auto fields = static_cast<std::size_t>(test.fields);
  const auto in_size = static_cast<std::size_t>(fft.size_inbox());
  const auto out_size = static_cast<std::size_t>(fft.size_outbox());
  // In place the longer of both, in the larger type.
  const std::size_t room = fields * std::max(in_size, out_size) + 1;
  std::vector<In> in(fields * in_size);
  std::vector<Out> out(fields * out_size, Out(99));
  std::vector<std::complex<T>> both(room);
  std::vector<In> back(fields * in_size, In(77));
  for (std::size_t field = 0; field < fields; ++field) {
    each(fft.inbox(), [&](Index place, const std::array<Index, 3>& at) {
      const Complex value = whole[field][static_cast<std::size_t>(number_of(at, test.n))];
      in[field * in_size + static_cast<std::size_t>(place)] =
          element<In>(value.real(), value.imag());
    });
  }
  const std::vector<In> before = in;
  const heffte::scale undo = test.scaling == heffte::scale::none   ? heffte::scale::full
                             : test.scaling == heffte::scale::full ? heffte::scale::none
                                                                   : heffte::scale::symmetric;
  const bool several = test.fields > 1;
  auto* const place_in = reinterpret_cast<In*>(both.data());
  auto* const place_out = reinterpret_cast<Out*>(both.data());
  if (test.way == 2) {
    std::copy(in.begin(), in.end(), place_in);
    if (several) {
      fft.forward(test.fields, place_in, place_out, test.scaling);
    } else {
      fft.forward(place_in, place_out, test.scaling);
    }
    std::copy_n(place_out, out.size(), out.begin());
    if (several) {
      fft.backward(test.fields, place_out, place_in, undo);
    } else {
      fft.backward(place_out, place_in, undo);
    }
    std::copy_n(place_in, back.size(), back.begin());
  } else if (test.way == 3 && !several) {
    out = fft.forward(in, test.scaling);
    if constexpr (real_in && !real_out &&
                  std::is_same_v<decltype(fft.backward(out)), std::vector<Out>>) {
      back = fft.backward_real(out, undo);
    } else {
      back = fft.backward(out, undo);
    }
  } else if (test.way == 1) {
    std::vector<Out> workspace(fft.size_workspace());
    if (several) {
      fft.forward(test.fields, in.data(), out.data(), workspace.data(), test.scaling);
      fft.backward(test.fields, out.data(), back.data(), workspace.data(), undo);
    } else {
      fft.forward(in.data(), out.data(), workspace.data(), test.scaling);
      fft.backward(out.data(), back.data(), workspace.data(), undo);
    }
  } else if (several) {
    fft.forward(test.fields, in.data(), out.data(), test.scaling);
    fft.backward(test.fields, out.data(), back.data(), undo);
  } else {
    fft.forward(in.data(), out.data(), test.scaling);
    fft.backward(out.data(), back.data(), undo);
  }

  double factor = 1.0;
  if (test.scaling != heffte::scale::none) factor = fft.get_scale_factor(test.scaling);
  Distance there;
  Distance round;
  for (std::size_t field = 0; field < fields; ++field) {
    const std::vector<Complex> frequencies = transformed(test, whole[field]);
    each(fft.outbox(), [&](Index place, const std::array<Index, 3>& at) {
      there.add(out[field * out_size + static_cast<std::size_t>(place)],
                factor * frequencies[static_cast<std::size_t>(number_of(at, test.n))]);
    });
  }
  for (std::size_t i = 0; i < in.size(); ++i) round.add(back[i], Complex(before[i]));
  const double logical = 8.0 * static_cast<double>(volume);
  const double eps = std::numeric_limits<T>::epsilon();
  const double limit = 2.0 * std::max(eps, 1.5 * eps * std::sqrt(std::log2(logical)));
  const double error = there.relative();
  const double round_error = round.relative();
  int changed = in == before ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (changed != 0) return "the input was changed";
  if (error > limit) return "forward " + std::to_string(error / eps) + " eps";
  if (round_error > 2 * limit) return "and back " + std::to_string(round_error / eps) + " eps";
  return {};
}

template <class T, class I>
std::string run(const Case& test) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::mt19937 random(test.seed);
  const auto last = [](const std::array<int, 3>& n) {
    return std::array<I, 3>{n[0] - 1, n[1] - 1, n[2] - 1};
  };
  const Box<I> reals(std::array<I, 3>{0, 0, 0}, last(test.n), test.in_order);
  Box<I> frequencies(std::array<I, 3>{0, 0, 0}, last(test.n), test.out_order);
  const Box<I> halved = frequencies.r2c(test.r2c);
  const auto mine = static_cast<std::size_t>(rank);
  const std::vector<Box<I>> in = boxes_of(reals, ranks, random);
  const std::vector<Box<I>> out =
      boxes_of(test.kind == "r2c" ? halved : frequencies, ranks, random);
  const MPI_Comm comm = MPI_COMM_WORLD;
  using C = std::complex<T>;
  namespace backend = heffte::backend;
  if (test.kind == "r2c") {
    const auto fft = heffte::make_fft3d_r2c<backend::fftw>(in[mine], out[mine], test.r2c, comm);
    return compare<T, C>(test, fft);
  }
  if (test.kind == "complex") {
    return compare<C, C>(test, heffte::make_fft3d<backend::fftw>(in[mine], out[mine], comm));
  }
  if (test.kind == "reals") {
    return compare<T, C>(test, heffte::fft3d<backend::stock, I>(in[mine], out[mine], comm));
  }
  if (test.kind == "cosine") {
    return compare<T, T>(test, heffte::rtransform<backend::fftw_cos, I>(in[mine], out[mine], comm));
  }
  if (test.kind == "sine") {
    return compare<T, T>(test, heffte::rtransform<backend::mkl_sin, I>(in[mine], out[mine], comm));
  }
  if (test.kind == "cosine1") {
    return compare<T, T>(test,
                         heffte::rtransform<backend::stock_cos1, I>(in[mine], out[mine], comm));
  }
  return compare<T, T>(test, heffte::rtransform<backend::fftw_sin1, I>(in[mine], out[mine], comm));
}

Case random_case(std::mt19937& random) {
  const auto up_to = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  const std::array<const char*, 7> kinds = {"complex", "reals",   "r2c",  "r2c",
                                            "cosine",  "cosine1", "sine1"};
  Case test;
  test.kind = kinds[static_cast<std::size_t>(up_to(7))];
  if (test.kind == "cosine" && up_to(2) == 0) test.kind = "sine";
  for (int& n : test.n) n = 2 + up_to(14);
  if (test.kind != "cosine1" && up_to(4) == 0) test.n[static_cast<std::size_t>(up_to(3))] = 1;
  test.r2c = up_to(3);
  if (up_to(3) == 0) test.fields = 2 + up_to(3);
  test.scaling = static_cast<heffte::scale>(up_to(3));
  test.way = up_to(4);
  for (auto* order : {&test.in_order, &test.out_order}) {
    *order = {0, 1, 2};
    if (up_to(2) == 0) std::shuffle(order->begin(), order->end(), random);
  }
  test.seed = static_cast<unsigned>(random());
  return test;
}

/// What must be refused, alike on all ranks: words of the errors.
int refused(int rank, int ranks) {
  int failed = 0;
  const auto expect = [&](const char* what, const char* words, const std::function<void()>& call) {
    std::string said = "nothing";
    try {
      call();
    } catch (const std::invalid_argument& error) {
      said = error.what();
    }
    int wrong = said.find(words) == std::string::npos ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failed += wrong;
    if (wrong != 0 && rank == 0) std::printf("FAILED %s: %s\n", what, said.c_str());
  };
  using Fft = heffte::fft3d<heffte::backend::fftw>;
  const heffte::box3d<> world({0, 0, 0}, {7, 7, 7});
  const auto grid = heffte::proc_setup_min_surface(world, ranks);
  const heffte::box3d<> mine = heffte::split_world(world, grid)[static_cast<std::size_t>(rank)];
  const MPI_Comm comm = MPI_COMM_WORLD;
  expect("a box of nobody", "to nobody", [&] {
    const heffte::box3d<> cut({mine.low[0], mine.low[1], mine.low[2]},
                              {mine.high[0], mine.high[1], std::min(mine.high[2], 6)});
    const Fft fft(mine, cut, comm);
  });
  if (ranks > 1) {
    expect("boxes that overlap", "rank", [&] { const Fft fft(world, mine, comm); });
  }
  expect("frequencies of another shape", "8",
         [&] { const heffte::fft3d_r2c<heffte::backend::fftw> fft(mine, mine, 0, comm); });
  expect("a short vector", "holds", [&] {
    const Fft fft(mine, mine, comm);
    fft.forward(std::vector<std::complex<double>>(2));
  });
  expect("more ranks than indices", "no grid of 11", [&] {
    heffte::proc_setup_min_surface(heffte::box3d<>({0, 0, 0}, {4, 4, 4}), 11);
  });
  return failed;
}

/// Where every rank gives the whole box, each transforms an array of its own.
int own_arrays(int rank) {
  const heffte::box3d<> world({0, 0, 0}, {4, 5, 6});
  const heffte::fft3d<heffte::backend::fftw> fft(world, world, MPI_COMM_WORLD);
  std::vector<std::complex<double>> in(5 * 6 * 7, 1.0 + rank);
  const std::vector<std::complex<double>> out = fft.forward(in);
  const std::vector<std::complex<double>> back = fft.backward(out, heffte::scale::full);
  int wrong = std::abs(out[0] - 210.0 * (1.0 + rank)) > 1e-9 ? 1 : 0;
  for (std::size_t i = 1; i < out.size(); ++i) wrong |= std::abs(out[i]) > 1e-9 ? 1 : 0;
  for (std::size_t i = 0; i < in.size(); ++i) wrong |= std::abs(back[i] - in[i]) > 1e-12 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (wrong != 0 && rank == 0) std::printf("FAILED an array for each rank\n");
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int cases = 100;
  unsigned seed = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--verbose") verbose = true;
    if (i + 1 == argc) break;
    if (word == "--cases") cases = std::atoi(argv[i + 1]);
    if (word == "--seed") seed = static_cast<unsigned>(std::atoi(argv[i + 1]));
  }
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(ranks));
  int failed = refused(rank, ranks) + own_arrays(rank);
  for (int i = 0; i < cases; ++i) {
    const Case test = random_case(random);
    if (verbose && rank == 0) std::fprintf(stderr, "case %d: %s\n", i, test.text().c_str());
    std::string wrong;
    try {
      wrong = i % 3 == 0 ? run<float, int>(test) : run<double, long long>(test);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    if (wrong.empty()) continue;
    ++failed;
    if (rank == 0) std::printf("FAILED case %d: %s: %s\n", i, test.text().c_str(), wrong.c_str());
  }
  if (rank == 0) std::printf("%d configurations, %d failed\n", cases, failed);
  MPI_Finalize();
  return failed == 0 ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// apply() on MPI: it is forward, a function of every wavenumber and element, and backward, whatever
// the kinds of axes, layouts and methods; every frequency is visited once; what a function throws
// on one rank, all ranks throw.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/together.hpp"
#include "kallima/spectral.hpp"
#include "kallima/transform.hpp"
#include "support/configuration.hpp"
#include "support/random.hpp"

namespace kallima::test {
namespace {

constexpr double mark = 12345.0;

/// What frequencies are multiplied by: real, and the same for k and -k, so that reals stay real.
double multiplier(const Wavenumber& k, std::size_t axes) {
  double sum = 1.0;
  for (std::size_t a = 0; a < axes; ++a) {
    sum += static_cast<double>(a + 1) * k.component(a) * k.component(a);
  }
  return 1.0 / sum;
}

template <class E>
E element(double re, double im = 0.0) {
  if constexpr (requires(E e) { e.imag(); }) {
    using Part = typename E::value_type;
    return {static_cast<Part>(re), static_cast<Part>(im)};
  } else {
    return static_cast<E>(re);
  }
}

/// This rank's array: marks, and in its parts what chance says.
template <class E>
std::vector<E> filled(const Layout& layout, Index rank, std::uint64_t seed) {
  std::vector<E> data(static_cast<std::size_t>(layout.allocated_size(rank)), element<E>(mark));
  Random random(seed * 64 + static_cast<std::uint64_t>(rank));
  for (auto [index, value] : BasicView<E>(data, layout, rank).indexed()) {
    const auto some = [&] { return static_cast<double>(random.between(-1000, 1000)) * 1e-3; };
    value = element<E>(some(), some());
  }
  return data;
}

/// The largest difference within the parts, and whether all is the same beside them.
template <class E>
double distance(std::vector<E>& is, std::vector<E>& should, const Layout& layout, Index rank,
                Complaints& complaints) {
  double most = 0.0;
  std::vector<E> beside = is;
  const BasicView<E> parts(beside, layout, rank);
  for (auto [index, value] : parts.indexed()) {
    const auto at = static_cast<std::size_t>(&value - beside.data());
    most = std::max(most, static_cast<double>(std::abs(value - should[at])));
    value = element<E>(mark);
  }
  // (Padding is not preserved.)
  const bool kept =
      std::all_of(beside.begin(), beside.end(), [](E e) { return e == element<E>(mark); });
  complaints.expect(kept || layout.padding() > 0, "something beside the part was written");
  return most;
}

template <class Fft, class T>
struct Elements;
template <class T>
struct Elements<Transform<T>, T> {
  using Position = std::complex<T>;
  using Frequency = std::complex<T>;
};
template <class T>
struct Elements<RealTransform<T>, T> {
  using Position = T;
  using Frequency = std::complex<T>;
};
template <class T>
struct Elements<R2RTransform<T>, T> {
  using Position = T;
  using Frequency = T;
};

/// Two inputs: what forward makes of both, multiplied with each other.
template <class Fft, class T>
void check_two(const Fft& fft, const std::vector<typename Elements<Fft, T>::Position>& first,
               std::vector<typename Elements<Fft, T>::Position> second, Complaints& complaints) {
  using Position = typename Elements<Fft, T>::Position;
  using Frequency = typename Elements<Fft, T>::Frequency;
  const Layout& layout = fft.input_layout();
  const auto frequencies = [&](const std::vector<Position>& in) {
    std::vector<Frequency> result(
        static_cast<std::size_t>(fft.output_layout().allocated_size(fft.rank())));
    fft.run_memory(Direction::forward, in.data(), in.size(), result.data(), result.size());
    return result;
  };
  std::vector<Frequency> product = frequencies(first);
  const std::vector<Frequency> factor = frequencies(second);
  const BasicView<Frequency> all(product, fft.output_layout(), fft.rank(), fft.spectrum());
  for (auto [k, value] : all.wavenumbers()) {
    value *= factor[static_cast<std::size_t>(&value - product.data())];
  }
  std::vector<Position> wanted(first.size(), element<Position>(mark));
  fft.run_memory(Direction::backward, product.data(), product.size(), wanted.data(), wanted.size());
  double largest = 1.0;
  for (auto [index, value] : BasicView<Position>(wanted, layout, fft.rank()).indexed()) {
    largest = std::max(largest, static_cast<double>(std::abs(value)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double close = (sizeof(T) == 4 ? 2e-5 : 2e-13) * largest;
  std::vector<Position> out(first.size(), element<Position>(mark));
  fft.apply(
      first, second, out,
      [](const Wavenumber& /*k*/, Frequency& value, const Frequency& other) { value *= other; });
  complaints.expect(distance(out, wanted, layout, fft.rank(), complaints) <= close,
                    "the product of two is another");
  fft.apply(first, second, second,
            [](const Row<Frequency>& row, const Row<const Frequency>& other) {
              for (Index i = 0; i < row.size(); ++i) row[i] *= other[i];
            });
  complaints.expect(distance(second, wanted, layout, fft.rank(), complaints) <= close,
                    "the product of two is another, by rows and in place of the second");
}

template <class Fft, class T>
void check(const Configuration& c, std::uint64_t seed, Complaints& complaints) {
  using Position = typename Elements<Fft, T>::Position;
  using Frequency = typename Elements<Fft, T>::Frequency;
  const Fft fft(MPI_COMM_WORLD, c.shape, c.options);
  const Layout& layout = fft.input_layout();
  const Index rank = fft.rank();
  const std::size_t axes = c.shape.size();
  std::vector<Position> in = filled<Position>(layout, rank, seed);
  const std::vector<Position> before = in;

  std::vector<Position> wanted(in.size(), element<Position>(mark));
  std::vector<Frequency> spectrum(
      static_cast<std::size_t>(fft.output_layout().allocated_size(rank)));
  fft.run_memory(Direction::forward, in.data(), in.size(), spectrum.data(), spectrum.size());
  const BasicView<Frequency> all(spectrum, fft.output_layout(), rank, fft.spectrum());
  for (auto [k, value] : all.wavenumbers()) value *= static_cast<T>(multiplier(k, axes));
  fft.run_memory(Direction::backward, spectrum.data(), spectrum.size(), wanted.data(),
                 wanted.size());

  std::atomic<Index> visited = 0;
  std::vector<Position> out(in.size(), element<Position>(mark));
  const double largest =
      c.options.scaling == Scaling::none ? static_cast<double>(c.problem().logical_size()) : 1.0;
  const double close = (sizeof(T) == 4 ? 2e-5 : 2e-13) * largest;
  for (int repeat = 0; repeat < 2; ++repeat) {
    fft.apply(in, out, [&](const Wavenumber& k, Frequency& value) {
      value *= static_cast<T>(multiplier(k, axes));
      ++visited;
    });
  }
  complaints.expect(distance(out, wanted, layout, rank, complaints) <= close,
                    "other than forward and backward");
  complaints.expect(in == before, "the input was written");
  Index visits = visited;
  MPI_Allreduce(MPI_IN_PLACE, &visits, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  complaints.equal(visits, 2 * volume(c.problem().frequency_shape()), "frequencies visited");

  fft.apply(in, in, [&](const Row<Frequency>& row) {
    for (Index i = 0; i < row.size(); ++i) {
      row[i] *= static_cast<T>(multiplier(row.wavenumber(i), axes));
    }
  });
  complaints.expect(distance(in, wanted, layout, rank, complaints) <= close,
                    "other by rows in place");
  check_two<Fft, T>(fft, before, filled<Position>(layout, rank, seed + 1000), complaints);
}

template <class T>
void check_kind(const Configuration& c, std::uint64_t seed, Complaints& complaints) {
  if (c.kind == Kind::r2c) return check<RealTransform<T>, T>(c, seed, complaints);
  if (c.kind == Kind::r2r) return check<R2RTransform<T>, T>(c, seed, complaints);
  check<Transform<T>, T>(c, seed, complaints);
}

void all_configurations(Together& all, Kind kind, int count) {
  for (int number = 0; number < count; ++number) {
    Configuration c =
        make_configuration(31, static_cast<std::uint64_t>(number), all.ranks(), true, kind);
    if (c.options.padded && c.kind != Kind::r2c) continue;
    if (number % 5 == 0) c.options.threads = 2;
    all.run("apply " + c.to_text(), [&](Complaints& complaints) {
      const auto seed = static_cast<std::uint64_t>(number);
      if (c.single) {
        check_kind<float>(c, seed, complaints);
      } else {
        check_kind<double>(c, seed, complaints);
      }
    });
  }
}

void usual_sizes(Together& all) {
  for (const char* const text : {"c2c:32x24x20", "r2c:24x20x18", "r2c:16x30", "c2c:64x48",
                                 "c2c:1024", "r2c:1024", "r2c:60", "c2c:12x10x8x6"}) {
    Configuration c;
    const Problem problem = Problem::parse(text);
    c.shape = problem.shape;
    c.kind = problem.kind;
    c.ranks = all.ranks();
    for (const Scaling scaling : {Scaling::by_n, Scaling::by_sqrt_n, Scaling::by_n_forward}) {
      c.options.scaling = scaling;
      all.run(std::string("apply ") + text,
              [&](Complaints& complaints) { check_kind<double>(c, 7, complaints); });
    }
  }
}

void its_plan_is_explained(Together& all) {
  all.run("explain", [&](Complaints& complaints) {
    const RealTransform<double> fft(MPI_COMM_WORLD, {24, 20, 18});
    auto u = fft.make_input();
    complaints.expect(fft.explain().find("apply()") == std::string::npos, "before it was called");
    fft.apply(u, u, laplacian());
    const std::string text = fft.explain();
    complaints.expect(text.find("apply(): plan r2c:24x20x18:f64") != std::string::npos &&
                          text.find(" and back", text.find("apply()")) != std::string::npos,
                      text);
  });
}

void power_spectra(Together& all) {
  const RealTransform<double> fft(MPI_COMM_WORLD, {8, 12, 10});
  auto u_k = fft.make_output();
  all.run("power spectrum", [&](Complaints& complaints) {
    for (auto [k, value] : u_k.wavenumbers()) value = {k.squared(), 0.0};
    const std::vector<Shell> shells = power_spectrum(MPI_COMM_WORLD, u_k);
    Index modes = 0;
    for (const Shell& shell : shells) modes += shell.modes;
    complaints.equal(modes, Index{8 * 12 * 10}, "modes of the whole spectrum");
    complaints.equal(shells[1].modes, Index{18}, "modes with |k| of about 1");
    // 6 with k^2 = 1 and 12 with 2, whose |k| is 1.41.
    complaints.expect(std::abs(shells[1].power - (6. + 12. * 4.) / 18.) < 1e-12, "mean power");
    complaints.expect(std::abs(shells[1].k - (6. + 12. * std::sqrt(2.)) / 18.) < 1e-12, "mean |k|");
  });
  const auto refuse = [&](const std::string& code, double mine, double others) {
    expect_refused(all, "power spectrum of other widths", code,
                   [&] { power_spectrum(MPI_COMM_WORLD, u_k, all.rank() == 0 ? mine : others); });
  };
  refuse("invalid_option", 0., 1.);
  if (all.ranks() > 1) refuse("mismatched_arguments", 1., 2.);
}

void what_is_thrown_is_thrown_everywhere(Together& all) {
  all.run("a function that throws on one rank", [&](Complaints& complaints) {
    const Transform<double> fft(MPI_COMM_WORLD, {16, 12, 10});
    auto u = fft.make_input();
    const auto go = [&](int thrower) {
      return thrown_by([&] {
        fft.apply(u, u, [&](const auto& /*row*/) {
          if (all.rank() == thrower) throw std::runtime_error("no such density");
        });
      });
    };
    complaints.equal(static_cast<int>(go(-1).size()), 0, "characters of an error");
    const std::string text = go(all.ranks() - 1);
    complaints.expect(text.find("no such density") != std::string::npos,
                      "thrown is '" + text + "'");
    complaints.expect(same_everywhere(text), "ranks differ: " + text);
    complaints.expect(!go(-1).empty(), "it is still usable");
  });
}

int run() {
  Together all;
  usual_sizes(all);
  all_configurations(all, Kind::c2c, 30);
  all_configurations(all, Kind::r2c, 30);
  all_configurations(all, Kind::r2r, 20);
  its_plan_is_explained(all);
  power_spectra(all);
  return all.finish("applications");
}

/// By themselves: a communicator on which a call has failed is never freed.
int run_throwing() {
  Together all;
  what_is_thrown_is_thrown_everywhere(all);
  return all.finish("applications that throw");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  using namespace kallima::test;
  return under_mpi(argc, argv, argc > 1 ? run_throwing : run);
}

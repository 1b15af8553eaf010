// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of real data, all ranks in one process: the frequencies of the definition, and back.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "support/reference.hpp"

namespace kallima {
namespace {

using test::flat_part;

/// The multi-index of a flat one.
std::vector<Index> unflat(Index flat, const Shape& shape) {
  std::vector<Index> index(shape.size());
  for (std::size_t a = shape.size(); a-- > 0;) {
    index[a] = flat % shape[a];
    flat /= shape[a];
  }
  return index;
}

double number(Index flat) { return std::sin(1.0 + 12.9898 * static_cast<double>(flat)); }

/// The frequency of the definition at an index.
std::complex<long double> frequency(const Shape& shape, const std::vector<Index>& k) {
  static std::map<std::pair<Shape, std::vector<Index>>, std::complex<long double>> known;
  const auto found = known.find({shape, k});
  if (found != known.end()) return found->second;
  std::complex<long double> sum = 0;
  for (Index flat = 0; flat < volume(shape); ++flat) {
    const std::vector<Index> x = unflat(flat, shape);
    long double turns = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      turns +=
          static_cast<long double>(x[a] * k[a] % shape[a]) / static_cast<long double>(shape[a]);
    }
    const long double angle = -2 * std::numbers::pi_v<long double> * turns;
    sum += static_cast<long double>(number(flat)) *
           std::complex<long double>(std::cos(angle), std::sin(angle));
  }
  known[{shape, k}] = sum;
  return sum;
}

template <class T>
void check(const PlanRequest& request) {
  const Plan plan = make_plan(request);
  SCOPED_TRACE(plan.to_text());
  ASSERT_EQ(Plan::parse(plan.to_text()), plan);
  const Shape& shape = request.problem.shape;
  const auto ranks = static_cast<std::size_t>(plan.ranks());
  std::vector<std::vector<T>> reals(ranks);
  std::vector<std::vector<T>> returned(ranks);
  std::vector<std::vector<std::complex<T>>> frequencies(ranks);
  std::vector<const std::complex<T>*> in(ranks);
  std::vector<std::complex<T>*> out(ranks);
  std::vector<const std::complex<T>*> in_back(ranks);
  std::vector<std::complex<T>*> out_back(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<Index>(r);
    for (const Index flat : flat_part(plan.input(), rank)) {
      reals[r].push_back(static_cast<T>(number(flat)));
    }
    returned[r].resize(reals[r].size());
    frequencies[r].resize(static_cast<std::size_t>(plan.output().local_size(rank)));
    in[r] = reinterpret_cast<const std::complex<T>*>(reals[r].data());
    out[r] = frequencies[r].data();
    in_back[r] = frequencies[r].data();
    out_back[r] = reinterpret_cast<std::complex<T>*>(returned[r].data());
  }
  exec::Loopback<T> forward(plan, false);
  forward.run(in, out, T{1});
  const double bound = 20 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                       std::sqrt(static_cast<double>(volume(shape))) *
                       std::max(1.0, std::log2(static_cast<double>(volume(shape))));
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.output(), static_cast<Index>(r));
    for (std::size_t i = 0; i < flats.size(); ++i) {
      const auto want = frequency(shape, unflat(flats[i], request.problem.frequency_shape()));
      const std::complex<long double> got(frequencies[r][i]);
      ASSERT_LE(static_cast<double>(std::abs(got - want)), bound);
    }
  }
  const auto before = frequencies;
  exec::Loopback<T> backward(plan.reversed(), false);
  backward.run(in_back, out_back, T{1} / static_cast<T>(volume(shape)));
  EXPECT_EQ(frequencies, before) << "the input was written";
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t i = 0; i < reals[r].size(); ++i) {
      ASSERT_LE(static_cast<double>(std::abs(returned[r][i] - reals[r][i])), bound);
    }
  }
}

TEST(Real, every_axis_can_be_the_r2c_axis_on_any_number_of_ranks) {
  for (const Shape& shape : {Shape{8, 6, 5}, Shape{5, 6, 8}, Shape{4, 9}, Shape{7, 1, 2},
                             Shape{1, 5}, Shape{3, 4, 5, 2}, Shape{16, 16}}) {
    for (Index ranks = 1; ranks <= 5; ++ranks) {
      for (std::size_t r2c_axis = 0; r2c_axis < shape.size(); ++r2c_axis) {
        for (const ExchangeMethod method :
             {ExchangeMethod::point_to_point, ExchangeMethod::shared_memory,
              ExchangeMethod::alltoallv}) {
          PlanRequest request;
          request.problem = {shape, Precision::f64, Kind::r2c, static_cast<int>(r2c_axis)};
          request.ranks = ranks;
          request.method = method;
          check<double>(request);
          if (HasFatalFailure()) return;
          request.problem.precision = Precision::f32;
          request.in = Layout::slab(shape, std::min(ranks, shape[r2c_axis]), r2c_axis);
          check<float>(request);
          if (HasFatalFailure()) return;
          request.out = Layout::slab(request.problem.frequency_shape(), 1, 0);
          check<float>(request);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Real, one_axis_is_split_wherever_its_digits_can_be_cyclic) {
  for (const Index n : {4,  6,  8,  9,  12, 16, 18, 25,  27,  32,  36,  45,
                        48, 50, 64, 72, 75, 81, 96, 100, 125, 128, 144, 180}) {
    for (Index ranks = 1; ranks <= 6; ++ranks) {
      for (const ExchangeMethod method :
           {ExchangeMethod::point_to_point, ExchangeMethod::shared_memory,
            ExchangeMethod::alltoallv}) {
        PlanRequest request;
        request.problem = {{n}, Precision::f64, Kind::r2c, -1};
        request.ranks = ranks;
        request.method = method;
        check<double>(request);
        if (HasFatalFailure()) return;
        request.in = Layout::block({n}, {ranks});
        check<double>(request);
        if (HasFatalFailure()) return;
        request.out = Layout::block({n / 2 + 1}, {ranks});
        check<double>(request);
        if (HasFatalFailure()) return;
        request.in = Layout::cyclic({n}, {ranks});
        request.out = Layout::cyclic({n / 2 + 1}, {ranks});
        check<double>(request);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Real, a_ride_of_reals_moves_half_and_a_quarter_of_the_frequencies) {
  PlanRequest request;
  request.problem = Problem::parse("r2c:2^12");
  request.ranks = 4;
  const Plan plan = make_plan(request);
  EXPECT_EQ(plan.exchanges(), 2) << plan.to_text();
  EXPECT_EQ(plan.input(), Layout::cyclic({4096}, {4}));
  EXPECT_EQ(plan.output(), Layout::cyclic({2049}, {4}));
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// The check of `bench --verify` is checked itself: against the definition of the transform, and
// with arrays that are wrong in one element.
#include "bench/verify.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <numbers>
#include <set>

#include "bench/numbers.hpp"

namespace kallima::cli {

namespace {

int comm_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int comm_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// This rank's part of the input in a layout.
template <class T>
struct Part {
  explicit Part(const Layout& layout)
      : data(static_cast<std::size_t>(layout.local_size(comm_rank()))),
        view(data, layout, comm_rank()) {
    fill(view);
  }

  std::vector<std::complex<T>> data;
  View<T> view;
};

MultiIndex index_of(Index flat, const Shape& shape) {
  MultiIndex index;
  for (std::size_t a = shape.size(); a-- > 0; flat /= shape[a]) index[a] = flat % shape[a];
  return index;
}

/// One output, term by term from the definition.
template <class T>
Wide by_definition(const Shape& shape, const MultiIndex& frequency, Direction direction) {
  Wide sum = 0.0L;
  for (Index flat = 0; flat < volume(shape); ++flat) {
    const MultiIndex at = index_of(flat, shape);
    long double turns = 0.0L;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      turns += static_cast<long double>(frequency[a] * at[a] % shape[a]) /
               static_cast<long double>(shape[a]);
    }
    const long double sign = direction == Direction::forward ? -1.0L : 1.0L;
    const std::complex<T> value = element_at<std::complex<T>>(flat);
    sum += Wide(value.real(), value.imag()) *
           std::polar(1.0L, sign * 2.0L * std::numbers::pi_v<long double> * turns);
  }
  return sum;
}

template <class T>
void expect_definition(const Layout& layout, Direction direction) {
  const Part<T> part(layout);
  const std::vector<MultiIndex> samples = sampled_indices(layout.shape(), 8);
  const std::vector<Wide> got =
      direct_sums(MPI_COMM_WORLD, part.view, {layout.shape()}, samples, direction, [](double) {});
  std::vector<Wide> want;
  for (const MultiIndex& sample : samples) {
    want.push_back(by_definition<T>(layout.shape(), sample, direction));
  }
  EXPECT_LE(relative_error(got, want, 1.0L), 1e-17) << layout.to_text();
}

TEST(verify, direct_sums_follow_the_definition_in_every_layout) {
  const Index p = comm_size();
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    expect_definition<double>(Layout::slab({7, 6, 5}, p), direction);
    expect_definition<float>(Layout::cyclic({7, 6, 5}, {1, p, 1}), direction);
    expect_definition<double>(Layout::cyclic({201}, {p}), direction);
    expect_definition<double>(Layout::block({9, 10}, {1, p}).with_order({1, 0}), direction);
  }
}

TEST(verify, axes_beyond_one_table_of_roots_are_right_too) {
  expect_definition<double>(Layout::cyclic({20011}, {comm_size()}), Direction::forward);
}

TEST(verify, products_modulo_n_do_not_overflow) {
  const Index n = (Index{1} << 62) - 57;
  EXPECT_EQ(product_modulo(5, 7, 11), 2);
  EXPECT_EQ(product_modulo(n - 1, n - 1, n), 1);  // (-1)(-1)
  EXPECT_EQ(product_modulo(n - 2, Index{1} << 40, n), n - (Index{1} << 41));
}

TEST(verify, samples_are_different_and_all_where_there_are_few) {
  for (const Shape& shape : {Shape{3, 4}, Shape{65}, Shape{1000, 1000}}) {
    const Index wanted = std::min<Index>(64, volume(shape));
    std::set<Index> seen;
    for (const MultiIndex& index : sampled_indices(shape, 64))
      seen.insert(flat_place(index, shape));
    EXPECT_EQ(static_cast<Index>(seen.size()), wanted);
  }
}

TEST(verify, one_wrong_element_is_seen) {
  const Layout layout = Layout::slab({12, 5}, comm_size());
  Part<double> part(layout);
  EXPECT_EQ(distance_from_input(MPI_COMM_WORLD, part.view, 1.0L), 0.0);
  if (comm_rank() == 0) part.data[3] += 1e-9;
  const double distance = distance_from_input(MPI_COMM_WORLD, part.view, 1.0L);
  EXPECT_GT(distance, 1e-11);
  EXPECT_LT(distance, 1e-9);

  const std::vector<MultiIndex> samples = sampled_indices(layout.shape(), 64);
  std::vector<Wide> got = elements_at(MPI_COMM_WORLD, part.view, samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::complex<double> want =
        element_at<std::complex<double>>(flat_place(samples[i], layout.shape()));
    const bool wrong = flat_place(samples[i], layout.shape()) == 3;
    EXPECT_EQ(got[i] == Wide(want.real(), want.imag()), !wrong);
  }
}

}  // namespace

}  // namespace kallima::cli

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>

#include "planner/decompositions.hpp"

#include "base/checked.hpp"

namespace kallima {
namespace {

Index product(const std::vector<Index>& values) {
  return std::accumulate(values.begin(), values.end(), Index{1}, std::multiplies<>());
}

Index largest_local(const Shape& shape, const std::vector<Index>& procs) {
  Index size = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) size *= ceil_div(shape[a], procs[a]);
  return size;
}

/// The smallest largest local array of all grids of at most `ranks`.
Index best_of_all(const Shape& shape, const std::vector<std::size_t>& cut, std::size_t i,
                  Index ranks, std::vector<Index>& procs) {
  if (i == cut.size()) return largest_local(shape, procs);
  Index best = std::numeric_limits<Index>::max();
  for (Index p = 1; p <= std::min(ranks, shape[cut[i]]); ++p) {
    procs[cut[i]] = p;
    best = std::min(best, best_of_all(shape, cut, i + 1, ranks / p, procs));
  }
  procs[cut[i]] = 1;
  return best;
}

void check_grid(const Shape& shape, const std::vector<std::size_t>& cut, Index ranks) {
  const std::vector<Index> procs = process_grid(shape, cut, ranks);
  ASSERT_EQ(procs.size(), shape.size());
  ASSERT_LE(product(procs), ranks);
  for (std::size_t a = 0; a < shape.size(); ++a) {
    ASSERT_GE(procs[a], 1);
    ASSERT_LE(procs[a], shape[a]);
    if (std::find(cut.begin(), cut.end(), a) == cut.end()) {
      ASSERT_EQ(procs[a], 1) << "axis " << a << " was not to be cut";
    }
  }
}

TEST(Deal, only_the_given_axes_are_cut_and_never_beyond_their_extent) {
  const std::vector<Shape> shapes = {{1, 1, 1},   {4, 4, 4},         {3, 100, 7},
                                     {1280, 960}, {1000003, 2, 999}, {64, 64, 64, 64}};
  for (const Shape& shape : shapes) {
    for (Index ranks = 1; ranks <= 300; ++ranks) {
      check_grid(shape, {0, 1}, ranks);
      check_grid(shape, {1}, ranks);
      check_grid(shape, {}, ranks);
      ASSERT_FALSE(HasFatalFailure()) << ranks << " ranks";
    }
    for (const Index ranks : {1021, 4096, 6144, 65536, 99991, 1048576, 2147483647}) {
      check_grid(shape, {0, 1}, ranks);
      ASSERT_FALSE(HasFatalFailure()) << ranks << " ranks";
    }
  }
}

TEST(Deal, grids_are_close_to_the_best_of_all_grids) {
  const std::vector<Shape> shapes = {{8, 8},       {5, 7},      {16, 3},    {100, 100},
                                     {97, 89},     {1, 6, 6},   {12, 5, 9}, {7, 11, 13},
                                     {2, 3, 5, 7}, {1280, 1280}};
  for (const Shape& shape : shapes) {
    std::vector<std::size_t> cut(shape.size());
    std::iota(cut.begin(), cut.end(), 0U);
    for (Index ranks = 1; ranks <= 130; ++ranks) {
      std::vector<Index> procs(shape.size(), 1);
      const Index best = best_of_all(shape, cut, 0, ranks, procs);
      const Index distributed = largest_local(shape, process_grid(shape, cut, ranks));
      ASSERT_LE(4 * distributed, 5 * best) << ranks << " ranks, " << shape[0] << "x" << shape[1];
    }
  }
}

TEST(Deal, square_grids_and_divisors_are_found) {
  EXPECT_EQ(process_grid({64, 64, 64}, {0, 1}, 16), (std::vector<Index>{4, 4, 1}));
  EXPECT_EQ(process_grid({64, 64, 64}, {0, 1, 2}, 64), (std::vector<Index>{4, 4, 4}));
  EXPECT_EQ(process_grid({60, 64}, {0, 1}, 6), (std::vector<Index>{3, 2}));
  EXPECT_EQ(process_grid({32768, 32768, 32768}, {0, 1}, 1048576),
            (std::vector<Index>{1024, 1024, 1}));
}

TEST(Deal, a_prime_number_of_ranks_does_not_waste_most_of_them) {
  // 127 ranks on 64 x 64: 126 = 9 x 14 do nearly as well as 128 would.
  const std::vector<Index> procs = process_grid({64, 64}, {0, 1}, 127);
  EXPECT_GT(product(procs), 100);
  EXPECT_LE(largest_local({64, 64}, procs), 40);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "fft/copy.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

namespace kallima::fft {
namespace {

/// Of a plane.
struct PlaneStrides {
  Index outer;
  Index inner;
};

template <class E>
class CopyPlane : public ::testing::Test {};

using Elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CopyPlane, Elements);

/// Copies with the kernel and with a plain loop; the whole target is compared, so that an element
/// written beyond the plane is seen too.
template <class E>
void check_copy(Index rows, Index columns, const PlaneStrides& to, const PlaneStrides& from) {
  const auto extent = [&](const PlaneStrides& s) {
    return rows == 0 || columns == 0 ? Index{0}
                                     : (rows - 1) * s.outer + (columns - 1) * s.inner + 1;
  };
  std::vector<E> source(static_cast<std::size_t>(extent(from) + 3));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<E>(static_cast<float>(i));
  std::vector<E> fast(static_cast<std::size_t>(extent(to) + 3), E(-1));
  std::vector<E> slow = fast;
  std::vector<E> past_caches = fast;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      slow[static_cast<std::size_t>(i * to.outer + j * to.inner)] =
          source[static_cast<std::size_t>(i * from.outer + j * from.inner)];
    }
  }
  copy_plane<E>({fast.data(), to.outer, to.inner}, {source.data(), from.outer, from.inner}, rows,
                columns);
  ASSERT_EQ(fast, slow) << rows << " x " << columns << ", to " << to.outer << " " << to.inner
                        << ", from " << from.outer << " " << from.inner;
  stream_plane<E>({past_caches.data(), to.outer, to.inner}, {source.data(), from.outer, from.inner},
                  rows, columns);
  ASSERT_EQ(past_caches, slow) << rows << " x " << columns << ", to " << to.outer << " " << to.inner
                               << ", from " << from.outer << " " << from.inner;
}

/// Strides of a plane whose elements do not coincide, rows or columns the closer ones.
PlaneStrides random_strides(std::mt19937& random, Index rows, Index columns) {
  const auto up_to = [&](Index most) {
    return 1 + static_cast<Index>(random() % static_cast<unsigned>(most));
  };
  const Index close = random() % 2 == 0 ? 1 : up_to(4);
  if (random() % 2 == 0) return {std::max<Index>(1, close * columns) - 1 + up_to(3), close};
  return {close, std::max<Index>(1, close * rows) - 1 + up_to(3)};
}

TYPED_TEST(CopyPlane, any_strides_copy_what_a_plain_loop_copies) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 5000; ++trial) {
    const auto rows = static_cast<Index>(random() % 9);
    const auto columns = static_cast<Index>(random() % 40);
    const PlaneStrides to = random_strides(random, rows, columns);
    const PlaneStrides from = random_strides(random, rows, columns);
    check_copy<TypeParam>(rows, columns, to, from);
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

TYPED_TEST(CopyPlane, contiguous_transposed_and_repeated_planes_are_right) {
  check_copy<TypeParam>(7, 5, {5, 1}, {5, 1});    // both contiguous
  check_copy<TypeParam>(7, 5, {5, 1}, {1, 7});    // turned
  check_copy<TypeParam>(7, 5, {1, 7}, {5, 1});    // turned the other way
  check_copy<TypeParam>(7, 5, {1, 7}, {1, 7});    // contiguous down
  check_copy<TypeParam>(7, 5, {10, 2}, {15, 3});  // contiguous nowhere
  check_copy<TypeParam>(1, 5, {1, 1}, {1, 1});    // one row
  check_copy<TypeParam>(7, 1, {1, 1}, {1, 1});    // one column
  check_copy<TypeParam>(7, 5, {5, 1}, {0, 1});    // one row read again and again
}

TYPED_TEST(CopyPlane, an_empty_plane_touches_nothing) {
  check_copy<TypeParam>(0, 5, {5, 1}, {5, 1});
  check_copy<TypeParam>(5, 0, {5, 1}, {1, 5});
  check_copy<TypeParam>(0, 0, {1, 1}, {1, 1});
}

}  // namespace
}  // namespace kallima::fft

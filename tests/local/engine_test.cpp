// SPDX-License-Identifier: BSD-3-Clause
//
// The engine against the definition of the transform, summed up in long double.
#include "local/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "kallima/buffer.hpp"

namespace kallima::local {
namespace {

using Long = std::complex<long double>;

/// A tile aligned as the engine wants it.
template <class T>
class Tile {
 public:
  explicit Tile(const TileShape& shape)
      : shape_(shape),
        buffer_(host_memory(), shape.size() * static_cast<Index>(sizeof(std::complex<T>)), "tile") {
  }
  [[nodiscard]] std::complex<T>* data() const {
    return reinterpret_cast<std::complex<T>*>(buffer_.view().data);
  }
  [[nodiscard]] std::complex<T>& at(Index line, Index element) const {
    return data()[line * shape_.line_stride() + element * shape_.element_stride()];
  }
  void fill(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    const auto number = [&] {
      return static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
    };
    for (Index i = 0; i < shape_.size(); ++i) {
      const T real = number();
      data()[i] = {real, number()};
    }
  }
  [[nodiscard]] std::vector<std::complex<T>> line(Index which) const {
    std::vector<std::complex<T>> result;
    for (Index i = 0; i < shape_.length; ++i) result.push_back(at(which, i));
    return result;
  }

 private:
  TileShape shape_;
  Buffer buffer_;
};

/// Sum of x[j] exp(sign 2 pi i j k / n), by definition.
template <class T>
std::vector<Long> slow_transform(const std::vector<std::complex<T>>& x, int sign) {
  const std::size_t n = x.size();
  std::vector<Long> root(n);
  for (std::size_t m = 0; m < n; ++m) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(m) /
                              static_cast<long double>(n);
    root[m] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  std::vector<Long> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) result[k] += Long(x[j]) * root[j * k % n];
  }
  return result;
}

template <class T>
double relative_error(const std::vector<std::complex<T>>& got, const std::vector<Long>& wanted) {
  long double difference = 0;
  long double size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += std::norm(Long(got[i]) - wanted[i]);
    size += std::norm(wanted[i]);
  }
  return static_cast<double>(std::sqrt(difference / size));
}

template <class T>
class Engines : public ::testing::Test {};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Engines, Precisions);

TYPED_TEST(Engines, transforms_are_those_of_the_definition) {
  using T = TypeParam;
  std::vector<Index> lengths = {41, 61, 64, 97, 127, 128, 211};
  for (Index n = 1; n <= 40; ++n) lengths.push_back(n);
  for (const Index n : lengths) {
    for (const Index lines : {1, 3, 8}) {
      for (const bool interleaved : {false, true}) {
        for (const int sign : {-1, 1}) {
          TileShape shape{n, lines, interleaved};
          // Rows with a gap behind them, and lines a few at a time.
          if (n % 2 == 0) shape.row = shape.row_stride() + 64 / static_cast<Index>(sizeof(T));
          if (n % 4 == 0 && lines == 8) shape.chunk = 4;
          const Tile<T> tile(shape);
          const Engine<T> engine(shape, sign, Effort::estimate, false, tile.data());
          tile.fill(static_cast<std::uint64_t>(n * 16 + lines));
          std::vector<std::vector<Long>> wanted;
          for (Index l = 0; l < lines; ++l) wanted.push_back(slow_transform(tile.line(l), sign));
          engine.run(tile.data());
          for (Index l = 0; l < lines; ++l) {
            const double log = std::log2(static_cast<double>(n));
            const double bound = static_cast<double>(std::numeric_limits<T>::epsilon()) *
                                 std::max(1.0, 1.5 * std::sqrt(log));
            ASSERT_LE(relative_error(tile.line(l), wanted[static_cast<std::size_t>(l)]), bound)
                << n << " x " << lines << (interleaved ? " interleaved" : "") << ", sign " << sign;
          }
        }
      }
    }
  }
}

TYPED_TEST(Engines, backward_undoes_forward_up_to_the_length) {
  using T = TypeParam;
  for (const Index n : {1, 2, 7, 12, 100, 101, 1024}) {
    const TileShape shape{n, 4, true};
    const Tile<T> tile(shape);
    const Engine<T> forward(shape, -1, Effort::estimate, false, tile.data());
    const Engine<T> backward(shape, 1, Effort::estimate, false, tile.data());
    tile.fill(7);
    const Tile<T> before(shape);
    before.fill(7);
    forward.run(tile.data());
    backward.run(tile.data());
    for (Index i = 0; i < shape.size(); ++i) {
      const std::complex<T> back = tile.data()[i] / static_cast<T>(n);
      ASSERT_LE(std::abs(back - before.data()[i]), 20 * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(Engines, a_line_does_not_depend_on_its_neighbours_bit_for_bit) {
  using T = TypeParam;
  for (const Index n : {5, 16, 31, 60, 128}) {
    for (const bool interleaved : {false, true}) {
      const TileShape shape{n, 8, interleaved};
      const Tile<T> full(shape);
      const Tile<T> padded(shape);
      const Engine<T> engine(shape, -1, Effort::estimate, false, full.data());
      full.fill(3);
      padded.fill(3);
      for (Index l = 3; l < 8; ++l) {
        for (Index i = 0; i < n; ++i) padded.at(l, i) = 0;
      }
      engine.run(full.data());
      engine.run(padded.data());
      for (Index l = 0; l < 3; ++l) ASSERT_EQ(full.line(l), padded.line(l));
    }
  }
}

TYPED_TEST(Engines, the_same_plan_gives_the_same_bits_in_any_tile) {
  using T = TypeParam;
  const TileShape shape{48, 8, true};
  const Tile<T> planned(shape);
  const Tile<T> other(shape);
  const Engine<T> engine(shape, -1, Effort::measure, false, planned.data());
  const Engine<T> again(shape, -1, Effort::measure, true, other.data());
  planned.fill(11);
  other.fill(11);
  engine.run(planned.data());
  again.run(other.data());
  for (Index l = 0; l < shape.lines; ++l) EXPECT_EQ(planned.line(l), other.line(l));
}

TYPED_TEST(Engines, a_moved_engine_works_and_is_destroyed_once) {
  using T = TypeParam;
  const TileShape shape{8, 2, false};
  const Tile<T> tile(shape);
  Engine<T> first(shape, -1, Effort::estimate, false, tile.data());
  const Engine<T> second(std::move(first));
  tile.fill(1);
  const std::vector<Long> wanted = slow_transform(tile.line(1), -1);
  second.run(tile.data());
  EXPECT_LE(relative_error(tile.line(1), wanted),
            4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  static_assert(std::is_nothrow_move_constructible_v<Engine<T>>);
  static_assert(!std::is_copy_constructible_v<Engine<T>>);
}

TYPED_TEST(Engines, threads_can_plan_at_the_same_time) {
  using T = TypeParam;
  std::vector<std::thread> threads;
  for (Index t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (Index n = 2; n < 40; ++n) {
        const TileShape shape{n + t, 2, true};
        const Tile<T> tile(shape);
        const Engine<T> engine(shape, -1, Effort::estimate, false, tile.data());
        tile.fill(1);
        engine.run(tile.data());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TileShape, strides_follow_from_the_form) {
  const TileShape lines{5, 3, false};
  EXPECT_EQ(lines.size(), 15);
  EXPECT_EQ(lines.element_stride(), 1);
  EXPECT_EQ(lines.line_stride(), 5);
  const TileShape interleaved{5, 3, true};
  EXPECT_EQ(interleaved.element_stride(), 3);
  EXPECT_EQ(interleaved.line_stride(), 1);
  EXPECT_EQ(interleaved.at_a_time(), 3);
  const TileShape padded{5, 6, true, 8, 2};
  EXPECT_EQ(padded.size(), 40);
  EXPECT_EQ(padded.element_stride(), 8);
  EXPECT_EQ(padded.at_a_time(), 2);
}

}  // namespace
}  // namespace kallima::local

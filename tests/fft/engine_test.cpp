// SPDX-License-Identifier: BSD-3-Clause
//
// The engine against the definition of the transform, summed up in long double.
#include "fft/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/line_kernel.hpp"
#include "base/processor.hpp"
#include "kallima/buffer.hpp"

namespace kallima::fft {
namespace {

using Long = std::complex<long double>;

/// Memory of one side of a batch, aligned as the engine wants it.
template <class T>
class Side {
 public:
  Side(const Batch& batch, const Strides& strides)
      : batch_(batch),
        strides_(strides),
        size_((batch.length - 1) * strides.element + (batch.lines - 1) * strides.line + 1),
        buffer_(host_memory(), size_ * static_cast<Index>(sizeof(std::complex<T>)), "side") {}
  [[nodiscard]] std::complex<T>* data() const {
    return reinterpret_cast<std::complex<T>*>(buffer_.view().data);
  }
  [[nodiscard]] std::complex<T>& at(Index line, Index element) const {
    return data()[line * strides_.line + element * strides_.element];
  }
  void fill(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    const auto number = [&] {
      return static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
    };
    for (Index line = 0; line < batch_.lines; ++line) {
      for (Index i = 0; i < batch_.length; ++i) {
        const T real = number();
        at(line, i) = {real, number()};
      }
    }
  }
  [[nodiscard]] std::vector<std::complex<T>> line(Index which) const {
    std::vector<std::complex<T>> result;
    for (Index i = 0; i < batch_.length; ++i) result.push_back(at(which, i));
    return result;
  }

 private:
  Batch batch_;
  Strides strides_;
  Index size_;
  Buffer buffer_;
};

/// Both sides of a batch; one in place.
template <class T>
struct Sides {
  explicit Sides(const Batch& batch)
      : from(batch, batch.from),
        other(batch, batch.in_place ? Strides{0, 0} : batch.to),
        scratch(host_memory(), lines_scratch<T>(batch), "scratch") {
    in_place = batch.in_place;
  }
  [[nodiscard]] const Side<T>& to() const { return in_place ? from : other; }
  [[nodiscard]] Engine<T> engine(const Batch& batch, int sign, Effort effort,
                                 bool only_wisdom = false) const {
    return Engine<T>(batch, sign, {effort, only_wisdom, vectors_here()}, from.data(), to().data());
  }
  void run(const Engine<T>& engine) const {
    engine.run(from.data(), to().data(), reinterpret_cast<std::complex<T>*>(scratch.view().data));
  }

  Side<T> from;
  Side<T> other;
  Buffer scratch;
  bool in_place = false;
};

/// Lines one behind the other.
Strides in_lines(Index length) { return {1, length}; }
/// First elements of all lines, then all second ones, ...
Strides interleaved(Index lines) { return {lines, 1}; }

/// Batches of so many lines, from every arrangement to every other, and in place.
std::vector<Batch> arrangements(LineEngine engine, Index length, Index lines) {
  std::vector<Batch> batches;
  for (const Strides& from : {in_lines(length), interleaved(lines), interleaved(lines + 4)}) {
    batches.push_back({length, lines, from, from, true});
    for (const Strides& to : {in_lines(length), in_lines(length + 4), interleaved(lines)}) {
      batches.push_back({length, lines, from, to, false});
    }
  }
  for (Batch& batch : batches) batch.engine = engine;
  return batches;
}

/// A precision and an engine.
template <class Real, LineEngine by>
struct Case {
  using T = Real;
  static constexpr LineEngine engine = by;
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
class Engines : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_engine(T::engine)) GTEST_SKIP() << "built without it";
  }
};

using Cases = ::testing::Types<Case<float, LineEngine::fftw>, Case<double, LineEngine::fftw>,
                               Case<float, LineEngine::kernels>, Case<double, LineEngine::kernels>>;
TYPED_TEST_SUITE(Engines, Cases);

TYPED_TEST(Engines, transforms_are_those_of_the_definition) {
  using T = typename TypeParam::T;
  std::vector<Index> lengths = {41, 61, 64, 97, 127, 128, 211};
  for (Index n = 1; n <= 40; ++n) lengths.push_back(n);
  for (const Index n : lengths) {
    for (const Index lines : {1, 3, 8}) {
      for (const Batch& batch : arrangements(TypeParam::engine, n, lines)) {
        for (const int sign : {-1, 1}) {
          const Sides<T> sides(batch);
          const Engine<T> engine = sides.engine(batch, sign, Effort::estimate);
          sides.from.fill(static_cast<std::uint64_t>(n * 16 + lines));
          std::vector<std::vector<std::complex<T>>> before;
          for (Index l = 0; l < lines; ++l) before.push_back(sides.from.line(l));
          sides.run(engine);
          for (Index l = 0; l < lines; ++l) {
            const std::vector<std::complex<T>>& input = before[static_cast<std::size_t>(l)];
            const double log = std::log2(static_cast<double>(n));
            const double bound = static_cast<double>(std::numeric_limits<T>::epsilon()) *
                                 std::max(1.0, 1.5 * std::sqrt(log));
            ASSERT_LE(relative_error(sides.to().line(l), slow_transform(input, sign)), bound)
                << n << " x " << lines << ", sign " << sign << ", from " << batch.from.element
                << " " << batch.from.line << " to " << batch.to.element << " " << batch.to.line;
            if (!batch.in_place) {
              ASSERT_EQ(sides.from.line(l), input);
            }
          }
        }
      }
    }
  }
}

/// Lines of reals, there and back by kernels, with nothing written behind the scratch.
TYPED_TEST(Engines, lines_of_reals_are_those_of_the_definition) {
  using T = typename TypeParam::T;
  using Number = std::complex<T>;
  std::mt19937_64 random(5);
  std::vector<Index> lengths = {192, 200, 256, 300, 320, 400, 640};
  for (Index n = 2; n <= 60; n += 2) lengths.push_back(n);
  for (const Index n : lengths) {
    if (TypeParam::engine == LineEngine::kernels && !has_kernel(n / 2)) continue;
    for (const Index lines : {1, 3, 8, 16}) {
      const Index row = n + 2;       // of reals
      const Index half = n / 2 + 1;  // frequencies
      Batch batch{n, lines, in_lines(row), in_lines(half), false, Numbers::from_real};
      batch.engine = TypeParam::engine;
      Batch back = batch;
      std::swap(back.from, back.to);
      back.numbers = Numbers::to_real;
      const Buffer reals(host_memory(), lines * row * static_cast<Index>(sizeof(T)), "reals");
      const Buffer result(host_memory(), lines * row * static_cast<Index>(sizeof(T)), "result");
      const Buffer half_lines(host_memory(), lines * half * static_cast<Index>(sizeof(Number)),
                              "half");
      auto* const x = reinterpret_cast<T*>(reals.view().data);
      auto* const y = reinterpret_cast<T*>(result.view().data);
      auto* const in = reinterpret_cast<Number*>(x);
      auto* const out = reinterpret_cast<Number*>(half_lines.view().data);
      std::vector<std::byte> memory(static_cast<std::size_t>(real_kernel_scratch(n / 2) + 192),
                                    std::byte{77});
      const auto unaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
      std::byte* const scratch = memory.data() + (64 - unaligned);
      const Engine<T> forward(batch, -1, {Effort::estimate, false, vectors_here()}, in, out);
      const Engine<T> backward(back, 1, {Effort::estimate, false, vectors_here()}, out,
                               reinterpret_cast<Number*>(y));
      for (Index i = 0; i < lines * row; ++i) {
        x[i] = static_cast<T>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
      }
      forward.run(in, out, reinterpret_cast<Number*>(scratch));
      backward.run(out, reinterpret_cast<Number*>(y), reinterpret_cast<Number*>(scratch));
      for (Index line = 0; line < lines; line += std::max<Index>(1, lines - 1)) {
        const std::vector<Number> positions(x + line * row, x + line * row + n);
        std::vector<Long> wanted = slow_transform(positions, -1);
        wanted.resize(static_cast<std::size_t>(half));
        const std::vector<Number> got(out + line * half, out + (line + 1) * half);
        const double eps = std::numeric_limits<T>::epsilon();
        ASSERT_LT(relative_error(got, wanted), 3 * eps) << n << ", line " << line;
        for (Index i = 0; i < n; ++i) {
          ASSERT_NEAR(y[line * row + i] / static_cast<T>(n), x[line * row + i], 8 * eps)
              << n << ", line " << line << ", element " << i;
        }
      }
      for (Index i = 0; i < 64; ++i) {
        ASSERT_EQ(scratch[real_kernel_scratch(n / 2) + i], std::byte{77}) << n;
      }
    }
  }
}

TYPED_TEST(Engines, backward_undoes_forward_up_to_the_length) {
  using T = typename TypeParam::T;
  for (const Index n : {1, 2, 7, 12, 100, 101, 1024}) {
    Batch batch{n, 4, interleaved(4), interleaved(4), true};
    batch.engine = TypeParam::engine;
    const Sides<T> sides(batch);
    const Engine<T> forward = sides.engine(batch, -1, Effort::estimate);
    const Engine<T> backward = sides.engine(batch, 1, Effort::estimate);
    sides.from.fill(7);
    const Side<T> before(batch, batch.from);
    before.fill(7);
    sides.run(forward);
    sides.run(backward);
    for (Index i = 0; i < 4 * n; ++i) {
      const std::complex<T> back = sides.from.data()[i] / static_cast<T>(n);
      ASSERT_LE(std::abs(back - before.data()[i]), 20 * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(Engines, a_line_does_not_depend_on_its_neighbours_bit_for_bit) {
  using T = typename TypeParam::T;
  for (const Index n : {5, 16, 31, 60, 128}) {
    for (const Batch& batch : arrangements(TypeParam::engine, n, 8)) {
      const Sides<T> full(batch);
      const Sides<T> padded(batch);
      const Engine<T> engine = full.engine(batch, -1, Effort::estimate);
      full.from.fill(3);
      padded.from.fill(3);
      for (Index l = 3; l < 8; ++l) {
        for (Index i = 0; i < n; ++i) padded.from.at(l, i) = 0;
      }
      full.run(engine);
      padded.run(engine);
      for (Index l = 0; l < 3; ++l) ASSERT_EQ(full.to().line(l), padded.to().line(l));
    }
  }
}

TYPED_TEST(Engines, the_same_plan_gives_the_same_bits_in_any_memory) {
  using T = typename TypeParam::T;
  Batch batch{48, 8, interleaved(8), in_lines(52), false};
  batch.engine = TypeParam::engine;
  const Sides<T> planned(batch);
  const Sides<T> other(batch);
  const Engine<T> engine = planned.engine(batch, -1, Effort::measure);
  const Engine<T> again = other.engine(batch, -1, Effort::measure, true);
  planned.from.fill(11);
  other.from.fill(11);
  planned.run(engine);
  other.run(again);
  for (Index l = 0; l < batch.lines; ++l) EXPECT_EQ(planned.to().line(l), other.to().line(l));
}

TYPED_TEST(Engines, a_moved_engine_works_and_is_destroyed_once) {
  using T = typename TypeParam::T;
  Batch batch{8, 2, in_lines(8), in_lines(8), true};
  batch.engine = TypeParam::engine;
  const Sides<T> sides(batch);
  Engine<T> first = sides.engine(batch, -1, Effort::estimate);
  const Engine<T> second(std::move(first));
  sides.from.fill(1);
  const std::vector<Long> wanted = slow_transform(sides.from.line(1), -1);
  sides.run(second);
  EXPECT_LE(relative_error(sides.from.line(1), wanted),
            4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  static_assert(std::is_nothrow_move_constructible_v<Engine<T>>);
  static_assert(!std::is_copy_constructible_v<Engine<T>>);
}

TYPED_TEST(Engines, memory_of_a_buffer_is_aligned) {
  using T = typename TypeParam::T;
  Batch batch{8, 2, in_lines(8), in_lines(8), true};
  batch.engine = TypeParam::engine;
  const Sides<T> sides(batch);
  const Engine<T> engine = sides.engine(batch, -1, Effort::estimate);
  EXPECT_TRUE(engine.aligned(sides.from.data()));
  EXPECT_TRUE(engine.aligned(sides.from.data() + 64 / sizeof(std::complex<T>)));
}

TYPED_TEST(Engines, threads_can_plan_at_the_same_time) {
  using T = typename TypeParam::T;
  std::vector<std::thread> threads;
  for (Index t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (Index n = 2; n < 40; ++n) {
        Batch batch{n + t, 2, interleaved(2), interleaved(2), true};
        batch.engine = TypeParam::engine;
        const Sides<T> sides(batch);
        const Engine<T> engine = sides.engine(batch, -1, Effort::estimate);
        sides.from.fill(1);
        sides.run(engine);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kallima::fft

// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of every length and kind by kernels, against sums in long double.
#include "fft/any_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

#include "base/processor.hpp"
#include "kallima/buffer.hpp"
#include "support/line_definition.hpp"

namespace kallima::fft {
namespace {

using test::LineDefinition;
using test::Long;
using What = test::WhatOfLines;

std::vector<What> everything() {
  std::vector<What> all = {{Numbers::complex, LineKind::fourier, -1},
                           {Numbers::complex, LineKind::fourier, 1},
                           {Numbers::from_real, LineKind::fourier, -1},
                           {Numbers::to_real, LineKind::fourier, 1}};
  for (const LineKind kind :
       {LineKind::cosine_1, LineKind::cosine_2, LineKind::cosine_3, LineKind::cosine_4,
        LineKind::sine_1, LineKind::sine_2, LineKind::sine_3, LineKind::sine_4}) {
    all.push_back({Numbers::real, kind, -1});
    all.push_back({Numbers::complex, kind, -1});
  }
  return all;
}

bool reads_reals(const What& what) {
  return what.numbers == Numbers::real || what.numbers == Numbers::from_real;
}
bool writes_reals(const What& what) {
  return what.numbers == Numbers::real || what.numbers == Numbers::to_real;
}
Index length_before(const What& what, Index n) {
  return what.numbers == Numbers::to_real ? n / 2 + 1 : n;
}
Index length_behind(const What& what, Index n) {
  return what.numbers == Numbers::from_real ? n / 2 + 1 : n;
}

/// Some of a line's results.
std::vector<Long> results_of(const What& what, const std::vector<Long>& line, Index n,
                             const std::vector<Index>& wanted) {
  const LineDefinition definition(what, n);
  std::vector<Long> results;
  for (const Index k : wanted) {
    Long sum{};
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto j = static_cast<Index>(i);
      const bool end = what.numbers == Numbers::to_real && (j == 0 || 2 * j == n);
      sum += (end ? Long(line[i].real()) : line[i]) * definition.weight(j, k);
    }
    results.push_back(writes_reals(what) ? Long(sum.real()) : sum);
  }
  return results;
}

/// Elements that single precision has, so that both have the same results.
std::vector<Long> random_line(const What& what, Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&] {
    return static_cast<long double>(static_cast<float>(random() >> 40U) * 0x1p-24F - 0.5F);
  };
  std::vector<Long> line;
  for (Index j = 0; j < length_before(what, n); ++j) {
    const long double real = number();
    line.emplace_back(real, reads_reals(what) ? 0.L : number());
  }
  return line;
}

/// Which results are looked at: all, or so many, near and far.
std::vector<Index> some_of(Index count, Index most, Index seed = 0) {
  std::vector<Index> some;
  for (Index i = 0; i < std::min(count, most); ++i) {
    some.push_back(count <= most ? i : (seed + i * (count / most) + i % 2) % count);
  }
  return some;
}

/// How lines lie: whether they follow each other on either side, and what is left free.
struct Lying {
  bool across_from = false;
  bool across_to = false;
  Index free = 0;
  bool in_place = false;
};

Strides strides_of(bool across, Index length, Index lines, Index free) {
  return across ? Strides{lines + free, 1} : Strides{1, length + free};
}

/// One side, with a pattern all around.
template <class T>
class Area {
 public:
  Area(Index numbers)
      : bytes_(numbers * static_cast<Index>(sizeof(std::complex<T>))),
        buffer_(host_memory(), bytes_ + 64, "area") {
    std::memset(buffer_.view().data, 77, static_cast<std::size_t>(bytes_ + 64));
  }
  [[nodiscard]] std::complex<T>* numbers() const {
    return reinterpret_cast<std::complex<T>*>(buffer_.view().data);
  }
  [[nodiscard]] T* reals() const { return reinterpret_cast<T*>(buffer_.view().data); }
  /// True where nothing was written behind it.
  [[nodiscard]] bool is_whole() const {
    const auto* const end = reinterpret_cast<const unsigned char*>(buffer_.view().data) + bytes_;
    return std::all_of(end, end + 64, [](unsigned char byte) { return byte == 77; });
  }

 private:
  Index bytes_;
  Buffer buffer_;
};

/// Transforms `line` as one of several, and returns the results that are wanted.
template <class T>
std::vector<Long> transformed(const What& what, const std::vector<Long>& line, Index n, Index lines,
                              const Lying& lying, Vectors vectors,
                              const std::vector<Index>& wanted) {
  const Index before = length_before(what, n);
  const Index behind = length_behind(what, n);
  Batch batch{n, lines, strides_of(lying.across_from, before, lines, lying.free),
              strides_of(lying.across_to, behind, lines, lying.free), lying.in_place};
  batch.numbers = what.numbers;
  batch.kind = what.kind;
  if (lying.in_place) batch.to = batch.from;
  const AnyLines<T> engine(batch, what.sign, vectors);
  const Area<T> from((before + lying.free) * (lines + lying.free));
  const Area<T> other((behind + lying.free) * (lines + lying.free));
  const Area<T>& to = lying.in_place ? from : other;
  const Area<T> scratch(lines_scratch<T>(batch) / static_cast<Index>(sizeof(std::complex<T>)));
  const Index which = lines / 2;
  for (Index l = 0; l < lines; ++l) {
    for (Index j = 0; j < before; ++j) {
      const Index at = l * batch.from.line + j * batch.from.element;
      const Long element = line[static_cast<std::size_t>(j)] * (l == which ? 1.L : 0.25L);
      if (reads_reals(what)) {
        from.reals()[at] = static_cast<T>(element.real());
      } else {
        from.numbers()[at] = {static_cast<T>(element.real()), static_cast<T>(element.imag())};
      }
    }
  }
  engine.run(from.numbers(), to.numbers(), scratch.numbers());
  EXPECT_TRUE(scratch.is_whole() && from.is_whole() && to.is_whole()) << n;
  std::vector<Long> results;
  for (const Index k : wanted) {
    const Index at = which * batch.to.line + k * batch.to.element;
    results.push_back(writes_reals(what) ? Long(to.reals()[at]) : Long(to.numbers()[at]));
  }
  return results;
}

double relative_error(const std::vector<Long>& got, const std::vector<Long>& wanted) {
  long double difference = 0;
  long double size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += std::norm(got[i] - wanted[i]);
    size += std::norm(wanted[i]);
  }
  return size == 0 ? static_cast<double>(difference)
                   : static_cast<double>(std::sqrt(difference / size));
}

/// In eps sqrt(log2 n).
template <class T>
double error_in_units(const std::vector<Long>& got, const std::vector<Long>& wanted, Index n) {
  const double log = std::max(1., std::log2(static_cast<double>(n)));
  return relative_error(got, wanted) / (std::numeric_limits<T>::epsilon() * std::sqrt(log));
}

std::vector<Vectors> all_vectors() {
  std::vector<Vectors> all;
  for (const TargetPasses<double>& each : line_passes<double>()) {
    if (each.vectors <= vectors_here()) all.push_back(each.vectors);
  }
  return all;
}

std::string name_of(const What& what, Index n) {
  return "length " + std::to_string(n) + ", numbers " +
         std::to_string(static_cast<int>(what.numbers)) + ", kind " +
         std::to_string(static_cast<int>(what.kind)) + ", sign " + std::to_string(what.sign);
}

template <class T>
void expect_right(const What& what, Index n, Index lines, const Lying& lying, Vectors vectors,
                  const std::vector<Long>& line, const std::vector<Index>& some,
                  const std::vector<Long>& wanted) {
  const std::vector<Long> got = transformed<T>(what, line, n, lines, lying, vectors, some);
  // What Kallima promises of all results together (promised_error) allows 1.5.
  const bool all = static_cast<Index>(some.size()) == length_behind(what, n);
  ASSERT_LT(error_in_units<T>(got, wanted, n), all ? 1.4 : 3.)
      << name_of(what, n) << ", " << lines << " lines by " << kallima::name_of(vectors) << ", "
      << sizeof(T) << " bytes";
}

TEST(AnyLines, of_every_length_and_kind_are_those_of_the_definition) {
  const std::vector<Lying> ways = {{false, false, 0, false}, {true, true, 0, false},
                                   {false, true, 3, false},  {true, false, 1, false},
                                   {true, true, 5, true},    {false, false, 2, true}};
  const std::vector<Vectors> targets = all_vectors();
  std::size_t turn = 0;
  for (Index n = 1; n <= 300; ++n) {
    for (const What& what : everything()) {
      if (n == 1 && what.kind == LineKind::cosine_1) continue;
      const std::vector<Long> line = random_line(what, n, static_cast<std::uint64_t>(n));
      const std::vector<Index> some = some_of(length_behind(what, n), 16, n);
      const std::vector<Long> wanted = results_of(what, line, n, some);
      for (const Vectors target : targets) {
        const Vectors vectors = n <= 32 ? target : targets[turn % targets.size()];
        if (n > 32 && target != targets.front()) break;
        const Index lines = std::vector<Index>{1, 3, 8, 11}[turn % 4];
        Lying lying = ways[turn % ways.size()];
        if (reads_reals(what) != writes_reals(what)) lying.in_place = false;
        ++turn;
        expect_right<double>(what, n, lines, lying, vectors, line, some, wanted);
        expect_right<float>(what, n, lines, lying, vectors, line, some, wanted);
      }
    }
  }
}

TEST(AnyLines, of_long_lines_are_those_of_the_definition) {
  // Primes, products of small ones beyond the longest kernel, and others.
  for (const Index n : {1009, 4097, 4099, 5000, 8192, 13013, 20011, 57122}) {
    for (const What& what : everything()) {
      const std::vector<Long> line = random_line(what, n, static_cast<std::uint64_t>(n));
      const std::vector<Index> some = some_of(length_behind(what, n), 6);
      const std::vector<Long> wanted = results_of(what, line, n, some);
      const Lying lying{n % 2 == 0, n % 3 == 0, 0, false};
      expect_right<double>(what, n, 2, lying, vectors_here(), line, some, wanted);
      expect_right<float>(what, n, 2, lying, vectors_here(), line, some, wanted);
    }
  }
  // The last is split twice.
  for (const Index n : {Index{100003}, Index{1} << 20, Index{2} * 11 * 13 * 13 * 13 * 13}) {
    const What what;
    const std::vector<Long> line = random_line(what, n, 1);
    const std::vector<Index> some = some_of(n, 4);
    const std::vector<Long> wanted = results_of(what, line, n, some);
    expect_right<double>(what, n, 1, {}, vectors_here(), line, some, wanted);
    expect_right<float>(what, n, 1, {}, vectors_here(), line, some, wanted);
  }
}

TEST(AnyLines, have_the_same_bits_however_they_lie) {
  for (const Index n : {5, 17, 34, 64, 97, 126, 300, 4096, 4100, 8192}) {
    for (const What& what : everything()) {
      // Lines of reals that a kernel takes as they are lie in one way alone.
      const bool half = what.numbers == Numbers::from_real || what.numbers == Numbers::to_real;
      if (half && n % 2 == 0 && has_kernel(n / 2)) continue;
      const std::vector<Long> line = random_line(what, n, 3);
      const std::vector<Index> all = some_of(length_behind(what, n), n);
      const auto with = [&](Index lines, const Lying& lying) {
        return transformed<double>(what, line, n, lines, lying, vectors_here(), all);
      };
      const std::vector<Long> alone = with(1, {});
      EXPECT_EQ(with(5, {true, true, 0, false}), alone) << name_of(what, n);
      EXPECT_EQ(with(8, {true, false, 2, false}), alone) << name_of(what, n);
      EXPECT_EQ(with(17, {false, true, 0, false}), alone) << name_of(what, n);
    }
  }
}

TEST(AnyLines, several_threads_use_one_engine) {
  const Index n = 1009;
  const What what;
  const Batch batch{n, 1, {1, n}, {1, n}, false};
  const AnyLines<double> engine(batch, -1, vectors_here());
  const std::vector<Long> line = random_line(what, n, 1);
  std::vector<std::vector<std::complex<double>>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      std::vector<std::complex<double>> x;
      for (const Long& element : line) {
        x.emplace_back(static_cast<double>(element.real()), static_cast<double>(element.imag()));
      }
      result.resize(x.size());
      const Area<double> scratch(lines_scratch<double>(batch) / 16);
      for (int i = 0; i < 10; ++i) engine.run(x.data(), result.data(), scratch.numbers());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace kallima::fft

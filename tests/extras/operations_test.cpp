// SPDX-License-Identifier: BSD-3-Clause
//
// Number-theoretic and Walsh-Hadamard transforms and bitonic sorts by every plan there is, all
// ranks in one process: the executor that runs them is the one that runs Fourier transforms.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "exec/loopback.hpp"
#include "extras/bitonic.hpp"
#include "extras/number_theoretic.hpp"
#include "extras/walsh.hpp"
#include "kallima/planner.hpp"
#include "kallima/walsh_hadamard.hpp"
#include "planner/bitonic.hpp"
#include "planner/pipeline.hpp"
#include "support/butterflies.hpp"
#include "support/reference.hpp"

namespace kallima {
namespace {

using test::flat_part;
using Word = std::uint64_t;

/// Runs a plan on loopback: from a whole array to a whole array, row-major.
template <class T>
std::vector<exec::Number<T>> run(const Plan& plan, bool in_place,
                                 const std::vector<exec::Number<T>>& whole,
                                 const typename exec::Operation<T>::Setup& setup,
                                 exec::Factor<T> factor) {
  using Number = exec::Number<T>;
  const auto ranks = static_cast<std::size_t>(plan.ranks());
  std::vector<std::vector<Number>> in(ranks);
  std::vector<std::vector<Number>> out(ranks);
  std::vector<const Number*> sources(ranks);
  std::vector<Number*> targets(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto held = static_cast<std::size_t>(plan.output().local_size(static_cast<Index>(r)));
    for (const Index flat : flat_part(plan.input(), static_cast<Index>(r))) {
      in[r].push_back(whole[static_cast<std::size_t>(flat)]);
    }
    in[r].resize(std::max(in[r].size(), held));
    out[r].resize(in[r].size());
    sources[r] = in[r].data();
    targets[r] = in_place ? in[r].data() : out[r].data();
  }
  const std::vector<std::vector<Number>> before = in;
  exec::Loopback<T> loopback(plan, in_place, setup);
  loopback.run(sources, targets, factor);
  if (!in_place) {
    EXPECT_EQ(in, before) << plan.to_text();
  }
  std::vector<Number> result(whole.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.output(), static_cast<Index>(r));
    for (std::size_t i = 0; i < flats.size(); ++i) {
      result[static_cast<std::size_t>(flats[i])] = targets[r][i];
    }
  }
  return result;
}

/// A plan by messages, by chunks of them, and by segments.
std::vector<Plan> by_messages_and_segments(const Plan& plan) {
  std::vector<Plan> result{plan.with_method(ExchangeMethod::point_to_point),
                           plan.with_method(ExchangeMethod::shared_memory)};
  const std::optional<Plan> chunks = pipelined(result.front(), built_in_machine(), 4);
  if (chunks) result.push_back(*chunks);
  return result;
}

/// Plans of every decomposition, by messages and segments, for arrays of one shape.
std::vector<Plan> plans_of(Kind kind, const Shape& shape, Index ranks) {
  PlanRequest request;
  request.problem = {shape, Precision::f32, kind};
  request.ranks = ranks;
  request.tile_bytes = 4096;
  std::vector<Plan> result;
  for (const NamedPlan& named : all_plans(request)) {
    for (const Plan& plan : by_messages_and_segments(named.plan)) result.push_back(plan);
  }
  return result;
}

std::vector<Word> words(std::size_t count, Word below) {
  std::mt19937_64 random(count);
  std::vector<Word> result;
  while (result.size() < count) result.push_back(random() % below);
  return result;
}

TEST(Butterflies, halves_are_the_definition) {
  const extras::Field field(extras::solinas_prime);
  for (Index n = 1; n <= 128; n *= 2) {
    const std::vector<Word> x = words(static_cast<std::size_t>(n), field.prime());
    EXPECT_EQ(test::ntt_by_halves(x, field.root(n), field.prime()),
              test::ntt_by_definition(x, field.root(n), field.prime()));
  }
}

void expect_ntt(const Plan& plan, const extras::Field& field, const std::vector<Word>& x,
                const std::vector<Word>& expected) {
  const exec::Operation<NumberTheoretic>::Setup setup{
      std::make_shared<const extras::Field>(field.prime())};
  for (const bool in_place : {false, true}) {
    const std::vector<Word> there = run<NumberTheoretic>(plan, in_place, x, setup, 1);
    EXPECT_EQ(there, expected) << in_place << "\n" << plan.to_text();
    const Word factor = field.inverse(static_cast<Word>(x.size()) % field.prime());
    EXPECT_EQ(run<NumberTheoretic>(plan.reversed(), in_place, there, setup, factor), x)
        << in_place << "\n"
        << plan.reversed().to_text();
  }
}

TEST(Butterflies, number_theoretic_transforms_of_one_axis_are_right_by_every_plan) {
  for (const Word prime : {extras::solinas_prime, Word{0xFFFFFFFC00000001}, Word{998244353}}) {
    const extras::Field field(prime);
    for (Index n = 1; n <= 4096; n *= 4) {
      const std::vector<Word> x = words(static_cast<std::size_t>(n), prime);
      const std::vector<Word> expected = test::ntt_by_halves(x, field.root(n), prime);
      for (const Index ranks : {1, 2, 3, 4, 8}) {
        for (const Plan& plan : plans_of(Kind::ntt, {n}, ranks))
          expect_ntt(plan, field, x, expected);
      }
    }
  }
}

TEST(Butterflies, number_theoretic_transforms_of_three_axes_are_right_by_every_plan) {
  const extras::Field field(extras::solinas_prime);
  const Shape shape{8, 4, 16};
  const std::vector<Word> x = words(512, field.prime());
  // Axis by axis, by definition.
  std::vector<Word> expected = x;
  for (const Index axis : {0, 1, 2}) {
    const Index n = shape[static_cast<std::size_t>(axis)];
    const Index stride = axis == 0 ? 64 : axis == 1 ? 16 : 1;
    for (Index begin = 0; begin < 512; ++begin) {
      if (begin / stride % n != 0) continue;
      std::vector<Word> line;
      for (Index i = 0; i < n; ++i) {
        line.push_back(expected[static_cast<std::size_t>(begin + i * stride)]);
      }
      line = test::ntt_by_definition(line, field.root(n), field.prime());
      for (Index i = 0; i < n; ++i) {
        expected[static_cast<std::size_t>(begin + i * stride)] = line[static_cast<std::size_t>(i)];
      }
    }
  }
  for (const Index ranks : {1, 2, 3, 4, 6, 8}) {
    for (const Plan& plan : plans_of(Kind::ntt, shape, ranks)) expect_ntt(plan, field, x, expected);
  }
}

TEST(Butterflies, walsh_hadamard_transforms_are_right_by_every_plan) {
  for (Index n = 1; n <= 4096; n *= 4) {
    std::vector<double> x;
    for (const Word word : words(static_cast<std::size_t>(n), 1000)) {
      x.push_back(static_cast<double>(word) - 500.);  // whole numbers: sums are exact
    }
    const std::vector<double> hadamard = test::hadamard_by_recursion(x);
    std::vector<double> expected;
    for (Index k = 0; k < n; ++k) {
      expected.push_back(hadamard[static_cast<std::size_t>(hadamard_index(k, n))]);
    }
    for (const Index ranks : {1, 2, 3, 4, 8}) {
      for (const Plan& plan : plans_of(Kind::walsh, {n}, ranks)) {
        for (const bool in_place : {false, true}) {
          const std::vector<double> there = run<Walsh>(plan, in_place, x, {}, 1.);
          EXPECT_EQ(there, expected) << plan.to_text();
          EXPECT_EQ(run<Walsh>(plan.reversed(), in_place, there, {}, 1. / static_cast<double>(n)),
                    x)
              << plan.to_text();
        }
      }
    }
  }
}

/// Keys of every kind of disorder.
std::vector<std::vector<Word>> disorders(std::size_t n) {
  std::vector<std::vector<Word>> result{words(n, ~Word{0}), words(n, 3)};
  std::vector<Word> sorted = result[0];
  std::sort(sorted.begin(), sorted.end());
  result.push_back(sorted);
  result.emplace_back(sorted.rbegin(), sorted.rend());
  return result;
}

template <class Key>
std::vector<Word> sorted_as(const std::vector<Word>& words) {
  std::vector<Word> result = words;
  std::sort(result.begin(), result.end(),
            [](Word a, Word b) { return std::bit_cast<Key>(a) < std::bit_cast<Key>(b); });
  return result;
}

TEST(Butterflies, bitonic_plans_sort_by_messages_and_segments) {
  for (Index n = 1; n <= 4096; n *= 2) {
    for (Index ranks = 1; ranks <= 17; ranks += ranks < 8 ? 1 : 3) {
      PlanRequest request;
      request.problem = {{n}, Precision::f32, Kind::sort};
      request.ranks = ranks;
      const Plan made = bitonic_plan(request);
      const Index procs = sorting_ranks(n, ranks);
      EXPECT_EQ(made.exchanges(), 2 * std::countr_zero(static_cast<Word>(procs)));
      for (const Plan& plan : by_messages_and_segments(made)) {
        EXPECT_EQ(Plan::parse(plan.to_text()), plan);
        for (const std::vector<Word>& keys : disorders(static_cast<std::size_t>(n))) {
          for (const bool in_place : {false, true}) {
            EXPECT_EQ(run<Bitonic>(plan, in_place, keys, {}, 1), sorted_as<Word>(keys))
                << n << " " << ranks << " " << in_place << "\n"
                << plan.to_text();
          }
        }
      }
    }
  }
}

TEST(Butterflies, keys_are_compared_as_what_they_are) {
  PlanRequest request;
  request.problem = {{256}, Precision::f32, Kind::sort};
  request.ranks = 4;
  const Plan plan = bitonic_plan(request);
  const std::vector<Word> integers = words(256, ~Word{0});
  EXPECT_EQ(run<Bitonic>(plan, false, integers, {extras::KeyKind::integer}, 1),
            sorted_as<std::int64_t>(integers));
  std::vector<Word> reals;
  for (const Word word : integers) {
    reals.push_back(std::bit_cast<Word>(static_cast<double>(static_cast<std::int64_t>(word))));
  }
  EXPECT_EQ(run<Bitonic>(plan, false, reals, {extras::KeyKind::real}, 1), sorted_as<double>(reals));
}

}  // namespace
}  // namespace kallima

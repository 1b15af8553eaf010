// SPDX-License-Identifier: BSD-3-Clause
//
// Arithmetic modulo primes against plain remainders, and butterflies of lines against sums by
// definition.
#include "extras/residues.hpp"

#include <gtest/gtest.h>

#include <random>

#include "extras/butterflies.hpp"
#include "kallima/error.hpp"

namespace kallima::extras {
namespace {

__extension__ using Wide = unsigned __int128;

/// The fast prime, one near 2^64, one of 62 bits, small ones.
constexpr std::array<Residue, 6> primes{
    solinas_prime, 0xFFFFFFFC00000001, 4179340454199820289, 998244353, 257, 3};

Residue slow_product(Residue a, Residue b, Residue p) {
  return static_cast<Residue>(static_cast<Wide>(a) * b % p);
}

/// Numbers below p, those at the ends among them.
std::vector<Residue> numbers(Residue p, std::size_t count) {
  std::mt19937_64 random(p);
  std::vector<Residue> result{0, 1, p - 1, p - 2, p / 2, p / 2 + 1};
  for (const Residue x : {Residue{0xFFFFFFFF}, Residue{1} << 32, Residue{1} << 63}) {
    result.push_back(x % p);
  }
  while (result.size() < count) result.push_back(random() % p);
  result.resize(count);
  return result;
}

TEST(Residues, products_are_remainders) {
  for (const Residue p : primes) {
    const Field field(p);
    for (const Residue a : numbers(p, 60)) {
      for (const Residue b : numbers(p, 60)) {
        EXPECT_EQ(field.product(a, b), slow_product(a, b, p)) << a << " " << b << " mod " << p;
      }
    }
  }
}

TEST(Residues, many_at_once_are_as_one_by_one) {
  for (const Residue p : primes) {
    const Field field(p);
    for (Index count = 0; count <= 35; ++count) {
      const std::vector<Residue> a = numbers(p, 36);
      std::vector<Residue> b = numbers(p, 36);
      std::reverse(b.begin(), b.end());
      std::vector<Residue> prepared;
      for (const Residue x : b) prepared.push_back(field.prepared(x));
      std::vector<Residue> by_each = a;
      std::vector<Residue> by_one = a;
      field.multiply(by_each.data(), prepared.data(), count);
      field.scale(by_one.data(), prepared[3], count);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const bool inside = static_cast<Index>(i) < count;
        EXPECT_EQ(by_each[i], inside ? slow_product(a[i], b[i], p) : a[i]);
        EXPECT_EQ(by_one[i], inside ? slow_product(a[i], b[3], p) : a[i]);
      }
    }
  }
}

TEST(Residues, roots_have_their_order_and_are_powers_of_each_other) {
  for (const Residue p : primes) {
    const Field field(p);
    for (Index n = 2; n <= field.longest(); n *= 2) {
      EXPECT_EQ(field.power(field.root(n), static_cast<Residue>(n / 2)), p - 1) << n << " " << p;
      EXPECT_EQ(field.product(field.root(n), field.root(n)), field.root(n / 2)) << n << " " << p;
    }
  }
}

TEST(Residues, what_is_no_odd_prime_is_refused) {
  for (const Residue p : {Residue{0}, Residue{1}, Residue{2}, Residue{9}, Residue{561},
                          Residue{3215031751}, Residue{0xFFFFFFFFFFFFFFFF}}) {
    EXPECT_THROW(Field{p}, InvalidOption) << p;
  }
}

/// Sum of x_j w^(jk), by definition.
std::vector<Residue> by_definition(const std::vector<Residue>& x, Residue w, Residue p) {
  std::vector<Residue> result;
  Residue w_k = 1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    Residue sum = 0;
    Residue power = 1;
    for (const Residue value : x) {
      sum = static_cast<Residue>((static_cast<Wide>(sum) + slow_product(value, power, p)) % p);
      power = slow_product(power, w_k, p);
    }
    result.push_back(sum);
    w_k = slow_product(w_k, w, p);
  }
  return result;
}

TEST(Residues, butterflies_are_the_transform_however_lines_lie) {
  const std::array fields{std::make_shared<const Field>(solinas_prime),
                          std::make_shared<const Field>(solinas_prime, false),
                          std::make_shared<const Field>(0xFFFFFFFC00000001),
                          std::make_shared<const Field>(998244353)};
  for (const auto& field : fields) {
    const Residue p = field->prime();
    for (Index n = 1; n <= 256; n *= 2) {
      for (const Index lines : {1, 3, 8, 16, 21}) {
        for (const bool across : {false, true}) {
          const Strides from = across ? Strides{lines + 5, 1} : Strides{1, n + 1};
          const Strides to{1, n + 3};
          const Butterflies<ResidueStages> engine({n, lines, from, to, false},
                                                  ResidueStages(field, n, false));
          std::vector<Residue> in(static_cast<std::size_t>((n + 1) * (lines + 5)));
          std::vector<Residue> out(static_cast<std::size_t>((n + 3) * lines));
          const std::vector<Residue> values = numbers(p, static_cast<std::size_t>(n * lines));
          const auto value = [&](Index line, Index i) {
            return values[static_cast<std::size_t>((line * n + i * 7) % (n * lines))];
          };
          for (Index line = 0; line < lines; ++line) {
            for (Index i = 0; i < n; ++i) {
              in[static_cast<std::size_t>(i * from.element + line * from.line)] = value(line, i);
            }
          }
          engine.run(in.data(), out.data());
          for (Index line = 0; line < lines; line += 4) {
            std::vector<Residue> x;
            for (Index i = 0; i < n; ++i) x.push_back(value(line, i));
            const auto first = out.begin() + line * to.line;
            EXPECT_EQ(std::vector<Residue>(first, first + n), by_definition(x, field->root(n), p))
                << n << " " << lines << " " << across;
          }
        }
      }
    }
  }
}

TEST(Residues, inverse_butterflies_undo_long_lines_in_place) {
  const auto field = Field::standard();
  constexpr Index n = Index{1} << 15;
  const std::vector<Residue> before = numbers(solinas_prime, static_cast<std::size_t>(n));
  std::vector<Residue> line = before;
  const fft::Batch batch{n, 1, {1, n}, {1, n}, true};
  Butterflies<ResidueStages>(batch, ResidueStages(field, n, false)).run(line.data(), line.data());
  EXPECT_NE(line, before);
  Butterflies<ResidueStages>(batch, ResidueStages(field, n, true)).run(line.data(), line.data());
  field->scale(line.data(), field->prepared(field->inverse(n)), n);
  EXPECT_EQ(line, before);
}

TEST(Residues, powers_multiply_lines_of_either_kind) {
  for (const Residue p : {solinas_prime, Residue{998244353}}) {
    const Field field(p);
    constexpr Index length = 150;
    constexpr Index lines = 70;
    const Residue root = field.root(1 << 20);
    for (const bool across : {false, true}) {
      const Strides strides = across ? Strides{lines + 2, 1} : Strides{1, length + 2};
      std::vector<Residue> data(static_cast<std::size_t>((length + 2) * (lines + 2)), p - 1);
      multiply_powers(field, {data.data(), strides, lines, length, 5, 3}, root);
      for (Index line = 0; line < lines; ++line) {
        for (Index k = 0; k < length; ++k) {
          const Residue power = field.power(root, static_cast<Residue>((5 + 3 * line) * k));
          EXPECT_EQ(data[static_cast<std::size_t>(k * strides.element + line * strides.line)],
                    slow_product(p - 1, power, p));
        }
      }
    }
  }
}

}  // namespace
}  // namespace kallima::extras

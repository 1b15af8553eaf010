// SPDX-License-Identifier: BSD-3-Clause
#include "extras/residues.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "kallima/error.hpp"

namespace kallima::extras {

namespace {

__extension__ using Wide = unsigned __int128;

Residue high(Wide x) { return static_cast<Residue>(x >> 64); }

/// A number or nothing, without a branch that nobody can foresee.
Residue if_so(bool so, Residue number) { return number & (0 - static_cast<Residue>(so)); }

/// What both ways to multiply have in common: one lane.
template <class Derived>
struct OneLane {
  using Vector = Residue;
  static constexpr Index lanes = 1;
  static constexpr bool turns = true;

  static Residue load(const Residue* from, Index /*count*/) { return *from; }
  static void store(Residue* to, Residue value, Index /*count*/) { *to = value; }
  static Residue all(Residue value) { return value; }
  [[nodiscard]] Residue add(Residue a, Residue b) const { return sub(a, prime() - b); }
  [[nodiscard]] Residue sub(Residue a, Residue b) const { return a - b + if_so(a < b, prime()); }

 private:
  [[nodiscard]] Residue prime() const { return static_cast<const Derived*>(this)->prime; }
};

struct Solinas : OneLane<Solinas> {
  static constexpr Residue prime = solinas_prime;

  explicit Solinas(const Field& /*field*/) {}
  static Residue turn(Residue a, Residue b) {
    constexpr Residue low_half = 0xFFFFFFFF;
    const Wide product = static_cast<Wide>(a) * b;
    const auto low = static_cast<Residue>(product);
    const Residue upper = high(product);
    // product = low + 2^64 (upper mod 2^32) + 2^96 (upper div 2^32)
    const Residue rest = low - (upper >> 32) - if_so(low < upper >> 32, low_half);
    const Residue middle = (upper & low_half) * low_half;
    const Residue wrapped = rest + middle;
    const Residue sum = wrapped + if_so(wrapped < middle, low_half);
    return sum - if_so(sum >= prime, prime);
  }
};

struct Montgomery : OneLane<Montgomery> {
  Residue prime;
  Residue negative_inverse;

  explicit Montgomery(const Field& field)
      : prime(field.prime()), negative_inverse(field.negative_inverse()) {}
  [[nodiscard]] Residue turn(Residue a, Residue b) const {
    const Wide product = static_cast<Wide>(a) * b;
    const Residue multiple = static_cast<Residue>(product) * (0 - negative_inverse);
    return sub(high(product), high(static_cast<Wide>(multiple) * prime));
  }
};

template <class L>
Residue times(const Field& field, Residue a, Residue b) {
  return L(field).turn(a, b);
}

template <class L>
void multiply(const Field& field, Residue* data, const Residue* factors, Index count) {
  const L l(field);
  for (Index i = 0; i < count; ++i) data[i] = l.turn(data[i], factors[i]);
}

template <class L>
void scale(const Field& field, Residue* data, Residue factor, Index count) {
  const L l(field);
  for (Index i = 0; i < count; ++i) data[i] = l.turn(data[i], factor);
}

template <class L>
void stages(const Field& field, Residue* data, const Interleaved& lines, const Residue* table) {
  all_stages(L(field), data, lines.length, 1, lines, table);
}

/// By the strong test for bases that leave no composite below 2^64 (Sorenson and Webster, 2015).
bool is_prime(Residue n) {
  constexpr std::array<Residue, 12> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2) return false;
  for (const Residue base : bases) {
    if (n % base == 0) return n == base;
  }
  const auto square = [n](Residue a) { return static_cast<Residue>(static_cast<Wide>(a) * a % n); };
  const int twos = std::countr_zero(n - 1);
  return std::all_of(bases.begin(), bases.end(), [&](Residue base) {
    Residue x = 1;
    for (int bit = 63; bit >= twos; --bit) {
      x = square(x);
      if (((n - 1) >> bit & 1) != 0) x = static_cast<Residue>(static_cast<Wide>(x) * base % n);
    }
    if (x == 1 || x == n - 1) return true;
    for (int i = 1; i < twos; ++i) {
      x = square(x);
      if (x == n - 1) return true;
    }
    return false;
  });
}

}  // namespace

template <class L>
void Field::compute_with() {
  times_ = times<L>;
  multiply_ = extras::multiply<L>;
  scale_ = extras::scale<L>;
  stages_ = extras::stages<L>;
}

Field::Field(Residue prime, bool may_be_wide) : prime_(prime) {
  if (prime < 3 || !is_prime(prime)) {
    throw InvalidOption(std::to_string(prime) +
                        " is not an odd prime; leave the prime out, or use one of ntt_primes");
  }
  if (prime == solinas_prime) {
    compute_with<Solinas>();
    const WideResidues wide = wide_residues();
    if (may_be_wide && wide.available) {
      multiply_ = wide.multiply;
      scale_ = wide.scale;
      stages_ = wide.stages;
    }
  } else {
    // Newton: each step doubles the bits that are right, of which an odd number has 3 by itself.
    Residue inverse = prime;
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - prime * inverse;
    negative_inverse_ = 0 - inverse;
    const auto radix = static_cast<Residue>((Wide{1} << 64) % prime);
    square_ = static_cast<Residue>(static_cast<Wide>(radix) * radix % prime);
    compute_with<Montgomery>();
  }
  const int twos = std::countr_zero(prime - 1);
  longest_ = Index{1} << std::min(twos, 62);
  // What is no square has all the twos of prime - 1 in its order.
  Residue base = 2;
  while (power(base, (prime - 1) / 2) == 1) ++base;
  first_root_ = power(base, (prime - 1) / static_cast<Residue>(longest_));
}

std::shared_ptr<const Field> Field::standard() {
  return std::make_shared<const Field>(solinas_prime);
}

Residue Field::power(Residue a, std::uint64_t exponent) const {
  Residue result = 1 % prime_;
  Residue factor = prepared(a);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = times_(*this, result, factor);
    factor = times_(*this, factor, factor);
  }
  return result;
}

Residue Field::root(Index n) const {
  return power(first_root_, static_cast<std::uint64_t>(longest_ / n));
}

void multiply_powers(const Field& field, const PowerLines& lines, Residue root) {
  constexpr std::size_t most = 64;
  const auto root_of = [&](Index line) {
    return field.power(root, static_cast<std::uint64_t>(lines.first + line * lines.step));
  };
  std::array<Residue, most> powers{};
  if (lines.strides.element != 1) {
    // Beside each other, each line with its own power.
    std::array<Residue, most> roots{};
    for (Index begin = 0; begin < lines.lines; begin += most) {
      const Index count = std::min<Index>(most, lines.lines - begin);
      for (Index i = 0; i < count; ++i) {
        roots[static_cast<std::size_t>(i)] = field.prepared(root_of(begin + i));
        powers[static_cast<std::size_t>(i)] = field.prepared(1);
      }
      for (Index k = 0; k < lines.length; ++k) {
        field.multiply(lines.data + begin + k * lines.strides.element, powers.data(), count);
        field.multiply(powers.data(), roots.data(), count);
      }
    }
    return;
  }
  for (Index line = 0; line < lines.lines; ++line) {
    const Residue one_step = root_of(line);
    const auto block = std::min<Index>(most, lines.length);
    Residue power = 1;
    for (Index i = 0; i < block; ++i) {
      powers[static_cast<std::size_t>(i)] = field.prepared(power);
      power = field.product(power, one_step);
    }
    const Residue block_step = field.prepared(power);
    for (Index k = 0; k < lines.length; k += block) {
      field.multiply(lines.data + line * lines.strides.line + k, powers.data(),
                     std::min(block, lines.length - k));
      field.scale(powers.data(), block_step, block);
    }
  }
}

ResidueStages::ResidueStages(std::shared_ptr<const Field> field, Index length, bool inverse)
    : field_(std::move(field)) {
  table_.reserve(static_cast<std::size_t>(stage_table_size(length)));
  for (Index m = length; m >= 4; m /= 4) {
    const Residue root = inverse ? field_->inverse(field_->root(m)) : field_->root(m);
    const auto append = [&](Residue power, Residue step) {
      for (Index j = 0; j < m / 4; ++j) {
        table_.push_back(field_->prepared(power));
        power = field_->product(power, step);
      }
    };
    append(1, root);
    append(field_->power(root, static_cast<std::uint64_t>(m / 4)), root);
    append(1, field_->product(root, root));
  }
}

}  // namespace kallima::extras

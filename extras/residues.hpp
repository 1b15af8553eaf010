// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers modulo a prime below 2^64, on which butterflies work without any rounding.
//
// Two ways to multiply. Modulo 2^64 - 2^32 + 1, 2^64 is 2^32 - 1 and 2^96 is -1, so a product of
// 128 bits is reduced by shifts and sums (Solinas, Generalized Mersenne Numbers, 1999); eight
// lanes of AVX-512 do it where the processor has them. Modulo any other odd prime by Montgomery's
// reduction (Modular multiplication without trial division, 1985), which yields a b / 2^64: one
// factor is "prepared", multiplied by 2^64, and the other is as users have it. Roots of unity are
// always prepared and data never is, so that nothing is converted. With the first prime,
// preparing does nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/strides.hpp"
#include "extras/stages.hpp"
#include "fft/engine.hpp"

namespace kallima::extras {

/// A number below the prime.
using Residue = std::uint64_t;

/// 2^64 - 2^32 + 1.
inline constexpr Residue solinas_prime = 0xFFFFFFFF00000001;

/// Arithmetic modulo one prime.
class Field {
 public:
  /// InvalidOption where it is not an odd prime. `may_be_wide`: by what the processor does best.
  explicit Field(Residue prime, bool may_be_wide = true);
  /// Of solinas_prime.
  static std::shared_ptr<const Field> standard();

  [[nodiscard]] Residue prime() const { return prime_; }
  /// The largest power of two that divides prime - 1: no longer axis has roots of unity.
  [[nodiscard]] Index longest() const { return longest_; }
  /// a b, of numbers that are not prepared.
  [[nodiscard]] Residue product(Residue a, Residue b) const {
    return times_(*this, a, prepared(b));
  }
  [[nodiscard]] Residue power(Residue a, std::uint64_t exponent) const;
  /// 1/a of a number that is not 0.
  [[nodiscard]] Residue inverse(Residue a) const { return power(a, prime_ - 2); }
  /// A number of order n, a power of two up to longest(); root(n) is root(2n) squared.
  [[nodiscard]] Residue root(Index n) const;
  /// What the functions on many numbers take as a factor.
  [[nodiscard]] Residue prepared(Residue a) const { return times_(*this, a, square_); }

  /// Multiplies so many numbers by prepared ones, or by one of these.
  void multiply(Residue* data, const Residue* factors, Index count) const {
    multiply_(*this, data, factors, count);
  }
  void scale(Residue* data, Residue factor, Index count) const {
    scale_(*this, data, factor, count);
  }
  /// Stages of lines, see stages.hpp; factors are prepared.
  void stages(Residue* data, const Interleaved& lines, const Residue* table) const {
    stages_(*this, data, lines, table);
  }
  /// -1/prime modulo 2^64, for Montgomery's reduction.
  [[nodiscard]] Residue negative_inverse() const { return negative_inverse_; }

 private:
  Residue prime_;
  Index longest_ = 1;
  Residue negative_inverse_ = 0;
  Residue square_ = 1;  ///< preparing is multiplying by this
  Residue first_root_ = 1;
  Residue (*times_)(const Field&, Residue, Residue) = nullptr;  ///< of which one is prepared
  void (*multiply_)(const Field&, Residue*, const Residue*, Index) = nullptr;
  void (*scale_)(const Field&, Residue*, Residue, Index) = nullptr;
  void (*stages_)(const Field&, Residue*, const Interleaved&, const Residue*) = nullptr;

  template <class L>
  void compute_with();
};

/// Multiplies line i, i < count, element k by the ((first + i step) k)-th power of a root. Lines
/// are contiguous or interleaved.
struct PowerLines {
  Residue* data = nullptr;
  Strides strides;
  Index lines = 0;
  Index length = 0;
  Index first = 0;
  Index step = 0;
};
void multiply_powers(const Field& field, const PowerLines& lines, Residue root);

/// The butterfly of a number-theoretic transform along lines of one length; forward with the roots
/// of the field, or with their inverses.
class ResidueStages {
 public:
  using Number = Residue;
  static constexpr bool reverses = true;

  ResidueStages(std::shared_ptr<const Field> field, Index length, bool inverse);
  void operator()(Residue* data, const Interleaved& lines) const {
    field_->stages(data, lines, table_.data());
  }

 private:
  std::shared_ptr<const Field> field_;
  std::vector<Residue> table_;  ///< stage_table_size() factors
};

/// What AVX-512 does of it modulo solinas_prime; `available` is false where there is none.
struct WideResidues {
  bool available = false;
  void (*multiply)(const Field&, Residue*, const Residue*, Index) = nullptr;
  void (*scale)(const Field&, Residue*, Residue, Index) = nullptr;
  void (*stages)(const Field&, Residue*, const Interleaved&, const Residue*) = nullptr;
};
WideResidues wide_residues();

}  // namespace kallima::extras

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extras/butterflies.hpp"
#include "extras/residues.hpp"
#include "extras/words.hpp"

namespace kallima::exec {

/// The number-theoretic transform: of residues, with roots of unity of their field.
template <>
struct Operation<NumberTheoretic> : OfWords {
  using Number = extras::Residue;
  using Real = Number;  // there are none
  using Factor = Number;
  using Engine = extras::Butterflies<extras::ResidueStages>;

  struct Setup {
    std::shared_ptr<const extras::Field> field = extras::Field::standard();
  };
  /// One root, of which all others are powers.
  struct Roots {
    std::shared_ptr<const extras::Field> field;
    Index modulus = 1;

    [[nodiscard]] Index n() const { return modulus; }
    [[nodiscard]] static Index bytes() { return 0; }
  };

  static int sign(const Plan& plan, int step, Index rank) {
    return Operation<double>::sign(plan, step, rank);
  }
  static Engine make_engine(const Setup& setup, const fft::Batch& batch, int sign, Number* /*from*/,
                            Number* /*to*/) {
    return {batch, extras::ResidueStages(setup.field, batch.length, sign > 0)};
  }
  static Roots make_roots(const Setup& setup, Index modulus,
                          const std::shared_ptr<MemorySource>& /*memory*/) {
    return {setup.field, modulus};
  }
  static void twiddle(const TwiddledLines<Number>& lines, const Roots& roots, bool backward) {
    const Number root = roots.field->root(roots.modulus);
    extras::multiply_powers(
        *roots.field,
        {lines.data, lines.strides, lines.lines, lines.length, lines.first, lines.step},
        backward ? roots.field->inverse(root) : root);
  }
  static Factor reciprocal(const Setup& setup, Index n) {
    return setup.field->inverse(static_cast<Number>(n) % setup.field->prime());
  }
  static std::string to_text(const Setup& setup) {
    return "prime " + std::to_string(setup.field->prime()) + "\n";
  }
  static void scale(const Setup& setup, Number* data, Index line_stride, Index lines, Index length,
                    Factor factor) {
    if (factor == 1) return;
    const Number prepared = setup.field->prepared(factor);
    for (Index line = 0; line < lines; ++line) {
      setup.field->scale(data + line * line_stride, prepared, length);
    }
  }
};

}  // namespace kallima::exec

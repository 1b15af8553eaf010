// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extras/butterflies.hpp"
#include "extras/sort_stages.hpp"
#include "extras/words.hpp"

namespace kallima::exec {

/// The bitonic sort, of plans whose sweeps compare.
template <>
struct Operation<Bitonic> : WithoutRoots<extras::KeyBits> {
  using Number = extras::KeyBits;
  using Real = Number;
  using Factor = int;  // keys are not multiplied
  using Engine = extras::Butterflies<extras::SortStages>;

  struct Setup {
    extras::KeyKind kind = extras::KeyKind::natural;
  };

  /// The code of the SortStep that a sweep is on a rank.
  static int sign(const Plan& plan, int step, Index rank);
  static Engine make_engine(const Setup& setup, const fft::Batch& batch, int sign, Number* /*from*/,
                            Number* /*to*/) {
    return {batch, {setup.kind, extras::SortStep::of_code(sign)}};
  }
  static Factor reciprocal(const Setup& /*setup*/, Index /*n*/) { return 1; }
  static std::string to_text(const Setup& setup) {
    return "kind of keys " + std::to_string(static_cast<int>(setup.kind)) + "\n";
  }
  static void scale(const Setup& /*setup*/, Number* /*data*/, Index /*line_stride*/,
                    Index /*lines*/, Index /*length*/, Factor /*factor*/) {}
};

}  // namespace kallima::exec

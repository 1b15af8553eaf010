// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extras/butterflies.hpp"
#include "extras/walsh_stages.hpp"
#include "extras/words.hpp"

namespace kallima::exec {

/// The Walsh-Hadamard transform: the same without roots of unity.
template <>
struct Operation<Walsh> : WithoutRoots<double> {
  using Number = double;
  using Real = Number;
  using Factor = double;
  using Engine = extras::Butterflies<extras::WalshStages>;

  struct Setup {};

  static int sign(const Plan& /*plan*/, int /*step*/, Index /*rank*/) { return 1; }
  static Engine make_engine(const Setup& /*setup*/, const fft::Batch& batch, int /*sign*/,
                            Number* /*from*/, Number* /*to*/) {
    return {batch, {}};
  }
  static Factor reciprocal(const Setup& /*setup*/, Index n) { return 1. / static_cast<double>(n); }
  static std::string to_text(const Setup& /*setup*/) { return {}; }
  static void scale(const Setup& /*setup*/, Number* data, Index line_stride, Index lines,
                    Index length, Factor factor) {
    Operation<double>::scale({}, data, line_stride, lines, length, factor);
  }
};

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "extras/stages.hpp"

namespace kallima::extras {

/// The butterfly of a Walsh-Hadamard transform along lines: sums and differences, nothing else.
struct WalshStages {
  using Number = double;
  static constexpr bool reverses = true;

  void operator()(double* data, const Interleaved& lines) const;
};

}  // namespace kallima::extras

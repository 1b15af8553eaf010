// SPDX-License-Identifier: BSD-3-Clause
//
// What engines do to lines, by its definition.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "fft/batch.hpp"

namespace kallima::test {

using Long = std::complex<long double>;
using fft::LineKind;
using fft::Numbers;

/// What can be done to lines.
struct WhatOfLines {
  Numbers numbers = Numbers::complex;
  LineKind kind = LineKind::fourier;
  int sign = -1;
};

/// exp(i pi e / n).
class Circle {
 public:
  explicit Circle(Index n) : n_(n), roots_(n <= 65536 ? static_cast<std::size_t>(2 * n) : 0) {
    for (std::size_t e = 0; e < roots_.size(); ++e) roots_[e] = root(static_cast<Index>(e));
  }
  [[nodiscard]] Long at(Index e) const {
    const Index most = 2 * n_;
    const Index turned = (e % most + most) % most;
    return roots_.empty() ? root(turned) : roots_[static_cast<std::size_t>(turned)];
  }

 private:
  [[nodiscard]] Long root(Index e) const {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(e) /
                              static_cast<long double>(n_);
    return {std::cos(angle), std::sin(angle)};
  }

  Index n_;
  std::vector<Long> roots_;
};

/// How much element j of a line counts in result k: FFTW's definitions.
class LineDefinition {
 public:
  LineDefinition(const WhatOfLines& what, Index n) : what_(what), n_(n), circle_(unit(what, n)) {}

  [[nodiscard]] Long weight(Index j, Index k) const {
    const auto cosine = [&](Index e) { return Long(2 * circle_.at(e).real()); };
    const auto sine = [&](Index e) { return Long(2 * circle_.at(e).imag()); };
    const bool last = j + 1 == n_;
    switch (what_.kind) {
      case LineKind::fourier: {
        const bool counts_once = j == 0 || 2 * j == n_;
        const long double times = what_.numbers != Numbers::to_real || counts_once ? 1 : 2;
        return times * circle_.at(what_.sign * 2 * (j * k % n_));
      }
      case LineKind::cosine_1:
        return (j == 0 || last ? 0.5L : 1.L) * cosine(j * k);
      case LineKind::cosine_2:
        return cosine((2 * j + 1) * k);
      case LineKind::cosine_3:
        return (j == 0 ? 0.5L : 1.L) * cosine(j * (2 * k + 1));
      case LineKind::cosine_4:
        return cosine((2 * j + 1) * (2 * k + 1));
      case LineKind::sine_1:
        return sine((j + 1) * (k + 1));
      case LineKind::sine_2:
        return sine((2 * j + 1) * (k + 1));
      case LineKind::sine_3:
        return (last ? 0.5L : 1.L) * sine((j + 1) * (2 * k + 1));
      case LineKind::sine_4:
        return sine((2 * j + 1) * (2 * k + 1));
    }
    return {};
  }

 private:
  static Index unit(const WhatOfLines& what, Index n) {
    switch (what.kind) {
      case LineKind::fourier:
        return n;
      case LineKind::cosine_1:
        return n - 1;
      case LineKind::sine_1:
        return n + 1;
      case LineKind::cosine_4:
      case LineKind::sine_4:
        return 4 * n;
      default:
        return 2 * n;
    }
  }

  WhatOfLines what_;
  Index n_;
  Circle circle_;
};

}  // namespace kallima::test

// SPDX-License-Identifier: BSD-3-Clause
//
// Roots of unity that are known when the library is compiled.
#pragma once

namespace kallima::fft {

struct UnitRoot {
  long double cosine = 1.L;
  long double sine = 0.L;
};

/// cos and sin of 2 pi e / n, for 0 <= e < n: by their series below pi / 4, where these converge to
/// the last bit in a dozen terms, and by symmetry elsewhere.
constexpr UnitRoot unit_root(int e, int n) {
  if (2 * e > n) {  // below the real axis
    const UnitRoot other = unit_root(n - e, n);
    return {other.cosine, -other.sine};
  }
  if (4 * e > n) {  // left of the imaginary axis: 1/2 - e/n of a turn
    const UnitRoot other = unit_root(n - 2 * e, 2 * n);
    return {-other.cosine, other.sine};
  }
  if (8 * e > n) {  // above the diagonal: 1/4 - e/n of a turn
    const UnitRoot other = unit_root(n - 4 * e, 4 * n);
    return {other.sine, other.cosine};
  }
  constexpr long double turn = 6.283185307179586476925286766559005768394L;
  const long double angle = turn * static_cast<long double>(e) / static_cast<long double>(n);
  UnitRoot root{0.L, 0.L};
  long double term = 1.L;
  for (int k = 0; k < 30; ++k) {
    long double& sum = k % 2 == 0 ? root.cosine : root.sine;
    sum += k % 4 < 2 ? term : -term;
    term *= angle / static_cast<long double>(k + 1);
  }
  return root;
}

}  // namespace kallima::fft

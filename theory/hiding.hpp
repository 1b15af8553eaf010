// SPDX-License-Identifier: BSD-3-Clause
//
// How long the butterfly of n inputs takes on P processors of LogP without overhead, and how much
// of its one exchange hides behind computation.
// Sahay 1993, "Hiding communication costs in bandwidth-limited parallel FFT computation".
//
// The unit of time is the paper's: one node of the butterfly. All results are whole numbers of it,
// exact, so that a simulation can be held against them. m = n/P, l = m/P.
#pragma once

#include "kallima/index.hpp"
#include "theory/formula_version.hpp"

namespace kallima::models {

/// n and P are powers of two with P >= 2 and P^2 <= n, g >= 1, L >= 0. Each function throws
/// InvalidOption otherwise.
struct Butterfly {
  Index inputs = 4;   ///< n
  Index procs = 2;    ///< P
  Index gap = 1;      ///< g, nodes computed between two messages
  Index latency = 0;  ///< L
};

/// m log n: what the nodes of one processor take. No schedule is faster.
Index ideal_steps(const Butterfly& butterfly);

/// Theorem 3.1: columns one after the other, nothing hidden. m log n + (m - l - 1) g + L.
Index simple_steps(const Butterfly& butterfly);

/// Theorem 4.1: T, when a processor sends its last message in the output-driven schedule.
///   (1) g >= log m              T = (m - 1) + (m - l - 1) g
///   (2) log l + 1 < g < log m   T = m log m + 2^g - g - 1 - l g
///   (3) g <= log l + 1          T = m log m + 2^g - 1 - l (log l + 1)      as printed
///                               T = m log m + 2^g - g - 1 - l (log l + 1)  corrected
/// The printed (3) is too large by g; the corrected one meets (2) at g = log l + 1.
Index last_send_steps(const Butterfly& butterfly, FormulaVersion form);

/// Section 4.3: max{T + L, m log m} + m log P. An upper bound, since Phase II overlaps too.
Index output_driven_steps(const Butterfly& butterfly, FormulaVersion form);

/// What the output-driven schedule takes, for any g: max{m log n, max over inputs k of Phase II
/// from other processors of s_k + L + the sum of delta_j, j >= k}. s_k, when it is sent, is that of
/// section 4.3; delta_k, the nodes that wait for it, of fact 5.2. A processor that waits for an
/// input has computed all it could, so the last one it waits for decides. Theorem 5.1 is the case
/// g > log m, section 4.3 an upper bound. O(m).
Index exact_steps(const Butterfly& butterfly);

/// Section 4.4: n >= (2^g / g) P^2, where nothing idles but for L. Sufficient, far from necessary.
bool hides_all(const Butterfly& butterfly);

/// Theorem 5.1: the whole schedule where n < 2^g P, else InvalidOption.
/// max{m log n, (m - 1) + L + (i* - l) g + R}. With g > 2P - 2: i* = m - 1, R = 2P - 2. Otherwise,
/// with j* = ceil(log(g + 2)) - 1: i* = m (1 - 2^-j*) and
///   R = m log P - m (j* - 3 + 2^(2 - j*))   as printed, which is R of j* - 1
///   R = m log P - m (j* - 2 + 2^(1 - j*))   corrected; the same for j* = 1
Index small_steps(const Butterfly& butterfly, FormulaVersion form);

}  // namespace kallima::models

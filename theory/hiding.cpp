// SPDX-License-Identifier: BSD-3-Clause
#include "theory/hiding.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/checked.hpp"
#include "theory/powers_of_two.hpp"

namespace kallima::models {

namespace {

/// The paper's letters.
struct Letters {
  Index m, l;
  Index log_m, log_l, log_p, g;
};

Index times(Index a, Index b) { return checked_mul(a, b, "steps of a butterfly"); }
Index plus(Index a, Index b) { return checked_add(a, b, "steps of a butterfly"); }

Letters letters_of(const Butterfly& butterfly) {
  const Index log_n = exact_log2(butterfly.inputs, "inputs");
  const Index log_p = exact_log2(butterfly.procs, "procs");
  require(log_p >= 1 && 2 * log_p <= log_n, "procs is " + std::to_string(butterfly.procs) +
                                                "; take at least 2, and at most the root of the " +
                                                std::to_string(butterfly.inputs) + " inputs");
  require(butterfly.gap >= 1 && butterfly.latency >= 0,
          "gap is " + std::to_string(butterfly.gap) + " and latency " +
              std::to_string(butterfly.latency) + "; take a gap from 1 and a latency from 0");
  const Index log_m = log_n - log_p;
  const Index log_l = log_m - log_p;
  return {Index{1} << log_m, Index{1} << log_l, log_m, log_l, log_p, butterfly.gap};
}

/// R of Theorem 5.1 for g <= 2P - 2. 2^j* divides m, as j* <= log P then.
Index rest_after(const Letters& of, Index j_star, FormulaVersion form) {
  const Index j = form == FormulaVersion::printed ? j_star - 1 : j_star;
  // m (j - 2 + 2^(1 - j)), where j may be 0.
  const Index done = times(of.m, j - 2) + (2 * of.m >> j);
  return times(of.m, of.log_p) - done;
}

/// Corollary 4.1: t_a - t_(a-1), when a = q 2^(r-1) with q odd: the sum of the bits that change.
Index computed_after(Index a) {
  // t has (i + 1) 2^i for each bit i of a: bit r - 1 is new, those below it are gone.
  const auto new_bit = static_cast<Index>(std::countr_zero(static_cast<std::uint64_t>(a)));
  Index steps = (new_bit + 1) << new_bit;
  for (Index bit = 0; bit < new_bit; ++bit) steps -= (bit + 1) << bit;
  return steps;
}

/// Fact 5.2: nodes that wait for an input of the `source`-th processor in order of arrival; its
/// leading ones among log P bits.
Index waiting_for(Index source, Index log_p) {
  const auto missing = static_cast<std::uint64_t>(~source & ((Index{1} << log_p) - 1));
  const auto ones = log_p - static_cast<Index>(std::bit_width(missing));
  return 2 * ((Index{1} << ones) - 1);
}

}  // namespace

Index ideal_steps(const Butterfly& butterfly) {
  const Letters of = letters_of(butterfly);
  return times(of.m, of.log_m + of.log_p);
}

Index simple_steps(const Butterfly& butterfly) {
  const Letters of = letters_of(butterfly);
  const Index sending = times(of.m - of.l - 1, of.g);
  return plus(plus(ideal_steps(butterfly), sending), butterfly.latency);
}

Index last_send_steps(const Butterfly& butterfly, FormulaVersion form) {
  const Letters of = letters_of(butterfly);
  if (of.g >= of.log_m) return plus(of.m - 1, times(of.m - of.l - 1, of.g));  // (1)
  const Index computing = times(of.m, of.log_m) + (Index{1} << of.g) - 1;
  if (of.g > of.log_l + 1) return computing - of.g - of.l * of.g;  // (2)
  const Index printed = computing - of.l * (of.log_l + 1);         // (3)
  return form == FormulaVersion::printed ? printed : printed - of.g;
}

Index output_driven_steps(const Butterfly& butterfly, FormulaVersion form) {
  const Letters of = letters_of(butterfly);
  const Index arrived = plus(last_send_steps(butterfly, form), butterfly.latency);
  return plus(std::max(arrived, times(of.m, of.log_m)), times(of.m, of.log_p));
}

Index exact_steps(const Butterfly& butterfly) {
  const Letters of = letters_of(butterfly);
  Index steps = ideal_steps(butterfly);
  Index rest = times(of.m, of.log_p);  // nodes that wait for this input or a later one
  Index computed = of.m - 1;
  Index sent = computed;
  for (Index a = 0; a < of.m - of.l; ++a) {
    if (a > 0) computed += computed_after(a);
    if (a > 0) sent = std::max(computed, plus(sent, of.g));
    steps = std::max(steps, plus(plus(sent, butterfly.latency), rest));
    rest -= waiting_for((a + of.l) / of.l, of.log_p);
  }
  return steps;
}

bool hides_all(const Butterfly& butterfly) {
  const Letters of = letters_of(butterfly);
  // n >= (2^g / g) P^2 is l g >= 2^g.
  return of.g < 62 && times(of.l, of.g) >= Index{1} << of.g;
}

Index small_steps(const Butterfly& butterfly, FormulaVersion form) {
  const Letters of = letters_of(butterfly);
  require(of.g > of.log_m, "gap is " + std::to_string(of.g) +
                               "; theorem 5.1 is for n < 2^g P, take a gap above " +
                               std::to_string(of.log_m) + " or use last_send_steps");
  Index last = of.m - 1;
  Index rest = 2 * butterfly.procs - 2;
  if (of.g <= 2 * butterfly.procs - 2) {
    // ceil(log2(g + 2)) is the number of bits of g + 1.
    const auto bits = static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(of.g) + 1));
    const Index j_star = bits - 1;
    last = of.m - (of.m >> j_star);
    rest = rest_after(of, j_star, form);
  }
  const Index sending = times(last - of.l, of.g);
  const Index waiting = plus(plus(of.m - 1, butterfly.latency), plus(sending, rest));
  return std::max(ideal_steps(butterfly), waiting);
}

}  // namespace kallima::models

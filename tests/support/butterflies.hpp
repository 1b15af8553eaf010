// SPDX-License-Identifier: BSD-3-Clause
//
// Slow and obvious: what number-theoretic and Walsh-Hadamard transforms should give.
#pragma once

#include <cstdint>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::test {

/// a b modulo p.
std::uint64_t slow_product(std::uint64_t a, std::uint64_t b, std::uint64_t p);

/// a to the power of e, modulo p.
std::uint64_t slow_power(std::uint64_t a, std::uint64_t e, std::uint64_t p);

/// Sum of x_j w^(jk) modulo p for every k, term by term. O(n^2).
std::vector<std::uint64_t> ntt_by_definition(const std::vector<std::uint64_t>& x, std::uint64_t w,
                                             std::uint64_t p);

/// The same by halves: those of even k are a transform of sums, those of odd k one of differences.
std::vector<std::uint64_t> ntt_by_halves(const std::vector<std::uint64_t>& x, std::uint64_t w,
                                         std::uint64_t p);

/// H_1 = 1, H_2n = (H_n H_n; H_n -H_n), applied to x: Hadamard's order.
std::vector<double> hadamard_by_recursion(const std::vector<double>& x);

}  // namespace kallima::test

// SPDX-License-Identifier: BSD-3-Clause
#include "support/butterflies.hpp"

namespace kallima::test {

__extension__ using Wide = unsigned __int128;

std::uint64_t slow_product(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % p);
}

std::uint64_t slow_power(std::uint64_t a, std::uint64_t e, std::uint64_t p) {
  if (e == 0) return 1;
  const std::uint64_t half = slow_power(a, e / 2, p);
  const std::uint64_t square = slow_product(half, half, p);
  return e % 2 == 0 ? square : slow_product(square, a, p);
}

std::vector<std::uint64_t> ntt_by_definition(const std::vector<std::uint64_t>& x, std::uint64_t w,
                                             std::uint64_t p) {
  std::vector<std::uint64_t> result;
  std::uint64_t w_k = 1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    Wide sum = 0;
    std::uint64_t power = 1;
    for (const std::uint64_t value : x) {
      sum = (sum + slow_product(value, power, p)) % p;
      power = slow_product(power, w_k, p);
    }
    result.push_back(static_cast<std::uint64_t>(sum));
    w_k = slow_product(w_k, w, p);
  }
  return result;
}

std::vector<std::uint64_t> ntt_by_halves(const std::vector<std::uint64_t>& x, std::uint64_t w,
                                         std::uint64_t p) {
  if (x.size() == 1) return x;
  const std::size_t half = x.size() / 2;
  std::vector<std::uint64_t> sums;
  std::vector<std::uint64_t> differences;
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < half; ++j) {
    sums.push_back(static_cast<std::uint64_t>((static_cast<Wide>(x[j]) + x[j + half]) % p));
    const auto difference =
        static_cast<std::uint64_t>((static_cast<Wide>(x[j]) + p - x[j + half]) % p);
    differences.push_back(slow_product(difference, power, p));
    power = slow_product(power, w, p);
  }
  const std::uint64_t square = slow_product(w, w, p);
  const std::vector<std::uint64_t> even = ntt_by_halves(sums, square, p);
  const std::vector<std::uint64_t> odd = ntt_by_halves(differences, square, p);
  std::vector<std::uint64_t> result;
  for (std::size_t k = 0; k < half; ++k) {
    result.push_back(even[k]);
    result.push_back(odd[k]);
  }
  return result;
}

std::vector<double> hadamard_by_recursion(const std::vector<double>& x) {
  if (x.size() == 1) return x;
  const auto half = static_cast<std::ptrdiff_t>(x.size() / 2);
  const std::vector<double> first = hadamard_by_recursion({x.begin(), x.begin() + half});
  const std::vector<double> second = hadamard_by_recursion({x.begin() + half, x.end()});
  std::vector<double> result;
  for (std::size_t i = 0; i < first.size(); ++i) result.push_back(first[i] + second[i]);
  for (std::size_t i = 0; i < first.size(); ++i) result.push_back(first[i] - second[i]);
  return result;
}

}  // namespace kallima::test

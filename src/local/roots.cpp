// SPDX-License-Identifier: BSD-3-Clause
#include "local/roots.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace kallima::local {

namespace {

int low_bits(Index n) {
  return (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) + 1) / 2;
}

}  // namespace

template <class T>
Index Roots<T>::size(Index n) {
  return (Index{1} << low_bits(n)) + (n >> low_bits(n)) + 1;
}

template <class T>
Roots<T>::Roots(Index n, const std::shared_ptr<MemorySource>& memory)
    : n_(n),
      bits_(low_bits(n)),
      mask_((Index{1} << bits_) - 1),
      memory_(memory, size(n) * static_cast<Index>(sizeof(std::complex<T>)), "roots of unity") {
  auto* const table = reinterpret_cast<std::complex<T>*>(memory_.view().data);
  const auto root = [n](Index e) {
    const long double angle = -2.0L * std::numbers::pi_v<long double> *
                              (static_cast<long double>(e) / static_cast<long double>(n));
    return std::complex<T>(static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle)));
  };
  for (Index e = 0; e <= mask_; ++e) table[e] = root(e);
  for (Index e = 0; e <= n >> bits_; ++e) table[mask_ + 1 + e] = root(e << bits_);
  low_ = table;
  high_ = table + mask_ + 1;
}

template class Roots<float>;
template class Roots<double>;

}  // namespace kallima::local

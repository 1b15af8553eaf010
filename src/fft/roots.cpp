// SPDX-License-Identifier: BSD-3-Clause
#include "fft/roots.hpp"

#include <cmath>
#include <numbers>

#include "base/root_table.hpp"

namespace kallima::fft {

template <class T>
Roots<T>::Roots(Index n, const std::shared_ptr<MemorySource>& memory)
    : n_(n),
      bits_(root_table_low_bits(n)),
      mask_((Index{1} << bits_) - 1),
      memory_(memory, root_table_size(n) * static_cast<Index>(sizeof(std::complex<T>)),
              "roots of unity") {
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
template class Roots<long double>;

}  // namespace kallima::fft

// SPDX-License-Identifier: BSD-3-Clause
//
// Roots of unity exp(-2 pi i e / n) for exponents 0 <= e < n, n up to 2^62, from two short tables:
// e = high * 2^b + low, and the root is the product of two entries, each rounded from long double.
// A full table was rejected (as large as the data), and so was computing roots by recurrence (the
// error grows along a line).
#pragma once

#include <complex>
#include <memory>

#include "kallima/buffer.hpp"

namespace kallima::fft {

template <class T>
class Roots {
 public:
  /// Tables of about 2 sqrt(n) elements. OutOfMemory where they cannot be had.
  Roots(Index n, const std::shared_ptr<MemorySource>& memory);

  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] Index bytes() const { return memory_.view().bytes; }

  /// exp(-2 pi i e / n).
  [[nodiscard]] std::complex<T> operator()(Index e) const {
    const std::complex<T> a = high_[e >> bits_];
    const std::complex<T> b = low_[e & mask_];
    // Spelled out: the library's product of complex numbers checks for infinities.
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  Index n_;
  int bits_;
  Index mask_;
  Buffer memory_;
  const std::complex<T>* low_;
  const std::complex<T>* high_;
};

extern template class Roots<float>;
extern template class Roots<double>;
extern template class Roots<long double>;

}  // namespace kallima::fft

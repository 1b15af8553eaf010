// SPDX-License-Identifier: BSD-3-Clause
//
// What codes do with frequencies, ready to be given to apply():
//
//     fft.apply(density, potential, kallima::inverse_laplacian());
//     fft.apply(u, du_dx, kallima::derivative(fft.spectrum(), 2));
//     fft.apply(u, smooth, kallima::gaussian_filter(0.1));
//
// or applied to elements one by one: `for (auto [k, value] : u_k.wavenumbers()) filter(k, value);`.
// Wavenumbers are those of Options::lengths; without, integers.
#pragma once

#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "kallima/array.hpp"
#include "kallima/export.h"
#include "kallima/spectrum.hpp"

namespace kallima {

/// Multiplies by -k^2.
inline auto laplacian() {
  return []<class E>(const Wavenumber& k, E& value) {
    value *= static_cast<decltype(std::abs(value))>(-k.squared());
  };
}

/// Divides by -k^2; the mean becomes 0.
inline auto inverse_laplacian() {
  return []<class E>(const Wavenumber& k, E& value) {
    const double factor = k.is_zero() ? 0.0 : -1.0 / k.squared();
    value *= static_cast<decltype(std::abs(value))>(factor);
  };
}

/// The derivative along an axis that is Fourier: multiplies by i k. Where the extent is even, the
/// frequency n/2, which has no sign, becomes 0, so that reals stay real. Complex frequencies only.
inline auto derivative(const Spectrum& spectrum, std::size_t axis) {
  const Index n = spectrum.positions()[axis];
  return [n, axis]<class T>(const Wavenumber& k, std::complex<T>& value) {
    const bool last = 2 * k[axis] == n || 2 * k[axis] == -n;
    const T factor = last ? T{0} : static_cast<T>(k.component(axis));
    value = {-factor * value.imag(), factor * value.real()};
  };
}

/// Convolves with a Gaussian of this standard deviation, in units of the box lengths (without, of
/// the box over 2 pi): multiplies by exp(-k^2 width^2 / 2).
inline auto gaussian_filter(double width) {
  const double half = 0.5 * width * width;
  return [half]<class E>(const Wavenumber& k, E& value) {
    value *= static_cast<decltype(std::abs(value))>(std::exp(-half * k.squared()));
  };
}

/// Sets frequencies with |k| beyond `most` to 0.
inline auto sharp_filter(double most) {
  return [squared = most * most]<class E>(const Wavenumber& k, E& value) {
    if (k.squared() > squared) value = E{};
  };
}

/// Frequencies of about one |k|.
struct Shell {
  double k = 0.0;      ///< mean |k| of them
  double power = 0.0;  ///< mean |value|^2
  Index modes = 0;     ///< how many, of the whole spectrum
};

/// The power spectrum: shell i has |k| from (i - 1/2) width to (i + 1/2) width. Of real data,
/// elements count for the partners that are not stored, too. The last shell has the largest |k|.
/// Collective; the same on all ranks, and for any number of them up to rounding. InvalidOption for
/// a width that is not positive, or for more than 2^24 shells; MismatchedArguments where
/// ranks differ.
template <class T>
KALLIMA_API std::vector<Shell> power_spectrum(MPI_Comm comm, const View<T>& frequencies,
                                              double width = 1.0);

extern template std::vector<Shell> power_spectrum(MPI_Comm, const View<float>&, double);
extern template std::vector<Shell> power_spectrum(MPI_Comm, const View<double>&, double);

}  // namespace kallima

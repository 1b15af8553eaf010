// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace kallima::test {

template <class T>
std::complex<T> sample(std::uint64_t seed, Index flat) {
  Random random(seed, static_cast<std::uint64_t>(flat) + 1);
  const auto re = static_cast<T>(random.real());
  const auto im = static_cast<T>(random.real());
  return {re, im};
}

template std::complex<float> sample<float>(std::uint64_t, Index);
template std::complex<double> sample<double>(std::uint64_t, Index);

Index flat_index(const Shape& shape, const std::vector<Index>& index) {
  Index flat = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) flat = flat * shape[a] + index[a];
  return flat;
}

std::vector<Index> flat_part(const Layout& layout, Index rank) {
  std::vector<Index> result;
  const std::vector<Progression> part = layout.local_indices(rank);
  const Index size = layout.local_size(rank);
  std::vector<Index> at(layout.axes(), 0);
  std::vector<Index> index(layout.axes());
  for (Index i = 0; i < size; ++i) {
    for (std::size_t a = 0; a < at.size(); ++a) index[a] = part[a].at(at[a]);
    result.push_back(flat_index(layout.shape(), index));
    for (std::size_t o = at.size(); o-- > 0;) {
      const auto a = static_cast<std::size_t>(layout.order()[o]);
      if (++at[a] < part[a].count) break;
      at[a] = 0;
    }
  }
  return result;
}

template <class T>
std::vector<std::complex<long double>> reference(const Shape& shape, std::uint64_t seed,
                                                 Direction direction, bool real) {
  std::vector<std::complex<long double>> data(static_cast<std::size_t>(volume(shape)));
  std::vector<int> extents;
  for (const Index n : shape) extents.push_back(static_cast<int>(n));
  auto* const raw = reinterpret_cast<fftwl_complex*>(data.data());
  fftwl_plan plan =
      fftwl_plan_dft(static_cast<int>(extents.size()), extents.data(), raw, raw,
                     direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::complex<T> value = sample<T>(seed, static_cast<Index>(i));
    data[i] = {value.real(), real ? T{0} : value.imag()};
  }
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return data;
}

template std::vector<std::complex<long double>> reference<float>(const Shape&, std::uint64_t,
                                                                 Direction, bool);
template std::vector<std::complex<long double>> reference<double>(const Shape&, std::uint64_t,
                                                                  Direction, bool);

double promised_error(Precision precision, Index elements) {
  const double eps = precision == Precision::f32
                         ? static_cast<double>(std::numeric_limits<float>::epsilon())
                         : std::numeric_limits<double>::epsilon();
  return std::max(eps, 1.5 * eps * std::sqrt(std::log2(static_cast<double>(elements))));
}

}  // namespace kallima::test

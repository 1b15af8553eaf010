// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random.hpp"
#include "support/whole_axis.hpp"

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

std::vector<HeldElement> held_part(const Layout& layout, Index rank) {
  std::vector<HeldElement> result;
  for (const LocalPart& part : layout.parts(rank)) {
    std::vector<Index> at(layout.axes(), 0);
    std::vector<Index> index(layout.axes());
    const Index size = part.size();
    for (Index i = 0; i < size; ++i) {
      Index offset = part.offset;
      for (std::size_t a = 0; a < at.size(); ++a) {
        index[a] = part.indices[a].at(at[a]);
        offset += at[a] * part.strides[a];
      }
      result.push_back({flat_index(layout.shape(), index), static_cast<std::size_t>(offset)});
      for (std::size_t o = at.size(); o-- > 0;) {
        const auto a = static_cast<std::size_t>(layout.order()[o]);
        if (++at[a] < part.indices[a].count) break;
        at[a] = 0;
      }
    }
  }
  return result;
}

std::vector<Index> flat_part(const Layout& layout, Index rank) {
  std::vector<Index> result;
  for (const HeldElement& element : held_part(layout, rank)) result.push_back(element.flat);
  return result;
}

namespace {

template <class T>
Whole test_array(const Problem& problem, std::uint64_t seed) {
  Whole data(static_cast<std::size_t>(problem.elements()));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::complex<T> value = sample<T>(seed, static_cast<Index>(i));
    data[i] = {value.real(), problem.complex_positions() ? value.imag() : T{0}};
  }
  return data;
}

}  // namespace

template <class T>
std::vector<std::complex<long double>> low_pass(const Problem& problem, std::uint64_t seed) {
  Whole data = test_array<T>(problem, seed);
  Index stride = problem.elements();
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    const Index n = problem.shape[a];
    stride /= n;
    if (!problem.truncated(a)) continue;
    transform_axis(data, problem.shape, a, AxisKind::fourier, -1);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Index k = static_cast<Index>(i) / stride % n;
      data[i] = std::min(k, n - k) <= problem.keep[a] ? data[i] / static_cast<long double>(n) : 0.L;
    }
    transform_axis(data, problem.shape, a, AxisKind::fourier, 1);
  }
  return data;
}

template std::vector<std::complex<long double>> low_pass<float>(const Problem&, std::uint64_t);
template std::vector<std::complex<long double>> low_pass<double>(const Problem&, std::uint64_t);

template <class T>
std::vector<std::complex<long double>> reference(const Problem& problem, std::uint64_t seed) {
  Whole data = test_array<T>(problem, seed);
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    const AxisKind kind = problem.axis_kind(a);
    if (kind != AxisKind::none && kind != AxisKind::batch) {
      transform_axis(data, problem.shape, a, kind, -1);
    }
  }
  return data;
}

template std::vector<std::complex<long double>> reference<float>(const Problem&, std::uint64_t);
template std::vector<std::complex<long double>> reference<double>(const Problem&, std::uint64_t);

double promised_error(Precision precision, Index elements) {
  const double eps = precision == Precision::f32
                         ? static_cast<double>(std::numeric_limits<float>::epsilon())
                         : std::numeric_limits<double>::epsilon();
  return std::max(eps, 1.5 * eps * std::sqrt(std::log2(static_cast<double>(elements))));
}

}  // namespace kallima::test

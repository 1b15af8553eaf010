// SPDX-License-Identifier: BSD-3-Clause
#include "support/whole_axis.hpp"
#include <utility>

#include "support/line_definition.hpp"

namespace kallima::test {

void transform_axis(Whole& data, const Shape& shape, std::size_t axis, AxisKind kind, int sign) {
  const Index n = shape[axis];
  Index inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  WhatOfLines what;
  what.sign = sign;
  if (is_trigonometric(kind)) {
    // Both are numbered from the first kind of cosines.
    const int number = static_cast<int>(kind) - static_cast<int>(AxisKind::cosine_1);
    what.kind = static_cast<LineKind>(static_cast<int>(LineKind::cosine_1) + number);
  }
  const LineDefinition definition(what, n);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  Whole weights(at(n));
  Whole result(data.size());
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) weights[at(j)] = definition.weight(j, k);
    for (Index first = 0; first < static_cast<Index>(data.size()); ++first) {
      if (first / inner % n != 0) continue;
      long double real = 0;
      long double imag = 0;
      for (Index j = 0; j < n; ++j) {
        const Long& element = data[at(first + j * inner)];
        const Long& weight = weights[at(j)];
        real += element.real() * weight.real() - element.imag() * weight.imag();
        imag += element.real() * weight.imag() + element.imag() * weight.real();
      }
      result[at(first + k * inner)] = {real, imag};
    }
  }
  data = std::move(result);
}

}  // namespace kallima::test

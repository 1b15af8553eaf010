// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "exchange/methods.hpp"

namespace kallima {

std::span<const MethodRow> method_rows() {
#define KALLIMA_METHOD(number, name, NAME, text, meaning) \
  MethodRow{ExchangeMethod::name, text, name##_method()},
  static const std::array rows = {KALLIMA_METHOD_TABLE(KALLIMA_METHOD)};
#undef KALLIMA_METHOD
  return rows;
}

}  // namespace kallima

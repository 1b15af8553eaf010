// SPDX-License-Identifier: BSD-3-Clause
#include "local/walsh.hpp"

#include <array>

namespace kallima::local {

namespace {

/// Plain numbers, a few at a time: compilers make vectors of them.
struct PlainLanes {
  static constexpr Index lanes = 8;
  static constexpr bool turns = false;
  using Vector = std::array<double, static_cast<std::size_t>(lanes)>;

  static Vector load(const double* from, Index count) {
    Vector result{};
    if (count == lanes) {
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = from[i];
    } else {
      for (Index i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = from[i];
    }
    return result;
  }
  static void store(double* to, const Vector& value, Index count) {
    if (count == lanes) {
      for (std::size_t i = 0; i < value.size(); ++i) to[i] = value[i];
    } else {
      for (Index i = 0; i < count; ++i) to[i] = value[static_cast<std::size_t>(i)];
    }
  }
  static Vector all(double value) {
    Vector result;
    result.fill(value);
    return result;
  }
  static Vector add(const Vector& a, const Vector& b) {
    Vector result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] + b[i];
    return result;
  }
  static Vector sub(const Vector& a, const Vector& b) {
    Vector result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] - b[i];
    return result;
  }
  static const Vector& turn(const Vector& a, const Vector& /*factor*/) { return a; }
};

}  // namespace

void WalshStages::operator()(double* data, const Interleaved& lines) const {
  all_stages<PlainLanes, double>({}, data, lines.length, 1, lines, nullptr);
}

}  // namespace kallima::local

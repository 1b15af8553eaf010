// SPDX-License-Identifier: BSD-3-Clause
#include "extras/walsh_stages.hpp"

#include <cstring>

namespace kallima::extras {

namespace {

/// Two numbers at a time, which every processor of today does at once.
struct TwoLanes {
  static constexpr Index lanes = 2;
  static constexpr bool turns = false;
  struct Vector {
    using Pair = double __attribute__((vector_size(16)));
    Pair of;
  };

  static Vector load(const double* from, Index count) {
    Vector result{};
    if (count == lanes) {
      std::memcpy(&result, from, sizeof(result));
    } else {
      std::memcpy(&result, from, sizeof(double));
    }
    return result;
  }
  static void store(double* to, Vector value, Index count) {
    if (count == lanes) {
      std::memcpy(to, &value, sizeof(value));
    } else {
      std::memcpy(to, &value, sizeof(double));
    }
  }
  static Vector all(double value) { return {Vector::Pair{value, value}}; }
  static Vector add(Vector a, Vector b) { return {a.of + b.of}; }
  static Vector sub(Vector a, Vector b) { return {a.of - b.of}; }
  static Vector turn(Vector a, Vector /*factor*/) { return a; }
};

}  // namespace

void WalshStages::operator()(double* data, const Interleaved& lines) const {
  all_stages<TwoLanes, double>({}, data, lines.length, 1, lines, nullptr);
}

}  // namespace kallima::extras

// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of numbers of 64 bits.
#pragma once

#include <memory>
#include <string>

#include "exec/operation.hpp"
#include "kallima/export.h"

namespace kallima {

struct KALLIMA_API NumberTheoretic;
struct KALLIMA_API Walsh;
struct KALLIMA_API Bitonic;

}  // namespace kallima

namespace kallima::exec {

/// What operations of one 64-bit number per element have in common: it takes the room of a complex
/// number of single precision, and their engines learn nothing.
struct OfWords {
  static constexpr bool learns = false;
  static constexpr Precision precision = Precision::f32;

  static std::string export_wisdom() { return {}; }
  static void import_wisdom(const std::string& /*wisdom*/) {}
};

/// What those have in common that multiply nothing between the sweeps of an axis.
template <class Number>
struct WithoutRoots : OfWords {
  struct Roots {
    Index modulus = 1;

    [[nodiscard]] Index n() const { return modulus; }
    [[nodiscard]] static Index bytes() { return 0; }
  };

  template <class Setup>
  static Roots make_roots(const Setup& /*setup*/, Index modulus,
                          const std::shared_ptr<MemorySource>& /*memory*/) {
    return {modulus};
  }
  static void twiddle(const TwiddledLines<Number>& /*lines*/, const Roots& /*roots*/,
                      bool /*backward*/) {}
};

}  // namespace kallima::exec

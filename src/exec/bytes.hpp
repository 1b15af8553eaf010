// SPDX-License-Identifier: BSD-3-Clause
//
// The operation of plans that only move elements, of any size: a number is one byte, and larger
// elements are an axis of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "exec/operation.hpp"

namespace kallima {

/// Names the operation.
struct Bytes {};

}  // namespace kallima

namespace kallima::exec {

template <>
struct Operation<Bytes> {
  using Number = std::uint8_t;
  using Real = Number;
  using Factor = double;
  static constexpr bool learns = false;
  static constexpr Precision precision = Precision::u8;

  struct Setup {};

  /// Of sweeps that compute; there are none.
  struct Engine {
    void run(const Number* /*from*/, Number* /*to*/, Number* /*scratch*/) const {}
    static bool aligned(const Number* /*data*/) { return true; }
  };
  /// Likewise.
  struct Roots {
    Index modulus = 1;

    [[nodiscard]] Index n() const { return modulus; }
    [[nodiscard]] static Index bytes() { return 0; }
  };

  static int sign(const Plan& /*plan*/, int /*step*/, Index /*rank*/) { return 1; }
  static Engine make_engine(const Setup& /*setup*/, const fft::Batch& /*batch*/, int /*sign*/,
                            Number* /*from*/, Number* /*to*/) {
    return {};
  }
  static Roots make_roots(const Setup& /*setup*/, Index modulus,
                          const std::shared_ptr<MemorySource>& /*memory*/) {
    return {modulus};
  }
  static void twiddle(const TwiddledLines<Number>& /*lines*/, const Roots& /*roots*/,
                      bool /*backward*/) {}
  static Factor reciprocal(const Setup& /*setup*/, Index /*n*/) { return 1.; }
  static std::string export_wisdom() { return {}; }
  static void import_wisdom(const std::string& /*wisdom*/) {}
  static std::string to_text(const Setup& /*setup*/) { return {}; }
  static void scale(const Setup& /*setup*/, Number* /*data*/, Index /*line_stride*/,
                    Index /*lines*/, Index /*length*/, Factor /*factor*/) {}
};

}  // namespace kallima::exec

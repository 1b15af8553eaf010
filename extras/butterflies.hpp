// SPDX-License-Identifier: BSD-3-Clause
//
// An engine of butterflies over lines of a power of two, as the executor calls it. Stages, a type,
// does all of them in place, see stages.hpp; what is left is to put elements in order, where it
// says that it leaves them in reverse.
//
// Lines that lie across memory are computed where they are, since vectors then hold neighbouring
// lines, and put in order on the way out: the only place where such lines are is the tile that they
// were gathered in, which nobody wants afterwards.
#pragma once

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "extras/stages.hpp"
#include "fft/engine.hpp"

namespace kallima::extras {

/// The number whose `bits` bits are those of i backwards.
constexpr Index reversed_bits(Index i, int bits) {
  Index result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (i >> bit & 1) << (bits - 1 - bit);
  return result;
}

template <class Stages>
class Butterflies {
 public:
  using Number = typename Stages::Number;

  /// Lengths are powers of two.
  Butterflies(const fft::Batch& batch, Stages stages) : batch_(batch), stages_(std::move(stages)) {
    const int bits = std::countr_zero(static_cast<std::uint64_t>(batch.length));
    for (Index i = 0; Stages::reverses && i < batch.length; ++i) {
      reversed_.push_back(static_cast<std::uint32_t>(reversed_bits(i, bits)));
    }
  }

  /// Transforms a batch. Overwrites `from` where its lines lie across memory. Allocates nothing.
  void run(const Number* from, Number* to, Number* /*scratch*/ = nullptr) const {
    const bool across = batch_.from.element != 1;
    if (across && to != from) {
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): see the head of this file
      auto* const lines = const_cast<Number*>(from);
      stages_(lines, {batch_.length, batch_.from.element, batch_.lines});
      leave_in_order(lines, to);
      return;
    }
    for (Index line = 0; line < batch_.lines; ++line) {
      Number* const target = to + line * batch_.to.line;
      if (to != from) {
        std::memcpy(target, from + line * batch_.from.line,
                    static_cast<std::size_t>(batch_.length) * sizeof(Number));
      }
      stages_(target, {batch_.length, 1, 1});
      for (Index i = 0; Stages::reverses && i < batch_.length; ++i) {
        const Index other = reversed(i);
        if (i < other) std::swap(target[i], target[other]);
      }
    }
  }
  /// A batch may begin anywhere.
  static bool aligned(const Number* /*data*/) { return true; }

 private:
  [[nodiscard]] Index reversed(Index i) const {
    if constexpr (!Stages::reverses) return i;
    return static_cast<Index>(reversed_[static_cast<std::size_t>(i)]);
  }

  /// From interleaved lines to lines in one piece each, a cache line of each at a time.
  void leave_in_order(const Number* from, Number* to) const {
    constexpr Index few = 64 / static_cast<Index>(sizeof(Number));
    for (Index begin = 0; begin < batch_.length; begin += few) {
      const Index end = std::min(batch_.length, begin + few);
      for (Index line = 0; line < batch_.lines; ++line) {
        for (Index i = begin; i < end; ++i) {
          to[line * batch_.to.line + i] = from[reversed(i) * batch_.from.element + line];
        }
      }
    }
  }

  fft::Batch batch_;
  Stages stages_;
  std::vector<std::uint32_t> reversed_;
};

}  // namespace kallima::extras

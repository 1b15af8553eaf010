// SPDX-License-Identifier: BSD-3-Clause
//
// What a bitonic sort (Batcher, Sorting networks and their applications, 1968) does to lines: sorts
// them, or merges blocks of them that rise and then fall. A merge is a butterfly, see stages.hpp,
// that leaves the smaller of two keys first.
//
// Keys of all kinds travel as 64 bits; what they are, only a comparison needs to know.
#pragma once

#include <bit>
#include <cstdint>

#include "extras/stages.hpp"

namespace kallima::extras {

/// 64 bits that are a key.
using KeyBits = std::uint64_t;

/// What the bits mean.
enum class KeyKind : std::uint8_t { natural, integer, real };

/// One step of a sort, for lines of one length.
struct SortStep {
  bool sorts = false;       ///< whole lines, in any order before; otherwise merges
  Index block = 1;          ///< of what is merged, along the line; every second one is left falling
  bool descending = false;  ///< the first falls

  /// As a number, by which engines are told apart.
  [[nodiscard]] int code() const {
    return std::countr_zero(static_cast<std::uint64_t>(block)) * 4 + (sorts ? 2 : 0) +
           (descending ? 1 : 0);
  }
  static SortStep of_code(int code) {
    return {(code & 2) != 0, Index{1} << (code / 4), (code & 1) != 0};
  }
};

class SortStages {
 public:
  using Number = KeyBits;
  static constexpr bool reverses = false;

  SortStages(KeyKind kind, const SortStep& step) : kind_(kind), step_(step) {}

  void operator()(KeyBits* data, const Interleaved& lines) const;

 private:
  KeyKind kind_;
  SortStep step_;
};

}  // namespace kallima::extras

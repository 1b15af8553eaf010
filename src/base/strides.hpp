// SPDX-License-Identifier: BSD-3-Clause
//
// How lines lie in memory.
#pragma once

#include "kallima/index.hpp"

namespace kallima {

/// Distances in memory, in elements.
struct Strides {
  Index element = 1;  ///< from one element of a line to the next
  Index line = 1;     ///< from one line to the next

  friend bool operator==(const Strides&, const Strides&) = default;
};

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// One integer type for everything that counts elements, bytes or ranks. Distributed FFTs have a
// long record of int counts that overflowed at 2048 x 1024 x 1024; here no count is narrowed
// unchecked.
#pragma once

#include <cstdint>

namespace kallima {

/// Counts of elements, bytes, ranks, and indices into them.
using Index = std::int64_t;

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/index.hpp"

namespace kallima::fft {

/// Bytes of the second-level cache of this machine's first core; 0 where the system does not tell.
Index second_cache_bytes();

}  // namespace kallima::fft

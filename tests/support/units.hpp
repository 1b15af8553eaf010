// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kallima/index.hpp"

namespace kallima::test {

inline constexpr Index mib = Index{1} << 20;
inline constexpr Index gib = Index{1} << 30;

}  // namespace kallima::test

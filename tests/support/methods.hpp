// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange methods, for tests that go through all of them: one that is added is among them.
#pragma once

#include <array>

#include "kallima/method_table.h"
#include "kallima/steps.hpp"

namespace kallima::test {

#define KALLIMA_ROW(number, name, NAME, text, meaning) ExchangeMethod::name,
/// All, in the order of the table.
inline constexpr std::array all_methods = {KALLIMA_METHOD_TABLE(KALLIMA_ROW)};
#undef KALLIMA_ROW

}  // namespace kallima::test

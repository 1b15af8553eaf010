// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/method.hpp"

namespace kallima {

/// The methods of the table: NAME_method() is defined in NAME.cpp.
#define KALLIMA_METHOD(number, name, NAME, text, meaning) const Method& name##_method();
KALLIMA_METHOD_TABLE(KALLIMA_METHOD)
#undef KALLIMA_METHOD

}  // namespace kallima

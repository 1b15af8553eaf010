// SPDX-License-Identifier: BSD-3-Clause
#include "api/instantiate.hpp"

KALLIMA_INSTANTIATE_TRANSFORM(double);

// SPDX-License-Identifier: BSD-3-Clause
#include "exec/instantiate.hpp"

KALLIMA_INSTANTIATE_EXECUTION(float);

// SPDX-License-Identifier: BSD-3-Clause
#include "extras/walsh.hpp"

#include "exec/instantiate.hpp"

KALLIMA_INSTANTIATE_EXECUTION(kallima::Walsh);

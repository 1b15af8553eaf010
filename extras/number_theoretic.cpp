// SPDX-License-Identifier: BSD-3-Clause
#include "extras/number_theoretic.hpp"

#include "exec/instantiate.hpp"

KALLIMA_INSTANTIATE_EXECUTION(kallima::NumberTheoretic);

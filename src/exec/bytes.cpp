// SPDX-License-Identifier: BSD-3-Clause
#include "exec/bytes.hpp"

#include "exec/instantiate.hpp"

KALLIMA_INSTANTIATE_EXECUTION(kallima::Bytes);

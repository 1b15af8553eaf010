// SPDX-License-Identifier: BSD-3-Clause
//
// All of Kallima.
#pragma once

#include "kallima/array.hpp"
#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "kallima/ntt.hpp"
#include "kallima/plan.hpp"
#include "kallima/plan_wisdom.hpp"
#include "kallima/planner.hpp"
#include "kallima/sort.hpp"
#include "kallima/transform.hpp"
#include "kallima/tune.hpp"
#include "kallima/walsh_hadamard.hpp"
#include "kallima/wisdom.hpp"

// SPDX-License-Identifier: BSD-3-Clause
//
// All that kallima::kallima has. The extras (ntt.hpp, walsh_hadamard.hpp, sort.hpp) are in a
// library of their own, kallima::extras.
#pragma once

#include "kallima/array.hpp"
#include "kallima/error.hpp"
#include "kallima/halo.hpp"
#include "kallima/layout.hpp"
#include "kallima/plan.hpp"
#include "kallima/plan_wisdom.hpp"
#include "kallima/planner.hpp"
#include "kallima/redistribute.hpp"
#include "kallima/spectral.hpp"
#include "kallima/transform.hpp"
#include "kallima/tune.hpp"
#include "kallima/version.h"
#include "kallima/wisdom.hpp"

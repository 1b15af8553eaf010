// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kallima/plan.hpp"

namespace kallima {

/// The plan that the lines of a text say which begin with a keyword: plan, start, sweep, exchange,
/// regroup, end. Figures, remarks and the hash need not be there and are not looked at;
/// Plan::parse() compares them. ParseError where there is no such plan, or it has a flaw
/// (flaw.hpp).
Plan read_plan(std::string_view text);

}  // namespace kallima

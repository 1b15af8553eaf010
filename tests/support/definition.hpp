// SPDX-License-Identifier: BSD-3-Clause
//
// Plans against the definition of what they are of, all ranks in one process.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima::test {

/// Runs a plan and its way back, each in place and out of place, and compares with sums term by
/// term along one axis after the other. What is wrong with the results; empty where nothing is.
std::string complaint_of(const Plan& plan);

/// What a plan of complex numbers makes of an array, row-major.
std::vector<std::complex<double>> run_plan(const Plan& plan,
                                           const std::vector<std::complex<double>>& whole);

}  // namespace kallima::test

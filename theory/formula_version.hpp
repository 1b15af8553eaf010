// SPDX-License-Identifier: BSD-3-Clause
//
// Some published formulas err. Both readings are kept: the printed one so that the paper's numbers
// can be had again, the corrected one to reckon with.
#pragma once

namespace kallima::models {

/// Which reading of a published formula.
enum class FormulaVersion {
  printed,   ///< as the paper has it
  corrected  ///< as it should read; where it differs the function says why
};

/// Both sides of an inequality, left against right.
struct Sides {
  double left = 0;
  double right = 0;
};

}  // namespace kallima::models

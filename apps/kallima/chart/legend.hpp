// SPDX-License-Identifier: BSD-3-Clause
//
// Names one after the other over a picture, each behind room for a sample of what it names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace kallima::cli::chart {

/// Where a word stands in rows of several.
struct Placed {
  std::size_t which = 0;
  double x = 0.0;
  std::size_t row = 0;
};

constexpr double swatch = 26;  ///< room before a name, of which 4 stay free

/// Places for the names that are not empty, in rows no wider than `width`.
std::vector<Placed> legend_rows(const Canvas& canvas, std::span<const std::string> names,
                                double width);

/// Height of all rows that are taken.
double strip(std::span<const Placed> placed);

}  // namespace kallima::cli::chart

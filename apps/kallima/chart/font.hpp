// SPDX-License-Identifier: BSD-3-Clause
//
// Letters made of strokes, so that pictures need no font file. All of printable ASCII; anything
// else is drawn as a question mark, one for each character of UTF-8.
#pragma once

#include <string_view>
#include <vector>

#include "canvas.hpp"

namespace kallima::cli::chart {

/// One line of the pen. A single point is a dot.
using Stroke = std::vector<Point>;

/// The strokes of a text whose letters have this size, from (0, 0) to the right; y is down and 0 on
/// the baseline.
std::vector<Stroke> strokes_of(std::string_view words, double size);

/// Width of a text in this font. Those of other fonts without serifs are alike or narrower.
double text_width(std::string_view words, double size);

/// Width of the pen for letters of this size.
double pen_width(double size, bool bold);

}  // namespace kallima::cli::chart

// SPDX-License-Identifier: BSD-3-Clause
//
// Charts for people, from numbers that a subcommand has: lines, points, bands, marks. The program
// draws them itself, so that a login node without Python can.
#pragma once

#include <string>
#include <vector>

namespace kallima::cli {

/// Values over x. What is not finite, or not positive on a logarithmic axis, is left out and breaks
/// the line. Where x and y differ in length, the shorter counts.
struct Series {
  std::string name;               ///< in the legend; empty: not there
  std::vector<double> x, y;       ///< in the order in which the line goes
  std::vector<double> low, high;  ///< a band around y; may be empty
  bool line = true;
  bool points = true;
  bool dashed = false;
};

/// A vertical line with a label.
struct Mark {
  double at = 0.0;
  std::string text;
};

/// Two axes and what is drawn over them.
struct Chart {
  std::string title, x_label, y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
  std::vector<Mark> marks;
};

/// Over logarithms on both axes, without series.
inline Chart logarithmic(const std::string& title, const std::string& x_label,
                         const std::string& y_label) {
  return {title, x_label, y_label, true, true, {}, {}};
}

/// Draws charts in two columns (one alone in one) into a file; the ending of `path`, .svg, .png
/// or .pdf, says in which form. InvalidOption where it is another, needs cairo in a program built
/// without, or there is nothing to draw; FileError where the file cannot be written.
void draw(const std::vector<Chart>& charts, const std::string& path);

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "legend.hpp"

#include <algorithm>

#include "style.hpp"

namespace kallima::cli::chart {

std::vector<Placed> legend_rows(const Canvas& canvas, std::span<const std::string> names,
                                double width) {
  std::vector<Placed> placed;
  double x = 0.0;
  std::size_t row = 0;
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (names[n].empty()) continue;
    const double takes = swatch + 6 + canvas.text_width(names[n], {.size = small_size});
    if (x > 0.0 && x + takes > width) {
      x = 0.0;
      ++row;
    }
    placed.push_back({n, x, row});
    x += takes + 18;
  }
  return placed;
}

double strip(std::span<const Placed> placed) {
  std::size_t rows = 0;
  for (const Placed& one : placed) rows = std::max(rows, one.row + 1);
  return static_cast<double>(rows) * line_height;
}

}  // namespace kallima::cli::chart

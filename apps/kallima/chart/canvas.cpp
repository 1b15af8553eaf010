// SPDX-License-Identifier: BSD-3-Clause
#include "canvas.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "kallima/error.hpp"

namespace kallima::cli::chart {

std::unique_ptr<Canvas> canvas_for(const std::string& path, double width, double height) {
  if (path.ends_with(".svg")) return svg_canvas(width, height);
  if (path.ends_with(".png")) return png_canvas(width, height);
  throw InvalidOption(
      fmt::format("charts cannot be drawn into '{}'; use a name that ends in .svg or .png", path));
}

void save(const Canvas& canvas, const std::string& path) { write_file(path, canvas.file()); }

}  // namespace kallima::cli::chart

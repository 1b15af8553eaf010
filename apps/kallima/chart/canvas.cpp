// SPDX-License-Identifier: BSD-3-Clause
#include "canvas.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "kallima/error.hpp"

namespace kallima::cli::chart {

std::unique_ptr<Canvas> canvas_for(const std::string& path) {
  if (path.ends_with(".svg")) return svg_canvas();
  if (path.ends_with(".png")) return cairo_canvas(CairoForm::png);
  if (path.ends_with(".pdf")) return cairo_canvas(CairoForm::pdf);
  throw InvalidOption(fmt::format(
      "pictures cannot be drawn into '{}'; use a name that ends in .svg, .png or .pdf", path));
}

void save(const Canvas& canvas, Size size, const std::string& path) {
  write_file(path, canvas.file(size));
}

}  // namespace kallima::cli::chart

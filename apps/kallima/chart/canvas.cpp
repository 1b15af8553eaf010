// SPDX-License-Identifier: BSD-3-Clause
#include "canvas.hpp"

#include <fmt/format.h>

#include <fstream>

#include "kallima/error.hpp"

namespace kallima::cli::chart {

std::unique_ptr<Canvas> canvas_for(const std::string& path, double width, double height) {
  if (path.ends_with(".svg")) return svg_canvas(width, height);
  if (path.ends_with(".png")) return png_canvas(width, height);
  throw InvalidOption(
      fmt::format("charts cannot be drawn into '{}'; use a name that ends in .svg or .png", path));
}

void save(const Canvas& canvas, const std::string& path) {
  const std::string bytes = canvas.file();
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw FileError(
        fmt::format("cannot write '{}'; name a file in a folder that exists and has room", path));
  }
}

}  // namespace kallima::cli::chart

// SPDX-License-Identifier: BSD-3-Clause
//
// PNG files (ISO/IEC 15948) without a library: a chart is mostly repetition, so a simple search for
// repeats and deflate's fixed codes (RFC 1951, section 3.2.6) make it small enough.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace kallima::cli::chart {

/// Pixels, row by row from the top.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Color> pixels;
};

/// The file of an image with at least one pixel.
std::string png_file(const Image& image);

}  // namespace kallima::cli::chart

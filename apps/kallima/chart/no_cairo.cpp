// SPDX-License-Identifier: BSD-3-Clause
//
// Stands where cairo_canvas.cpp does in a program that is built without cairo.
#include "canvas.hpp"
#include "kallima/error.hpp"

namespace kallima::cli::chart {

std::unique_ptr<Canvas> cairo_canvas(CairoForm /*form*/) {
  throw InvalidOption(
      "this kallima was built without cairo, which draws PNG and PDF; install libcairo2-dev and "
      "build again, or use a name that ends in .svg");
}

}  // namespace kallima::cli::chart

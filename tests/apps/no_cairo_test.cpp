// SPDX-License-Identifier: BSD-3-Clause
//
// What a program that is built without cairo says; built in every tree.
#include <gtest/gtest.h>

#include "chart/canvas.hpp"
#include "kallima/error.hpp"

namespace kallima::cli::chart {

namespace {

TEST(WithoutCairo, png_and_pdf_name_the_package) {
  for (const char* const name : {"chart.png", "chart.pdf"}) {
    try {
      canvas_for(name);
      FAIL() << name << " could be drawn";
    } catch (const InvalidOption& error) {
      const std::string text = error.what();
      for (const char* const words : {"without cairo", "libcairo2-dev", ".svg"}) {
        EXPECT_NE(text.find(words), std::string::npos) << text;
      }
    }
  }
}

TEST(WithoutCairo, svg_is_drawn) {
  const auto canvas = canvas_for("chart.svg");
  canvas->text({1, 2}, "words", {});
  EXPECT_NE(canvas->file({10, 10}).find(">words<"), std::string::npos);
}

}  // namespace

}  // namespace kallima::cli::chart

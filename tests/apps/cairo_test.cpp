// SPDX-License-Identifier: BSD-3-Clause
//
// PNG is read back by cairo and looked at pixel by pixel. That a PDF has its words is for
// check_cli.py to see, as its pages are compressed.
#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "chart/canvas.hpp"
#include "chart/chart.hpp"
#include "chart/style.hpp"
#include "kallima/error.hpp"
#include "texts.hpp"

namespace kallima::cli::chart {

namespace {

constexpr Color white{255, 255, 255};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<Color> pixels;

  [[nodiscard]] Color at(int x, int y) const {
    return pixels.at(static_cast<std::size_t>(y * width + x));
  }
  [[nodiscard]] std::size_t count(Color color) const {
    return static_cast<std::size_t>(std::count(pixels.begin(), pixels.end(), color));
  }
  /// How many columns have something else than white, and the first of them.
  [[nodiscard]] std::pair<int, int> inked_columns() const {
    int first = width;
    int last = -1;
    for (int x = 0; x < width; ++x) {
      for (int y = 0; y < height; ++y) {
        if (at(x, y) == white) continue;
        first = std::min(first, x);
        last = x;
      }
    }
    return {last + 1 - first, first};
  }
};

cairo_status_t take(void* rest, unsigned char* bytes, unsigned count) {
  auto& from = *static_cast<std::string_view*>(rest);
  if (from.size() < count) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(bytes, from.data(), count);
  from.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

Image decoded(std::string_view png) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create_from_png_stream(take, &png), cairo_surface_destroy);
  EXPECT_EQ(cairo_surface_status(surface.get()), CAIRO_STATUS_SUCCESS);
  Image image{cairo_image_surface_get_width(surface.get()),
              cairo_image_surface_get_height(surface.get()),
              {}};
  const unsigned char* const data = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::uint32_t pixel = 0;  // in the machine's own order of bytes
      std::memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
      image.pixels.push_back({static_cast<std::uint8_t>(pixel >> 16U),
                              static_cast<std::uint8_t>(pixel >> 8U),
                              static_cast<std::uint8_t>(pixel)});
    }
  }
  return image;
}

Image drawn(const Canvas& canvas, Size size) { return decoded(canvas.file(size)); }

std::array<Point, 4> box(double left, double top, double right, double bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

Chart some_chart() {
  Chart chart;
  chart.title = "Some chart";
  Series line;
  line.name = "a line";
  line.x = {1, 2, 3};
  line.y = {1, 2, 1};
  chart.series = {line};
  return chart;
}

std::string file_of_chart(const std::string& ending) {
  const std::string path = testing::TempDir() + "kallima_cairo" + ending;
  draw({some_chart()}, path);
  return content(path);
}

TEST(Png, of_a_chart_has_two_pixels_a_point_and_is_not_blank) {
  const std::string png = file_of_chart(".png");
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1A\n");
  const Image image = decoded(png);
  EXPECT_EQ(image.width, 1200);
  EXPECT_EQ(image.height, 800);
  EXPECT_EQ(image.at(0, 0), white);
  EXPECT_GT(image.count(blue), 1000U);      // the line
  EXPECT_GT(image.count(ink), 100U);        // the title
  EXPECT_GT(image.count(white), 800'000U);  // and most is free
}

TEST(Png, has_shapes_where_they_were_drawn) {
  const auto canvas = cairo_canvas(CairoForm::png);
  canvas->polygon(box(10, 10, 20, 20), vermilion, 1.0);
  canvas->polygon(box(15, 10, 20, 20), {0, 0, 0}, 0.5);
  canvas->circle({40, 15}, 5, green);
  const std::array<Point, 2> ends = {{{5, 30}, {45, 30}}};
  canvas->polyline(ends, {blue, 4, false});
  const Image image = drawn(*canvas, {50, 40});
  EXPECT_EQ(image.width, 100);
  EXPECT_EQ(image.height, 80);
  EXPECT_EQ(image.at(25, 30), vermilion);
  EXPECT_NEAR(image.at(35, 30).red, vermilion.red / 2, 1);
  EXPECT_EQ(image.count(vermilion), 200U);
  EXPECT_EQ(image.at(80, 30), green);
  EXPECT_EQ(image.at(71, 21), white);  // the circle's corner
  EXPECT_EQ(image.at(50, 57), blue);
  EXPECT_EQ(image.at(50, 62), blue);
  EXPECT_EQ(image.at(50, 65), white);
  EXPECT_EQ(image.at(0, 0), white);
}

TEST(Png, has_dashes_as_long_as_the_gaps_between) {
  const auto canvas = cairo_canvas(CairoForm::png);
  const std::array<Point, 2> ends = {{{0, 10}, {118, 10}}};
  canvas->polyline(ends, {blue, 2, true});
  const Image image = drawn(*canvas, {120, 20});
  int begins = 0;
  for (int x = 1; x < image.width; ++x) {
    if (image.at(x - 1, 20) == white && image.at(x, 20) != white) ++begins;
  }
  EXPECT_EQ(begins, 9);  // and the first begins the line
}

TEST(Png, has_text_on_the_side_its_anchor_says) {
  for (const Anchor anchor : {Anchor::start, Anchor::middle, Anchor::end}) {
    const auto canvas = cairo_canvas(CairoForm::png);
    const Lettering lettering{12, ink, anchor, false, false};
    canvas->text({100, 20}, "HHHHHHHH", lettering);
    const auto [columns, first] = drawn(*canvas, {200, 30}).inked_columns();
    const double width = canvas->text_width("HHHHHHHH", lettering);
    EXPECT_NEAR(columns / 2., width, 4);
    const double left = anchor == Anchor::start ? 100
                        : anchor == Anchor::end ? 100 - width
                                                : 100 - width / 2;
    EXPECT_NEAR(first / 2., left, 3);
  }
}

TEST(Png, has_text_that_goes_up) {
  const auto canvas = cairo_canvas(CairoForm::png);
  canvas->text({30, 90}, "HHHHHHHH", {12, ink, Anchor::start, true, false});
  const Image image = drawn(*canvas, {60, 100});
  const auto [columns, first] = image.inked_columns();
  EXPECT_LT(columns, 24);
  EXPECT_NEAR(first + columns, 60, 2);  // the baseline is on the right
}

TEST(Png, is_smaller_where_cairo_cannot_have_so_many_pixels) {
  const auto canvas = cairo_canvas(CairoForm::png);
  canvas->polygon(box(0, 39'000, 10, 40'000), blue, 1.0);
  const Image image = drawn(*canvas, {10, 40'000});
  EXPECT_EQ(image.height, 32767);
  EXPECT_EQ(image.at(4, 32'700), blue);
}

TEST(Cairo, measures_text) {
  const auto canvas = cairo_canvas(CairoForm::pdf);
  const auto width = [&](const char* words) { return canvas->text_width(words, {.size = 100}); };
  EXPECT_EQ(width(""), 0);
  EXPECT_NEAR(width("00"), 2 * width("0"), 2);
  EXPECT_LT(width("i"), width("W"));
  EXPECT_GT(canvas->text_width("words", {.size = 100, .bold = true}), 0);
  EXPECT_NEAR(canvas->text_width("words", {.size = 200}), 2 * width("words"), 2);
}

TEST(Cairo, takes_any_bytes_as_text) {
  for (const CairoForm form : {CairoForm::png, CairoForm::pdf}) {
    const auto canvas = cairo_canvas(form);
    canvas->text({10, 20}, "\xFF\xC3|\x01\n\xED\xA0\x80", {});
    EXPECT_GT(canvas->text_width("\xFF", {}), 0);
    EXPECT_GT(canvas->file({100, 30}).size(), 100U);
  }
}

TEST(Cairo, files_can_be_had_while_drawing_goes_on) {
  const auto canvas = cairo_canvas(CairoForm::png);
  canvas->polygon(box(0, 0, 5, 5), blue, 1.0);
  EXPECT_EQ(drawn(*canvas, {10, 10}).count(blue), 100U);
  canvas->polygon(box(5, 0, 10, 5), blue, 1.0);
  EXPECT_EQ(drawn(*canvas, {10, 10}).count(blue), 200U);
}

TEST(Pdf, is_one) {
  const std::string pdf = file_of_chart(".pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
}

TEST(Cairo, says_where_a_file_cannot_be_written) {
  for (const char* const name : {"no/such/folder/chart.png", "no/such/folder/chart.pdf"}) {
    EXPECT_THROW(draw({some_chart()}, testing::TempDir() + name), FileError);
  }
}

}  // namespace

}  // namespace kallima::cli::chart

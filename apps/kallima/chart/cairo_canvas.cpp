// SPDX-License-Identifier: BSD-3-Clause
//
// PNG and PDF by cairo. What is drawn is kept, and drawn by cairo when the size of the sheet is
// known; cairo's own recordings lose all of what is taller than 32767 pixels. Text is in whatever
// font without serifs the machine has, so it is measured, not estimated.
#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <numbers>
#include <vector>

#include "canvas.hpp"
#include "kallima/error.hpp"
#include "words.hpp"

namespace kallima::cli::chart {

namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;
using FontOptions = std::unique_ptr<cairo_font_options_t, Destroy>;

void require(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  throw FileError(fmt::format("cairo cannot draw the picture: {}; use a name that ends in .svg",
                              cairo_status_to_string(status)));
}

/// Called by cairo, which is C: nothing may be thrown through it.
cairo_status_t append(void* file, const unsigned char* bytes, unsigned count) noexcept {
  try {
    static_cast<std::string*>(file)->append(bytes, bytes + count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

/// What a point of ours is in a file: as much as is wanted, or less where a side would be too long.
double scale_of(Size size, double wanted, double longest_side) {
  return std::min(wanted, longest_side / std::max(size.width, size.height));
}

/// How everything is drawn. Letters fitted to pixels would be as wide as measured in one size only.
Context context_on(const Surface& surface) {
  Context context(cairo_create(surface.get()));
  cairo_set_line_cap(context.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(context.get(), CAIRO_LINE_JOIN_ROUND);
  const FontOptions options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context.get(), options.get());
  require(cairo_status(context.get()));
  return context;
}

void choose(cairo_t* context, Color color, double opacity) {
  constexpr double most = 255;
  cairo_set_source_rgba(context, color.red / most, color.green / most, color.blue / most, opacity);
}

void go_along(cairo_t* context, const std::vector<Point>& points) {
  cairo_new_path(context);
  for (const Point& point : points) cairo_line_to(context, point.x, point.y);
}

/// Width of a text; leaves its font chosen.
double measure(cairo_t* context, const std::string& words, const Lettering& lettering) {
  cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         lettering.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, lettering.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, words.c_str(), &extents);
  return extents.x_advance;
}

void write(cairo_t* context, Point at, const std::string& words, const Lettering& lettering) {
  const double width = measure(context, words, lettering);
  const double start = lettering.anchor == Anchor::start ? 0.0
                       : lettering.anchor == Anchor::end ? -width
                                                         : -width / 2;
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  if (lettering.upward) cairo_rotate(context, -std::numbers::pi / 2);
  cairo_move_to(context, start, 0.0);
  choose(context, lettering.color, 1.0);
  cairo_show_text(context, words.c_str());
  cairo_restore(context);
}

class CairoCanvas final : public Canvas {
 public:
  explicit CairoCanvas(CairoForm form)
      : form_(form),
        unseen_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1)),
        ruler_(context_on(unseen_)) {}

  void polyline(std::span<const Point> points, const Pen& pen) override {
    drawn_.emplace_back(
        [points = std::vector(points.begin(), points.end()), pen](cairo_t* context) {
          go_along(context, points);
          choose(context, pen.color, 1.0);
          cairo_set_line_width(context, pen.width);
          const double dash = 3 * pen.width;
          cairo_set_dash(context, &dash, pen.dashed ? 1 : 0, 0.0);
          cairo_stroke(context);
        });
  }

  void polygon(std::span<const Point> points, Color color, double opacity) override {
    drawn_.emplace_back(
        [points = std::vector(points.begin(), points.end()), color, opacity](cairo_t* context) {
          go_along(context, points);
          choose(context, color, opacity);
          cairo_fill(context);
        });
  }

  void circle(Point center, double radius, Color color) override {
    drawn_.emplace_back([center, radius, color](cairo_t* context) {
      cairo_new_path(context);
      cairo_arc(context, center.x, center.y, radius, 0.0, 2 * std::numbers::pi);
      choose(context, color, 1.0);
      cairo_fill(context);
    });
  }

  void text(Point at, std::string_view words, const Lettering& lettering) override {
    drawn_.emplace_back([at, words = readable(words), lettering](cairo_t* context) {
      write(context, at, words, lettering);
    });
  }

  [[nodiscard]] double text_width(std::string_view words,
                                  const Lettering& lettering) const override {
    // What stands beside words is sharp where it begins on a whole pixel.
    return std::ceil(measure(ruler_.get(), readable(words), lettering));
  }

  [[nodiscard]] std::string file(Size size) const override {
    std::string bytes;
    if (form_ == CairoForm::png) {
      constexpr double most_pixels = 32767;  // of cairo's images
      const double scale = scale_of(size, 2.0, most_pixels);
      const Surface image(cairo_image_surface_create(
          CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(size.width * scale)),
          static_cast<int>(std::ceil(size.height * scale))));
      draw_on(image, scale);
      require(cairo_surface_write_to_png_stream(image.get(), append, &bytes));
    } else {
      constexpr double most_units = 14400;  // of PDF's pages, 1/72 inch each
      const double scale = scale_of(size, 72.0 / 96.0, most_units);
      const Surface page(cairo_pdf_surface_create_for_stream(append, &bytes, size.width * scale,
                                                             size.height * scale));
      draw_on(page, scale);
      cairo_surface_finish(page.get());
      require(cairo_surface_status(page.get()));
    }
    return bytes;
  }

 private:
  /// Draws everything, on white.
  void draw_on(const Surface& surface, double scale) const {
    const Context context = context_on(surface);
    choose(context.get(), {255, 255, 255}, 1.0);
    cairo_paint(context.get());
    cairo_scale(context.get(), scale, scale);
    for (const auto& draw : drawn_) draw(context.get());
    require(cairo_status(context.get()));
  }

  CairoForm form_;
  std::vector<std::function<void(cairo_t*)>> drawn_;
  Surface unseen_;  ///< what text is measured on
  Context ruler_;
};

}  // namespace

std::unique_ptr<Canvas> cairo_canvas(CairoForm form) { return std::make_unique<CairoCanvas>(form); }

}  // namespace kallima::cli::chart

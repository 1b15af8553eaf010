// SPDX-License-Identifier: BSD-3-Clause
//
// What a chart is drawn on. Lengths are in points of 1/96 inch, x to the right, y down, as in SVG.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kallima::cli::chart {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// Of a sheet.
struct Size {
  double width = 0.0;
  double height = 0.0;
};

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

/// How a line is drawn.
struct Pen {
  Color color;
  double width = 1.0;
  bool dashed = false;
};

/// Which end of a text is at the point it is written at.
enum class Anchor { start, middle, end };

/// How text is written.
struct Lettering {
  double size = 12.0;
  Color color{};
  Anchor anchor = Anchor::start;
  bool upward = false;  ///< from bottom to top
  bool bold = false;
};

/// A sheet to draw on, white and without an end: its size is said when all is drawn, as it may
/// depend on how wide words are. Of text, control characters are left out, and what is no UTF-8
/// is drawn as question marks.
class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas(Canvas&&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  Canvas& operator=(Canvas&&) = delete;
  virtual ~Canvas() = default;

  virtual void polyline(std::span<const Point> points, const Pen& pen) = 0;
  /// A filled polygon; opacity 1 hides what is below.
  virtual void polygon(std::span<const Point> points, Color color, double opacity) = 0;
  virtual void circle(Point center, double radius, Color color) = 0;
  /// A line of text whose baseline goes through `at`.
  virtual void text(Point at, std::string_view words, const Lettering& lettering) = 0;
  /// How wide a text will be, or how wide at most where whoever opens the file chooses the font.
  [[nodiscard]] virtual double text_width(std::string_view words,
                                          const Lettering& lettering) const = 0;
  /// The file: all that was drawn so far, on a sheet of this size.
  [[nodiscard]] virtual std::string file(Size size) const = 0;
};

/// A canvas whose file is an SVG, with text as text.
std::unique_ptr<Canvas> svg_canvas();

/// What cairo draws.
enum class CairoForm {
  png,  ///< with two pixels a point
  pdf   ///< one page, with text as text
};

/// A canvas whose file cairo draws; InvalidOption where the program was built without cairo.
std::unique_ptr<Canvas> cairo_canvas(CairoForm form);

/// The one or the other, by the ending of `path`: .svg, .png or .pdf. InvalidOption where it is
/// another, or cairo is needed and missing. Cheap, and nothing is written: a way to find out.
std::unique_ptr<Canvas> canvas_for(const std::string& path);

/// Writes a canvas' file; FileError where that cannot be.
void save(const Canvas& canvas, Size size, const std::string& path);

}  // namespace kallima::cli::chart

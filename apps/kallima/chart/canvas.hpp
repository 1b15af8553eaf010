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
  Color color;
  Anchor anchor = Anchor::start;
  bool upward = false;  ///< from bottom to top
  bool bold = false;
};

/// A sheet to draw on; white at first.
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
  /// The file: all that was drawn so far.
  [[nodiscard]] virtual std::string file() const = 0;
};

/// A canvas of this size whose file is an SVG.
std::unique_ptr<Canvas> svg_canvas(double width, double height);

/// A canvas of this size whose file is a PNG with two pixels a point.
std::unique_ptr<Canvas> png_canvas(double width, double height);

/// The one or the other, by the ending of `path`, .svg or .png; InvalidOption where it is another.
std::unique_ptr<Canvas> canvas_for(const std::string& path, double width, double height);

/// Writes a canvas' file; FileError where that cannot be.
void save(const Canvas& canvas, const std::string& path);

}  // namespace kallima::cli::chart

// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes to pixels. Every shape is a set of closed contours, filled where the winding number is not
// zero: a line is the union of its segments and the discs at their ends, so that nothing is painted
// twice. Rows are sampled several times, columns exactly.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "canvas.hpp"
#include "font.hpp"
#include "png.hpp"

namespace kallima::cli::chart {

namespace {

using Contour = std::vector<Point>;

constexpr double pixels_per_point = 2.0;
constexpr int samples = 5;  // of a row

/// Where a contour crosses a sampled line, and in which direction.
struct Crossing {
  double x;
  int turn;
};

/// Adds an interval of x to the share of each pixel of a row that is covered.
void cover(std::vector<double>& row, double from, double to) {
  from = std::clamp(from, 0.0, static_cast<double>(row.size()));
  to = std::clamp(to, 0.0, static_cast<double>(row.size()));
  for (auto x = static_cast<std::size_t>(from); static_cast<double>(x) < to; ++x) {
    const auto left = static_cast<double>(x);
    row[x] += (std::min(to, left + 1) - std::max(from, left)) / samples;
  }
}

/// The crossings of all sampled lines between two rows.
class Crossings {
 public:
  Crossings(int first_row, int last_row)
      : first_(first_row * samples),
        lines_(static_cast<std::size_t>(std::max(0, last_row - first_row) * samples)) {}

  void add(const Contour& contour) {
    for (std::size_t i = 0; i < contour.size(); ++i) {
      add_edge(contour[i], contour[(i + 1) % contour.size()]);
    }
  }

  /// Covers a row by what is inside.
  void cover_row(int row, std::vector<double>& shares) {
    for (int s = 0; s < samples; ++s) {
      auto& line = lines_[static_cast<std::size_t>(row * samples + s - first_)];
      std::sort(line.begin(), line.end(),
                [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
      int winding = 0;
      for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        winding += line[i].turn;
        if (winding != 0) cover(shares, line[i].x, line[i + 1].x);
      }
    }
  }

 private:
  void add_edge(Point from, Point to) {
    const int turn = from.y < to.y ? 1 : -1;
    if (turn < 0) std::swap(from, to);
    // Lines lie in the middle of their part of a row.
    const int begin = std::max(first_, static_cast<int>(std::ceil(from.y * samples - 0.5)));
    const int end = std::min(first_ + static_cast<int>(lines_.size()),
                             static_cast<int>(std::ceil(to.y * samples - 0.5)));
    for (int line = begin; line < end; ++line) {
      const double y = (line + 0.5) / samples;
      const double x = from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y);
      lines_[static_cast<std::size_t>(line - first_)].push_back({x, turn});
    }
  }

  int first_;
  std::vector<std::vector<Crossing>> lines_;
};

/// All contours of lines turn the same way, so that winding numbers never cancel.
Contour disc(Point center, double radius) {
  constexpr int corners = 24;
  Contour contour;
  for (int i = 0; i < corners; ++i) {
    const double turn = 2 * std::numbers::pi * i / corners;
    contour.push_back({center.x + radius * std::cos(turn), center.y + radius * std::sin(turn)});
  }
  return contour;
}

Contour bar(Point a, Point b, double width) {
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double x = -(b.y - a.y) / length * width / 2;
  const double y = (b.x - a.x) / length * width / 2;
  return {{a.x - x, a.y - y}, {b.x - x, b.y - y}, {b.x + x, b.y + y}, {a.x + x, a.y + y}};
}

void add_line(std::vector<Contour>& shape, std::span<const Point> points, double width) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    shape.push_back(disc(points[i], width / 2));
    if (i == 0 || std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y) == 0.0) {
      continue;
    }
    shape.push_back(bar(points[i - 1], points[i], width));
  }
}

/// Parts of a line that are drawn where it is dashed.
std::vector<Stroke> dashes(std::span<const Point> points, double length) {
  std::vector<Stroke> parts(1);
  bool on = true;
  double left = length;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Point at = points[i];
    if (on) parts.back().push_back(at);
    if (i + 1 == points.size()) break;
    const Point to = points[i + 1];
    for (double rest = std::hypot(to.x - at.x, to.y - at.y); rest > left;) {
      at = {at.x + (to.x - at.x) * left / rest, at.y + (to.y - at.y) * left / rest};
      rest -= left;
      left = length;
      if (!on) parts.emplace_back();
      parts.back().push_back(at);
      on = !on;
    }
    left -= std::hypot(to.x - at.x, to.y - at.y);
  }
  return parts;
}

class PngCanvas final : public Canvas {
 public:
  PngCanvas(double width, double height) {
    image_.width = static_cast<std::size_t>(std::ceil(width * pixels_per_point));
    image_.height = static_cast<std::size_t>(std::ceil(height * pixels_per_point));
    image_.pixels.assign(image_.width * image_.height, {255, 255, 255});
  }

  void polyline(std::span<const Point> points, const Pen& pen) override {
    std::vector<Contour> shape;
    if (pen.dashed) {
      for (const Stroke& part : dashes(points, 3 * pen.width)) add_line(shape, part, pen.width);
    } else {
      add_line(shape, points, pen.width);
    }
    fill(shape, pen.color, 1.0);
  }

  void polygon(std::span<const Point> points, Color color, double opacity) override {
    fill({Contour(points.begin(), points.end())}, color, opacity);
  }

  void circle(Point center, double radius, Color color) override {
    fill({disc(center, radius)}, color, 1.0);
  }

  void text(Point at, std::string_view words, const Lettering& lettering) override {
    const double width = text_width(words, lettering.size);
    const double start = lettering.anchor == Anchor::start ? 0.0
                         : lettering.anchor == Anchor::end ? -width
                                                           : -width / 2;
    std::vector<Contour> shape;
    for (Stroke& stroke : strokes_of(words, lettering.size)) {
      for (Point& point : stroke) {
        const double along = start + point.x;
        point = lettering.upward ? Point{at.x + point.y, at.y - along}
                                 : Point{at.x + along, at.y + point.y};
      }
      const double pen = pen_width(lettering.size, lettering.bold);
      add_line(shape, stroke, stroke.size() == 1 ? 1.5 * pen : pen);
    }
    fill(shape, lettering.color, 1.0);
  }

  [[nodiscard]] std::string file() const override { return png_file(image_); }

 private:
  /// Cost: the pixels of the box around the shape.
  void fill(std::vector<Contour> shape, Color color, double opacity) {
    Point low{static_cast<double>(image_.width), static_cast<double>(image_.height)};
    Point high;
    for (Contour& contour : shape) {
      for (Point& point : contour) {
        point = {point.x * pixels_per_point, point.y * pixels_per_point};
        low = {std::min(low.x, point.x), std::min(low.y, point.y)};
        high = {std::max(high.x, point.x), std::max(high.y, point.y)};
      }
    }
    const int first_column = below(low.x);
    const int columns = above(high.x, image_.width) - first_column;
    const int first = below(low.y);
    const int last = above(high.y, image_.height);
    if (columns <= 0) return;
    Crossings crossings(first, last);
    for (Contour& contour : shape) {
      for (Point& point : contour) point.x -= first_column;
      crossings.add(contour);
    }
    for (int row = first; row < last; ++row) {
      std::vector<double> shares(static_cast<std::size_t>(columns), 0.0);
      crossings.cover_row(row, shares);
      const std::size_t at =
          static_cast<std::size_t>(row) * image_.width + static_cast<std::size_t>(first_column);
      blend(&image_.pixels[at], shares, color, opacity);
    }
  }

  /// Pixels between which a shape lies, inside the image.
  static int below(double from) { return static_cast<int>(std::max(0.0, std::floor(from))); }
  static int above(double to, std::size_t size) {
    return static_cast<int>(std::min(static_cast<double>(size), std::ceil(to)));
  }

  /// Blends a color into the pixels of a row from `first` on.
  static void blend(Color* first, const std::vector<double>& shares, Color color, double opacity) {
    const auto mixed = [](std::uint8_t under, std::uint8_t over, double share) {
      return static_cast<std::uint8_t>(std::lround(under + (over - under) * share));
    };
    for (std::size_t x = 0; x < shares.size(); ++x) {
      if (shares[x] <= 0.0) continue;
      const double share = std::min(1.0, shares[x]) * opacity;
      Color& pixel = first[x];
      pixel = {mixed(pixel.red, color.red, share), mixed(pixel.green, color.green, share),
               mixed(pixel.blue, color.blue, share)};
    }
  }

  Image image_;
};

}  // namespace

std::unique_ptr<Canvas> png_canvas(double width, double height) {
  return std::make_unique<PngCanvas>(width, height);
}

}  // namespace kallima::cli::chart

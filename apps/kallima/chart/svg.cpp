// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "canvas.hpp"
#include "xml.hpp"

namespace kallima::cli::chart {

namespace {

std::string hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// A number with at most two decimals and no more characters than it needs.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string pairs(std::span<const Point> points) {
  std::string text;
  for (const Point& point : points) {
    if (!text.empty()) text += ' ';
    text += number(point.x) + ',' + number(point.y);
  }
  return text;
}

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
    default:
      return "start";
  }
}

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(double width, double height) : width_(width), height_(height) {}

  void polyline(std::span<const Point> points, const Pen& pen) override {
    body_ += fmt::format(
        R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}"{} stroke-linejoin="round" stroke-linecap="round"/>)"
        "\n",
        pairs(points), hex(pen.color), number(pen.width),
        pen.dashed ? fmt::format(R"( stroke-dasharray="{} {}")", number(3 * pen.width),
                                 number(3 * pen.width))
                   : std::string());
  }

  void polygon(std::span<const Point> points, Color color, double opacity) override {
    body_ += fmt::format(R"(<polygon points="{}" fill="{}" fill-opacity="{}"/>)"
                         "\n",
                         pairs(points), hex(color), number(opacity));
  }

  void circle(Point center, double radius, Color color) override {
    body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}"/>)"
                         "\n",
                         number(center.x), number(center.y), number(radius), hex(color));
  }

  void text(Point at, std::string_view words, const Lettering& lettering) override {
    const std::string turn = lettering.upward ? fmt::format(" transform=\"rotate(-90 {} {})\"",
                                                            number(at.x), number(at.y))
                                              : std::string();
    body_ +=
        fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}" text-anchor="{}"{}{}>{}</text>)"
                    "\n",
                    number(at.x), number(at.y), number(lettering.size), hex(lettering.color),
                    name_of(lettering.anchor), lettering.bold ? R"( font-weight="600")" : "", turn,
                    xml_escaped(words));
  }

  [[nodiscard]] std::string file() const override {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">)"
        "\n"
        R"(<rect width="{0}" height="{1}" fill="#ffffff"/>)"
        "\n{2}</svg>\n",
        number(width_), number(height_), body_);
  }

 private:
  double width_;
  double height_;
  std::string body_;
};

}  // namespace

std::string xml_escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        // XML has no way to write control characters.
        if (static_cast<unsigned char>(c) >= 0x20U) text += c;
    }
  }
  return text;
}

std::unique_ptr<Canvas> svg_canvas(double width, double height) {
  return std::make_unique<SvgCanvas>(width, height);
}

}  // namespace kallima::cli::chart

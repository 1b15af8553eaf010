// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "canvas.hpp"
#include "words.hpp"
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

/// How wide the printable characters of ASCII are, from the blank on; A is ten. Digits are all as
/// wide as each other. Whoever opens the file chooses the font: those without serifs are alike or
/// narrower.
constexpr std::string_view widths =
    "20286770226614056666666666016666"
    "A8777667704768787877878A78725267"
    "2666664660252866664546685653036";
constexpr double widths_per_size = 13.5;
constexpr double gap = 2.7;  // between letters

double width_of(char c) {
  const bool known = c >= ' ' && c <= '~';
  const char width = widths[static_cast<std::size_t>((known ? c : '?') - ' ')];
  return gap + (width == 'A' ? 10 : width - '0');
}

class SvgCanvas final : public Canvas {
 public:
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

  [[nodiscard]] double text_width(std::string_view words,
                                  const Lettering& lettering) const override {
    double width = 0.0;
    for (const char c : readable(words)) {
      const bool goes_on =
          (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // a character of UTF-8
      if (!goes_on) width += width_of(c);
    }
    return width * lettering.size / widths_per_size;
  }

  [[nodiscard]] std::string file(Size size) const override {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">)"
        "\n"
        R"(<rect width="{0}" height="{1}" fill="#ffffff"/>)"
        "\n{2}</svg>\n",
        number(size.width), number(size.height), body_);
  }

 private:
  std::string body_;
};

}  // namespace

std::string xml_escaped(std::string_view words) {
  std::string text;
  for (const char c : readable(words)) {
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
        text += c;
    }
  }
  return text;
}

std::unique_ptr<Canvas> svg_canvas() { return std::make_unique<SvgCanvas>(); }

}  // namespace kallima::cli::chart

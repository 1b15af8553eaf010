// SPDX-License-Identifier: BSD-3-Clause
#include "font.hpp"

#include <algorithm>
#include <array>

namespace kallima::cli::chart {

namespace {

// A glyph is strokes between blanks. A stroke is a kind and points of two characters, x and y:
//   -  straight from point to point        ~  smooth, from the first point to the last
//   o  smooth and closed                   .  a dot
// Digits are themselves, A and B are 10 and 11, x y z are -1 -2 -3. The baseline is 0, small
// letters are 7 high, capitals 10. Smooth means a quadratic B-spline: corners of a rectangle make
// an oval.
constexpr std::array<const char*, 95> glyphs = {
    "",                                   // blank
    "-0A03 .00",                          // !
    "-0A07 -2A27",                        // "
    "-103A -507A -0373 -1787",            // #
    "~686A0A0565600002 -3B3x",            // $
    "-007A o0A3A3707 o43737040",          // %
    "~70181A5A5705005074",                // &
    "-0A07",                              // '
    "~2B08012y",                          // (
    "~0B28210y",                          // )
    "-3A34 -0965 -0569",                  // *
    "-0464 -3137",                        // +
    "-110y",                              // ,
    "-0444",                              // -
    ".00",                                // .
    "-0x5B",                              // /
    "o0A6A6000",                          // 0
    "-183A30",                            // 1
    "~080A6A6600 -0060",                  // 2
    "~080A6A6525 ~2565600002",            // 3
    "-505A0363",                          // 4
    "-6A1A05 ~051667600002",              // 5
    "o06666000 ~030A5A",                  // 6
    "-0A6A20",                            // 7
    "o1A5A5515 o05656000",                // 8
    "o0A6A6404 ~676010",                  // 9
    ".00 .06",                            // :
    ".16 -110y",                          // ;
    "-670461",                            // <
    "-0363 -0666",                        // =
    "-076401",                            // >
    "~080A6A663633 .30",                  // ?
    "o37777333 -7773 ~7572A2AA0A0x8x",    // @
    "-004A80 -1373",                      // A
    "-000A ~0A4A6A654505 ~054575704000",  // B
    "~787A0A007072",                      // C
    "-000A ~0A3A7A703000",                // D
    "-6A0A0060 -0555",                    // E
    "-6A0A00 -0555",                      // F
    "~787A0A007075 -7545",                // G
    "-000A -707A -0575",                  // H
    "-000A",                              // I
    "~4A43400002",                        // J
    "-000A -7A03 -3670",                  // K
    "-0A0060",                            // L
    "-000A448A80",                        // M
    "-000A707A",                          // N
    "o0A8A8000",                          // O
    "-000A ~0A4A7A754505",                // P
    "o0A8A8000 -538x",                    // Q
    "-000A ~0A4A7A754505 -4570",          // R
    "~787A0A0575700002",                  // S
    "-0A8A -4A40",                        // T
    "~0A040070747A",                      // U
    "-0A408A",                            // V
    "-0A205980AA",                        // W
    "-007A -0A70",                        // X
    "-0A458A -4540",                      // Y
    "-0A7A0070",                          // Z
    "-2B0B0y2y",                          // [
    "-0B5x",                              // backslash
    "-0B2B2y0y",                          // ]
    "-073A67",                            // ^
    "-0y7y",                              // _
    "-0A28",                              // `
    "-6760 o07676000",                    // a
    "-0A00 o07676000",                    // b
    "~656707006062",                      // c
    "-6A60 o07676000",                    // d
    "-0464 ~646707006061",                // e
    "~4A2A2720 -0747",                    // f
    "o07676000 ~67606z0z0y",              // g
    "-0A00 ~0407676460",                  // h
    "-0700 .0A",                          // i
    "~272x2z0z .2A",                      // j
    "-0A00 -5702 -2450",                  // k
    "~0A020020",                          // l
    "-0700 ~0407474440 ~4447878480",      // m
    "-0700 ~0407676460",                  // n
    "o07676000",                          // o
    "-070z o07676000",                    // p
    "-676z o07676000",                    // q
    "-0700 ~040747",                      // r
    "~5557070453500002",                  // s
    "~29222040 -0747",                    // t
    "~0703006063 -6760",                  // u
    "-073067",                            // v
    "-0720466087",                        // w
    "-0057 -0750",                        // x
    "-0730 -672z",                        // y
    "-07570050",                          // z
    "~3B1B1505 ~05151y3y",                // {
    "-0B0y",                              // |
    "~0B2B2535 ~35252y0y",                // }
    "~03165265",                          // ~
};

constexpr double units_per_size = 13.5;  // of a letter's size
constexpr double gap = 2.7;              // between letters, and blanks are wider by
constexpr double blank = 2.0;

double coordinate(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c == 'A' || c == 'B') return 10 + (c - 'A');
  return -1 - (c - 'x');
}

/// The next character of UTF-8 is `bytes` long.
std::size_t character_length(std::string_view words) {
  std::size_t bytes = 1;
  while (bytes < words.size() && (static_cast<unsigned char>(words[bytes]) & 0xC0U) == 0x80U) {
    ++bytes;
  }
  return bytes;
}

std::string_view glyph_of(char c) {
  const bool known = c >= ' ' && c <= '~';
  return glyphs[static_cast<std::size_t>((known ? c : '?') - ' ')];
}

Point middle(Point a, Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/// A parabola from a to c with corner b, a itself left out.
void add_arc(Stroke& stroke, Point a, Point b, Point c) {
  constexpr int steps = 6;
  for (int i = 1; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const double u = 1 - t;
    stroke.push_back(
        {u * u * a.x + 2 * u * t * b.x + t * t * c.x, u * u * a.y + 2 * u * t * b.y + t * t * c.y});
  }
}

Stroke smooth(const Stroke& corners) {
  Stroke stroke = {corners.front()};
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const bool last = i + 2 == corners.size();
    add_arc(stroke, stroke.back(), corners[i],
            last ? corners.back() : middle(corners[i], corners[i + 1]));
  }
  return stroke;
}

Stroke smooth_and_closed(const Stroke& corners) {
  Stroke stroke = {middle(corners.back(), corners.front())};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    add_arc(stroke, stroke.back(), corners[i],
            middle(corners[i], corners[(i + 1) % corners.size()]));
  }
  return stroke;
}

Stroke stroke_of(std::string_view code) {
  Stroke corners;
  for (std::size_t i = 1; i + 1 < code.size(); i += 2) {
    corners.push_back({coordinate(code[i]), coordinate(code[i + 1])});
  }
  if (code.front() == '~') return smooth(corners);
  return code.front() == 'o' ? smooth_and_closed(corners) : corners;
}

std::vector<Stroke> glyph_strokes(std::string_view glyph) {
  std::vector<Stroke> strokes;
  while (!glyph.empty()) {
    const std::size_t end = std::min(glyph.find(' '), glyph.size());
    strokes.push_back(stroke_of(glyph.substr(0, end)));
    glyph.remove_prefix(std::min(end + 1, glyph.size()));
  }
  return strokes;
}

/// How far the next letter is to the right. Digits are all as wide as each other.
double advance(char c) {
  if (c == ' ') return gap + blank;
  if (c >= '0' && c <= '9') return 6 + gap;
  double width = 0.0;
  for (const Stroke& stroke : glyph_strokes(glyph_of(c))) {
    for (const Point& point : stroke) width = std::max(width, point.x);
  }
  return width + gap;
}

}  // namespace

std::vector<Stroke> strokes_of(std::string_view words, double size) {
  const double unit = size / units_per_size;
  std::vector<Stroke> all;
  double x = gap / 2;
  while (!words.empty()) {
    for (Stroke& stroke : glyph_strokes(glyph_of(words.front()))) {
      for (Point& point : stroke) point = {(x + point.x) * unit, -point.y * unit};
      all.push_back(std::move(stroke));
    }
    x += advance(words.front());
    words.remove_prefix(character_length(words));
  }
  return all;
}

double text_width(std::string_view words, double size) {
  double width = 0.0;
  while (!words.empty()) {
    width += advance(words.front());
    words.remove_prefix(character_length(words));
  }
  return width * size / units_per_size;
}

double pen_width(double size, bool bold) { return size * (bold ? 0.125 : 0.085); }

}  // namespace kallima::cli::chart

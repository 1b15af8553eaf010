// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"

namespace kallima {

namespace {

constexpr const char* example = "; write for instance c2c:512x512x512, c2c:256^3:f32 or c2c:2^30";

/// Appends what one word between x's stands for: 48, 256^3, 2^30 or 2^10^3.
void append_extents(Shape& shape, const std::string& word) {
  const std::vector<std::string> factors = text::split(word, '^');
  const std::string what = fmt::format("extent '{}'", word);
  Index extent = text::parse_count(factors[0], what);
  std::size_t used = 1;
  if (extent == 2 && factors.size() > 1) {
    const Index power = text::parse_count(factors[1], what);
    if (power > 62) throw ParseError(fmt::format("{}: 2^{} is beyond 2^62", what, power));
    extent = Index{1} << power;
    used = 2;
  }
  Index repeat = 1;
  if (factors.size() > used) repeat = text::parse_count(factors[used++], what);
  if (factors.size() > used || repeat < 1 || repeat > max_axes) {
    throw ParseError(
        fmt::format("{}: N^D repeats an axis of N, D from 1 to {}{}", what, max_axes, example));
  }
  shape.insert(shape.end(), static_cast<std::size_t>(repeat), extent);
}

}  // namespace

Problem Problem::parse(std::string_view line) {
  const std::vector<std::string> fields = text::split(text::trim(line), ':');
  if (fields.size() < 2 || fields.size() > 3) {
    throw ParseError(
        fmt::format("problem '{}' should read KIND:SHAPE[:PRECISION]{}", line, example));
  }
  const std::size_t slash = std::min(fields[0].find('/'), fields[0].size());
  const std::string kind = fields[0].substr(0, slash);
  const bool real = kind == "r2c";
  if (kind != "c2c" && !real) {
    throw ParseError(fmt::format("problem '{}': kind '{}' is not known, c2c and r2c are{}", line,
                                 fields[0], example));
  }
  Problem problem;
  problem.kind = real ? Kind::r2c : Kind::c2c;
  for (const std::string& word : text::split(fields[1], 'x')) append_extents(problem.shape, word);
  if (fields.size() == 3) {
    if (fields[2] != "f32" && fields[2] != "f64") {
      throw ParseError(
          fmt::format("problem '{}': precision '{}' is neither f32 nor f64", line, fields[2]));
    }
    problem.precision = fields[2] == "f32" ? Precision::f32 : Precision::f64;
  }
  validate_shape(problem.shape);
  if (slash < fields[0].size()) {
    const std::vector<std::string> names = axis_names(problem.shape.size());
    const auto axis = std::find(names.begin(), names.end(), fields[0].substr(slash + 1));
    if (!real || axis == names.end()) {
      throw ParseError(
          fmt::format("problem '{}': '{}' should name the axis of r2c that is halved, one of {}",
                      line, fields[0], fmt::join(names, " ")));
    }
    problem.halved = static_cast<int>(axis - names.begin());
  }
  return problem;
}

std::string Problem::to_text() const {
  std::string kind_text = real() ? "r2c" : "c2c";
  if (real() && halved_axis() + 1 < shape.size()) {
    kind_text += "/" + axis_names(shape.size())[halved_axis()];
  }
  return fmt::format("{}:{}:{}", kind_text, fmt::join(shape, "x"),
                     precision == Precision::f32 ? "f32" : "f64");
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/text.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

constexpr const char* example = "; write for instance c2c:512x512x512, c2c:256^3:f32 or c2c:2^30";

constexpr std::array<std::pair<Kind, std::string_view>, 5> kinds = {{{Kind::c2c, "c2c"},
                                                                     {Kind::r2c, "r2c"},
                                                                     {Kind::ntt, "ntt"},
                                                                     {Kind::walsh, "walsh"},
                                                                     {Kind::sort, "sort"}}};

std::string_view name_of(Kind kind) {
  for (const auto& [known, name] : kinds) {
    if (kind == known) return name;
  }
  return "unknown";
}

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
  const std::string word = fields[0].substr(0, slash);
  const auto* const kind = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const auto& known) { return known.second == word; });
  if (kind == kinds.end()) {
    throw ParseError(fmt::format(
        "problem '{}': kind '{}' is not known, c2c and r2c are, and ntt, walsh and sort{}", line,
        fields[0], example));
  }
  Problem problem;
  problem.kind = kind->first;
  if (problem.of_words()) problem.precision = Precision::f32;
  if (fields[1].find_first_of(",;*X \t") != std::string::npos) {
    throw ParseError(
        fmt::format("problem '{}': use x between extents, as in {}:512x512x512", line, word));
  }
  for (const std::string& extent : text::split(fields[1], 'x')) {
    append_extents(problem.shape, extent);
  }
  if (fields.size() == 3) {
    if (problem.of_words()) {
      throw ParseError(fmt::format("problem '{}': elements of {} have 64 bits; leave '{}' out",
                                   line, word, fields[2]));
    }
    if (fields[2] != "f32" && fields[2] != "f64") {
      throw ParseError(
          fmt::format("problem '{}': precision '{}' is neither f32 nor f64", line, fields[2]));
    }
    problem.precision = fields[2] == "f32" ? Precision::f32 : Precision::f64;
  }
  problem.validate();
  if (slash < fields[0].size()) {
    const std::vector<std::string> names = axis_names(problem.shape.size());
    const auto axis = std::find(names.begin(), names.end(), fields[0].substr(slash + 1));
    if (!problem.real() || axis == names.end()) {
      throw ParseError(fmt::format("problem '{}': '{}' should name the r2c axis, one of {}", line,
                                   fields[0], fmt::join(names, " ")));
    }
    problem.r2c_axis = static_cast<int>(axis - names.begin());
  }
  return problem;
}

void Problem::validate() const {
  validate_shape(shape);
  if (!of_words()) return;
  for (const Index n : shape) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(n))) {
      throw InvalidShape(
          fmt::format("an extent of {} is no power of two; pad the array to the next one", n));
    }
  }
  if (kind == Kind::sort && shape.size() > 1) {
    throw InvalidShape(fmt::format("keys of {} axes; sort them along one", shape.size()));
  }
  if (precision != Precision::f32) {
    throw InvalidOption(
        fmt::format("elements of {} have the size of single complex numbers; give precision f32",
                    name_of(kind)));
  }
}

std::string Problem::to_text() const {
  std::string kind_text(name_of(kind));
  if (real() && r2c_axis_index() + 1 < shape.size()) {
    kind_text += "/" + axis_names(shape.size())[r2c_axis_index()];
  }
  std::string text = fmt::format("{}:{}", kind_text, fmt::join(shape, "x"));
  if (!of_words()) text += precision == Precision::f32 ? ":f32" : ":f64";
  return text;
}

}  // namespace kallima

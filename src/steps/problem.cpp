// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

constexpr const char* example = "; write for instance c2c:512x512x512, c2c:256^3:f32 or c2c:2^30";

constexpr std::array<std::pair<Kind, std::string_view>, 6> kinds = {{{Kind::c2c, "c2c"},
                                                                     {Kind::r2c, "r2c"},
                                                                     {Kind::r2r, "r2r"},
                                                                     {Kind::ntt, "ntt"},
                                                                     {Kind::walsh, "walsh"},
                                                                     {Kind::sort, "sort"}}};

constexpr std::array<std::pair<Precision, std::string_view>, 3> precisions = {
    {{Precision::f32, "f32"}, {Precision::f64, "f64"}, {Precision::u8, "u8"}}};

constexpr std::array<std::pair<AxisKind, std::string_view>, 12> axis_kinds = {
    {{AxisKind::fourier, "fourier"},
     {AxisKind::real, "real"},
     {AxisKind::cosine_1, "cosine-1"},
     {AxisKind::cosine_2, "cosine-2"},
     {AxisKind::cosine_3, "cosine-3"},
     {AxisKind::cosine_4, "cosine-4"},
     {AxisKind::sine_1, "sine-1"},
     {AxisKind::sine_2, "sine-2"},
     {AxisKind::sine_3, "sine-3"},
     {AxisKind::sine_4, "sine-4"},
     {AxisKind::none, "none"},
     {AxisKind::batch, "batch"}}};

/// The first of a table that has this name; null for none.
template <class Table>
const typename Table::value_type* named(const Table& table, std::string_view name) {
  const auto* const found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.second == name; });
  return found == table.end() ? nullptr : found;
}

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

/// Reads k=5 (the largest |k| kept along all Fourier axes) or kx=5. False where it is neither.
bool read_keep(std::vector<Index>& keep, Index& of_all, const std::string& item,
               const std::vector<std::string>& names) {
  const std::size_t equals = item.find('=');
  if (!item.starts_with('k') || equals == std::string::npos) return false;
  const std::string name = item.substr(1, equals - 1);
  const auto axis = std::find(names.begin(), names.end(), name);
  if (!name.empty() && axis == names.end()) return false;
  const Index most = text::parse_count(item.substr(equals + 1), fmt::format("'{}'", item));
  (name.empty() ? of_all : keep[static_cast<std::size_t>(axis - names.begin())]) = most;
  return true;
}

/// What is between / and : of a problem's text: items like z (the r2c axis), cosine-2 (of all axes
/// that are not named), x=none and kx=5, with commas between them.
void read_axes(Problem& problem, std::string_view items, std::string_view line) {
  const std::vector<std::string> names = axis_names(problem.shape.size());
  const auto axis_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (problem.axes.empty()) problem.axes.assign(names.size(), AxisKind::fourier);
  std::vector<bool> is_named(names.size(), false);
  AxisKind others = AxisKind::fourier;
  std::vector<Index> keep(names.size(), -1);
  Index of_all = -1;
  for (const std::string& item : text::split(items, ',')) {
    if (read_keep(keep, of_all, item, names)) continue;
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::size_t axis = axis_of(item.substr(0, equals));
    const auto* const kind =
        named(axis_kinds, equals < item.size() ? item.substr(equals + 1) : item);
    if (equals == item.size() && axis < names.size() && problem.real()) {
      problem.r2c_axis = static_cast<int>(axis);
    } else if (equals == item.size() && kind != nullptr) {
      others = kind->first;
    } else if (axis < names.size() && kind != nullptr) {
      problem.axes[axis] = kind->first;
      is_named[axis] = true;
    } else {
      throw ParseError(fmt::format(
          "problem '{}': '{}' should be AXIS=KIND, or KIND for all axes{}; axes are {}, kinds "
          "fourier, cosine-1 to cosine-4, sine-1 to sine-4, none and batch; k=K keeps frequencies "
          "|k| <= K of all axes, kAXIS=K of one",
          line, item, problem.real() ? ", or the r2c AXIS" : "", fmt::join(names, " ")));
    }
  }
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (!is_named[a] && problem.axes[a] == AxisKind::fourier) problem.axes[a] = others;
    if (keep[a] < 0 && problem.axis_kind(a) <= AxisKind::real) keep[a] = of_all;
  }
  if (std::any_of(keep.begin(), keep.end(), [](Index most) { return most >= 0; })) {
    problem.keep = std::move(keep);
  }
}

/// FFTW's logical size of one axis (its manual, "1d Real-even DFTs" and "1d Real-odd DFTs").
Index logical_extent(AxisKind kind, Index n) {
  switch (kind) {
    case AxisKind::fourier:
    case AxisKind::real:
      return n;
    case AxisKind::cosine_1:
      return 2 * (n - 1);
    case AxisKind::sine_1:
      return 2 * (n + 1);
    case AxisKind::none:
    case AxisKind::batch:
      return 1;
    default:
      return 2 * n;
  }
}

/// The shape that a field of a problem's text says, and a batch in front of it.
void read_shape(Problem& problem, const std::string& field, std::string_view line) {
  const std::size_t star = std::min(field.find('*'), field.size());
  const std::string extents = field.substr(0, star);
  if (extents.find_first_of(",;X \t") != std::string::npos) {
    throw ParseError(fmt::format("problem '{}': use x between extents, as in {}:512x512x512", line,
                                 name_of(problem.kind)));
  }
  if (star < field.size()) {
    problem.shape.push_back(
        text::parse_count(field.substr(star + 1), fmt::format("batch of problem '{}'", line)));
  }
  for (const std::string& extent : text::split(extents, 'x')) {
    append_extents(problem.shape, extent);
  }
  if (star < field.size()) {
    problem.axes.assign(problem.shape.size(), AxisKind::fourier);
    problem.axes.front() = AxisKind::batch;
  }
}

}  // namespace

std::string_view name_of(AxisKind kind) {
  for (const auto& [known, name] : axis_kinds) {
    if (kind == known) return name;
  }
  return "unknown";
}

Problem Problem::parse(std::string_view line) {
  const std::vector<std::string> fields = text::split(text::trim(line), ':');
  if (fields.size() < 2 || fields.size() > 3) {
    throw ParseError(
        fmt::format("problem '{}' should read KIND:SHAPE[:PRECISION]{}", line, example));
  }
  const std::size_t slash = std::min(fields[0].find('/'), fields[0].size());
  const auto* const found = named(kinds, fields[0].substr(0, slash));
  if (found == nullptr) {
    throw ParseError(fmt::format(
        "problem '{}': kind '{}' is not known, c2c, r2c and r2r are, and ntt, walsh and sort{}",
        line, fields[0], example));
  }
  Problem problem;
  problem.kind = found->first;
  if (problem.of_words()) problem.precision = Precision::f32;
  read_shape(problem, fields[1], line);
  if (fields.size() == 3) {
    if (problem.of_words()) {
      throw ParseError(fmt::format("problem '{}': elements of {} have 64 bits; leave '{}' out",
                                   line, found->second, fields[2]));
    }
    const auto* const precision = named(precisions, fields[2]);
    if (precision == nullptr) {
      throw ParseError(fmt::format("problem '{}': precision '{}' is neither f32 nor f64, nor u8",
                                   line, fields[2]));
    }
    problem.precision = precision->first;
  }
  validate_shape(problem.shape);
  if (slash < fields[0].size()) read_axes(problem, fields[0].substr(slash + 1), line);
  problem.validate();
  return problem;
}

void Problem::validate() const {
  validate_shape(shape);
  validate_axes();
  validate_keep();
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

void Problem::validate_axes() const {
  const std::vector<std::string> names = axis_names(shape.size());
  if (!axes.empty() && axes.size() != shape.size()) {
    throw InvalidOption(fmt::format("{} kinds for {} axes; give one per axis, or none for Fourier",
                                    axes.size(), shape.size()));
  }
  if (real() && r2c_axis >= static_cast<int>(shape.size())) {
    throw InvalidOption(fmt::format(
        "r2c_axis is {}, and there are {} axes; name one of them, or leave it to be the last",
        r2c_axis, shape.size()));
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const AxisKind its = axes[a];
    const bool r2c = real() && a == r2c_axis_index();
    if (static_cast<int>(its) > static_cast<int>(AxisKind::batch)) {
      throw InvalidOption(fmt::format("axis {} has kind {}; use an enumerator of AxisKind",
                                      names[a], static_cast<int>(its)));
    }
    if (of_words() && its != AxisKind::fourier) {
      throw InvalidOption(
          fmt::format("axis {} of {} is {}; only transforms of complex or real "
                      "numbers have kinds of axes",
                      names[a], name_of(kind), name_of(its)));
    }
    if (its == AxisKind::real && !r2c) {
      throw InvalidOption(fmt::format(
          "axis {} is real, and the r2c axis {}; of r2c one axis is real, of others none", names[a],
          real() ? names[r2c_axis_index()] : "is none"));
    }
    if (r2c && its != AxisKind::real && its != AxisKind::fourier) {
      throw InvalidOption(fmt::format(
          "axis {} is the r2c axis, and {}; make it fourier, or another one the r2c axis", names[a],
          name_of(its)));
    }
    if (its == AxisKind::cosine_1 && shape[a] < 2) {
      throw InvalidShape(fmt::format(
          "axis {} has 1 element, and cosine-1 needs 2 at least; use another kind", names[a]));
    }
  }
  for (std::size_t a = 0; precision == Precision::u8 && a < shape.size(); ++a) {
    if (kind == Kind::c2c && axis_kind(a) >= AxisKind::none) continue;
    throw InvalidOption(
        fmt::format("axis {} of bytes is {}; they are moved only: make it c2c, and all axes none",
                    names[a], name_of(axis_kind(a))));
  }
  if (kind != Kind::r2r) return;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (axis_kind(a) != AxisKind::fourier) continue;
    throw InvalidOption(
        fmt::format("axis {} of r2r is fourier; give it a cosine or sine kind, or none", names[a]));
  }
}

void Problem::validate_keep() const {
  if (!keep.empty() && keep.size() != shape.size()) {
    throw InvalidOption(
        fmt::format("frequencies to keep of {} axes, and there are {}; give one number per axis, "
                    "-1 for all, or none",
                    keep.size(), shape.size()));
  }
  for (std::size_t a = 0; a < keep.size(); ++a) {
    if (keep[a] < 0 || (!of_words() && axis_kind(a) <= AxisKind::real)) continue;
    throw InvalidOption(fmt::format(
        "frequencies |k| <= {} of axis {}, which is no Fourier axis; give -1 and keep all", keep[a],
        axis_names(shape.size())[a]));
  }
}

Index Problem::logical_size() const {
  Index size = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    size = checked_mul(size, logical_extent(axis_kind(a), shape[a]), "elements of a transform");
  }
  return size;
}

namespace {

/// What says which frequencies are kept: one item for all axes where one number does.
void add_keep(const Problem& problem, const std::vector<std::string>& names,
              std::vector<std::string>& items) {
  if (!problem.truncated()) return;
  Index most = -1;
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (problem.truncated(a)) most = problem.keep[a];
  }
  // It does where it says the same of every Fourier axis.
  Problem same = problem;
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (problem.axis_kind(a) <= AxisKind::real) same.keep[a] = most;
  }
  if (same == problem) {
    items.push_back(fmt::format("k={}", most));
    return;
  }
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (problem.truncated(a)) items.push_back(fmt::format("k{}={}", names[a], problem.keep[a]));
  }
}

/// What stands between / and : of the text form; empty where kinds are as they are by default.
std::string axes_text(const Problem& problem, bool batch_in_front) {
  const std::vector<std::string> names = axis_names(problem.shape.size());
  std::vector<std::string> items;
  if (problem.real() && problem.r2c_axis_index() + 1 < names.size()) {
    items.push_back(names[problem.r2c_axis_index()]);
  }
  const std::size_t first = batch_in_front ? 1 : 0;
  // Of r2r, and where nothing is transformed, the kind of most axes is said once; ties go to the
  // first.
  AxisKind common = AxisKind::fourier;
  if (problem.kind == Kind::r2r || problem.moves_only()) {
    std::ptrdiff_t most = 0;
    for (std::size_t a = first; a < names.size(); ++a) {
      const auto count = std::count(problem.axes.begin() + static_cast<std::ptrdiff_t>(first),
                                    problem.axes.end(), problem.axes[a]);
      if (count <= most) continue;
      most = count;
      common = problem.axes[a];
    }
    if (most > 0) items.emplace_back(name_of(common));
  }
  for (std::size_t a = first; a < names.size(); ++a) {
    const AxisKind its = problem.axis_kind(a);
    if (its == common || its == AxisKind::real) continue;
    items.push_back(fmt::format("{}={}", names[a], name_of(its)));
  }
  add_keep(problem, names, items);
  return fmt::format("{}", fmt::join(items, ","));
}

}  // namespace

std::string Problem::to_text() const {
  std::string text(name_of(kind));
  const bool batch = shape.size() > 1 && axis_kind(0) == AxisKind::batch;
  const std::string items = axes_text(*this, batch);
  if (!items.empty()) text += "/" + items;
  text += fmt::format(":{}", fmt::join(shape.begin() + (batch ? 1 : 0), shape.end(), "x"));
  if (batch) text += fmt::format("*{}", shape.front());
  if (!of_words())
    text += fmt::format(":{}", precisions[static_cast<std::size_t>(precision)].second);
  return text;
}

}  // namespace kallima

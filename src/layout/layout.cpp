// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "kallima/error.hpp"
#include "layout/box_table.hpp"

namespace kallima {

namespace {

std::string shape_text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::vector<int> checked_order(std::vector<int> order, std::size_t axes) {
  if (order.empty()) {
    order.resize(axes);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != axes || sorted[i] != static_cast<int>(i)) {
      throw InvalidLayout(
          fmt::format("memory order {} does not name each of the {} axes once", order, axes));
    }
  }
  return order;
}

void check_axis(const Axis& axis, std::size_t a) {
  if (axis.n < 1) {
    throw InvalidLayout(fmt::format("axis {} has extent {}; extents are at least 1", a, axis.n));
  }
  if (axis.procs < 1) {
    throw InvalidLayout(
        fmt::format("axis {} is distributed to {} processors; give at least 1", a, axis.procs));
  }
  if (axis.procs > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidLayout(fmt::format(
        "axis {} is distributed to {} processors; no more than 2^31 - 1", a, axis.procs));
  }
  if (axis.cycle < 1 || axis.procs % axis.cycle != 0) {
    throw InvalidLayout(fmt::format("axis {}: cycle {} does not divide its {} processors", a,
                                    axis.cycle, axis.procs));
  }
}

/// Default strides: the last axis runs fastest.
void number_ranks(std::vector<Axis>& axes) {
  Index stride = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    axes[a].rank_stride = axes[a].procs == 1 ? 1 : stride;
    stride = checked_mul(stride, axes[a].procs, "ranks of a layout");
  }
}

Index box_volume(const Box& box) {
  Index result = 1;
  for (std::size_t a = 0; a < box.low.size(); ++a) {
    result = checked_mul(result, box.high[a] - box.low[a], "volume of a box");
  }
  return result;
}

std::string box_text(const Box& box) {
  std::vector<std::string> edges;
  for (std::size_t a = 0; a < box.low.size(); ++a) {
    edges.push_back(fmt::format("{}:{}", box.low[a], box.high[a]));
  }
  return fmt::format("{}", fmt::join(edges, " "));
}

bool overlap(const Box& a, const Box& b) {
  for (std::size_t d = 0; d < a.low.size(); ++d) {
    if (std::max(a.low[d], b.low[d]) >= std::min(a.high[d], b.high[d])) return false;
  }
  return true;
}

/// Signed corners of a box: its indicator function, differenced once along every axis. A set of
/// boxes covers the array exactly once iff their corners add up to those of the array, because
/// summing up again (integration) is injective. This needs no comparison of pairs.
void add_corners(std::map<std::vector<Index>, Index>& corners, const Box& box, Index sign) {
  const std::size_t axes = box.low.size();
  std::vector<Index> corner(axes);
  for (std::size_t mask = 0; mask < (std::size_t{1} << axes); ++mask) {
    Index weight = sign;
    for (std::size_t a = 0; a < axes; ++a) {
      const bool upper = ((mask >> a) & 1U) != 0;
      corner[a] = upper ? box.high[a] : box.low[a];
      if (upper) weight = -weight;
    }
    const auto [at, inserted] = corners.emplace(corner, weight);
    if (!inserted && (at->second += weight) == 0) corners.erase(at);
  }
}

/// What is left of a box without another: up to two slices per axis.
void add_difference(const Box& box, const Box& without, std::vector<Box>& left) {
  if (!overlap(box, without)) {
    left.push_back(box);
    return;
  }
  Box rest = box;
  for (std::size_t a = 0; a < box.low.size(); ++a) {
    Box below = rest;
    below.high[a] = std::max(rest.low[a], without.low[a]);
    if (below.low[a] < below.high[a]) left.push_back(below);
    Box above = rest;
    above.low[a] = std::min(rest.high[a], without.high[a]);
    if (above.low[a] < above.high[a]) left.push_back(above);
    rest.low[a] = below.high[a];
    rest.high[a] = above.low[a];
  }
}

/// A part of the array that no box covers.
Box first_gap(const std::vector<Box>& boxes, const Shape& shape) {
  std::vector<Box> left = {{Shape(shape.size(), 0), shape}};
  for (const Box& box : boxes) {
    std::vector<Box> next;
    for (const Box& part : left) add_difference(part, box, next);
    left = std::move(next);
  }
  return left.front();
}

/// True where two boxes have a face in common, or a part of one.
bool touch(const Box& a, const Box& b) {
  std::size_t meeting = 0;
  for (std::size_t d = 0; d < a.low.size(); ++d) {
    const Index common = std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]);
    if (common < 0) return false;
    meeting += common == 0 ? 1 : 0;
  }
  return meeting == 1;
}

/// Whose boxes a gap lies between.
std::string beside(const Box& gap, const std::vector<Box>& boxes,
                   const std::vector<Index>& owners) {
  constexpr std::size_t most = 4;
  std::vector<Index> ranks;
  for (std::size_t i = 0; i < boxes.size() && ranks.size() < most; ++i) {
    if (box_volume(boxes[i]) == 0 || !touch(boxes[i], gap)) continue;
    if (ranks.empty() || ranks.back() != owners[i]) ranks.push_back(owners[i]);
  }
  if (ranks.empty()) return "";
  return fmt::format(" beside the {} of {} {}", ranks.size() == 1 ? "box" : "boxes",
                     ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

/// Says which boxes overlap, or what is not covered. Compares pairs; only for errors.
[[noreturn]] void throw_bad_cover(const std::vector<Box>& boxes, const std::vector<Index>& owners,
                                  const Shape& shape) {
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    for (std::size_t s = 0; s < r; ++s) {
      if (overlap(boxes[r], boxes[s])) {
        throw InvalidLayout(fmt::format(
            "boxes of ranks {} ({}) and {} ({}) overlap; give every element to one rank", owners[s],
            box_text(boxes[s]), owners[r], box_text(boxes[r])));
      }
    }
  }
  Index covered = 0;
  for (const Box& box : boxes) covered += box_volume(box);
  const Box gap = first_gap(boxes, shape);
  throw InvalidLayout(fmt::format(
      "the boxes leave {} of the {} elements of {} to nobody, {} among them{}; let boxes meet",
      text::grouped(volume(shape) - covered), text::grouped(volume(shape)), shape_text(shape),
      box_text(gap), beside(gap, boxes, owners)));
}

std::string distribution_text(const Axis& axis) {
  if (axis.procs == 1) return "all";
  std::string text;
  if (axis.cycle == 1) {
    text = fmt::format("block/{}", axis.procs);
  } else if (axis.cycle == axis.procs) {
    text = fmt::format("cyclic/{}", axis.procs);
  } else {
    text = fmt::format("cycle{}/{}", axis.cycle, axis.procs);
  }
  if (axis.rule == Rule::ceil) text += ":ceil";
  return text;
}

/// Reads "block/4", "cyclic/2", "cycle2/8", "all", with ":ceil" and "@stride" behind.
Axis parse_distribution(std::string_view word, Index n, bool& has_stride) {
  Axis axis;
  axis.n = n;
  const std::string whole(word);
  if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
    axis.rank_stride = text::parse_count(word.substr(at + 1), "rank stride of '" + whole + "'");
    has_stride = true;
    word = word.substr(0, at);
  }
  if (const std::size_t at = word.find(':'); at != std::string_view::npos) {
    const std::string_view rule = word.substr(at + 1);
    if (rule == "ceil") {
      axis.rule = Rule::ceil;
    } else if (rule != "balanced") {
      throw ParseError(fmt::format("'{}': unknown rule '{}'; use balanced or ceil", whole, rule));
    }
    word = word.substr(0, at);
  }
  if (word == "all") return axis;
  const std::size_t slash = word.find('/');
  const std::string_view kind = word.substr(0, slash);
  if (slash == std::string_view::npos) {
    throw ParseError(fmt::format(
        "'{}': say over how many processors, as in block/4, cyclic/4, cycle2/4, or all", whole));
  }
  axis.procs = text::parse_count(word.substr(slash + 1), "processors of '" + whole + "'");
  if (kind == "block") {
    axis.cycle = 1;
  } else if (kind == "cyclic") {
    axis.cycle = axis.procs;
  } else if (kind.starts_with("cycle")) {
    axis.cycle = text::parse_count(kind.substr(5), "cycle of '" + whole + "'");
  } else {
    throw ParseError(fmt::format("'{}': unknown kind '{}'; use all, block/P, cyclic/P or cycleC/P",
                                 whole, kind));
  }
  return axis;
}

/// Cuts "~width" or "~below~above" off the end of a word.
Margin cut_margin(std::string& word) {
  const std::size_t mark = word.find('~');
  if (mark == std::string::npos) return {};
  const std::string what = "margins of '" + word + "'";
  const std::vector<std::string> widths = text::split(std::string_view(word).substr(mark + 1), '~');
  if (widths.size() > 2) {
    throw ParseError(fmt::format("'{}' should end in ~WIDTH or ~BELOW~ABOVE", word));
  }
  const Margin margin{text::parse_count(widths.front(), what),
                      text::parse_count(widths.back(), what)};
  word.resize(mark);
  return margin;
}

std::string margin_text(const Margin& margin) {
  if (margin == Margin{}) return {};
  if (margin.below == margin.above) return fmt::format("~{}", margin.below);
  return fmt::format("~{}~{}", margin.below, margin.above);
}

/// Cuts "+elements" off the end of a word.
Index cut_padding(std::string& word) {
  const std::size_t plus = word.find('+');
  if (plus == std::string::npos) return 0;
  const Index padding =
      text::parse_count(std::string_view(word).substr(plus + 1), "padding of '" + word + "'");
  word.resize(plus);
  return padding;
}

void require_at_end(Index padding, bool more, std::string_view line) {
  if (padding > 0 && more) {
    throw ParseError(fmt::format(
        "layout '{}': padding lies behind runs along the fastest axis, which is named last", line));
  }
}

/// Edges in the order of memory: "0:4 0:8".
Box parse_box(const std::string& field, const std::vector<int>& order) {
  const std::vector<std::string> edges = text::words(field);
  if (edges.size() != order.size()) {
    throw ParseError(fmt::format("box '{}' has {} edges for {} axes", text::trim(field),
                                 edges.size(), order.size()));
  }
  Box box{Shape(order.size()), Shape(order.size())};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::vector<std::string> ends = text::split(edges[i], ':');
    if (ends.size() != 2) {
      throw ParseError(fmt::format("box edge '{}' should read low:high", edges[i]));
    }
    const auto a = static_cast<std::size_t>(order[i]);
    box.low[a] = text::parse_count(ends[0], "lower edge");
    box.high[a] = text::parse_count(ends[1], "upper edge");
  }
  return box;
}

/// Of ranks that have one box each.
std::vector<Box> one_each(const std::vector<std::vector<Box>>& boxes) {
  std::vector<Box> result;
  for (const std::vector<Box>& of_rank : boxes) result.push_back(of_rank.front());
  return result;
}

int axis_called(const std::vector<std::string>& names, std::string_view name) {
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (names[a] == name) return static_cast<int>(a);
  }
  throw ParseError(
      fmt::format("no axis is called '{}' here; the axes are {}", name, fmt::join(names, " ")));
}

}  // namespace

Index volume(const Shape& shape) {
  Index result = 1;
  for (const Index n : shape) result = checked_mul(result, n, "number of elements");
  return result;
}

void validate_shape(const Shape& shape) {
  if (shape.empty() || shape.size() > static_cast<std::size_t>(max_axes)) {
    throw InvalidShape(
        fmt::format("a shape has 1 to {} axes, this one has {}", max_axes, shape.size()));
  }
  for (const Index n : shape) {
    if (n < 1) {
      throw InvalidShape(
          fmt::format("shape {} has extent {}; every extent is at least 1", shape_text(shape), n));
    }
  }
  if (volume(shape) > max_elements) {
    throw Overflow(
        fmt::format("shape {} has more than 2^62 elements; use a smaller one", shape_text(shape)));
  }
}

std::vector<std::string> axis_names(std::size_t axes) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < axes; ++a) {
    names.push_back(axes <= 6 ? std::string(1, "uvwzyx"[6 - axes + a]) : fmt::format("a{}", a));
  }
  return names;
}

Layout Layout::grid(std::vector<Axis> axes, std::vector<int> order) {
  Layout layout;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    check_axis(axes[a], a);
    if (axes[a].procs == 1) {  // normal form: what cannot matter is the same everywhere
      axes[a].cycle = 1;
      axes[a].rank_stride = 1;
      axes[a].rule = Rule::balanced;
    }
    layout.shape_.push_back(axes[a].n);
  }
  std::vector<Axis> sorted;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(sorted),
               [](const Axis& axis) { return axis.procs > 1; });
  std::sort(sorted.begin(), sorted.end(),
            [](const Axis& a, const Axis& b) { return a.rank_stride < b.rank_stride; });
  Index ranks = 1;
  for (const Axis& axis : sorted) {
    if (axis.rank_stride != ranks) {
      throw InvalidLayout(
          fmt::format("rank stride {} of an axis over {} processors leaves a gap or an overlap: "
                      "{} is next; omit the strides to have ranks numbered row by row",
                      axis.rank_stride, axis.procs, ranks));
    }
    ranks = checked_mul(ranks, axis.procs, "ranks of a layout");
  }
  layout.order_ = checked_order(std::move(order), axes.size());
  layout.grid_ = std::move(axes);
  layout.ranks_ = ranks;
  return layout;
}

Layout Layout::group_cyclic(const Shape& shape, const std::vector<Index>& procs,
                            const std::vector<Index>& cycles, Rule rule) {
  if (procs.size() != shape.size() || cycles.size() != shape.size()) {
    throw InvalidLayout(fmt::format("a shape of {} axes needs {} numbers of processors, not {}",
                                    shape.size(), shape.size(), procs.size()));
  }
  std::vector<Axis> axes(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a) {
    axes[a] = {shape[a], procs[a], cycles[a], 1, rule};
    check_axis(axes[a], a);
  }
  number_ranks(axes);
  return grid(std::move(axes));
}

Layout Layout::block(const Shape& shape, const std::vector<Index>& procs, Rule rule) {
  return group_cyclic(shape, procs, std::vector<Index>(procs.size(), 1), rule);
}

Layout Layout::cyclic(const Shape& shape, const std::vector<Index>& procs) {
  return group_cyclic(shape, procs, procs);
}

Layout Layout::slab(const Shape& shape, Index procs, std::size_t axis, Rule rule) {
  if (axis >= shape.size()) {
    throw InvalidLayout(
        fmt::format("a slab cuts axis {}, but there are {} axes", axis, shape.size()));
  }
  std::vector<Index> grid(shape.size(), 1);
  grid[axis] = procs;
  return block(shape, grid, rule);
}

Layout Layout::pencil(const Shape& shape, std::size_t whole, Index rows, Index columns) {
  if (shape.size() < 3 || whole >= shape.size()) {
    throw InvalidLayout(
        fmt::format("pencils need three axes, one of them whole; there are {}, whole is {}",
                    shape.size(), whole));
  }
  std::vector<Index> grid;
  for (std::size_t a = 0, cut = 0; a < shape.size(); ++a) {
    grid.push_back(a == whole || cut == 2 ? 1 : cut++ == 0 ? rows : columns);
  }
  return block(shape, grid);
}

Layout Layout::boxes(const Shape& shape, std::vector<Box> boxes, std::vector<int> order) {
  std::vector<Index> owners(boxes.size());
  std::iota(owners.begin(), owners.end(), Index{0});
  return of_boxes(shape, std::move(boxes), owners, std::ssize(owners), std::move(order));
}

Layout Layout::boxes_of_ranks(const Shape& shape, std::vector<std::vector<Box>> boxes,
                              std::vector<int> order) {
  std::vector<Box> all;
  std::vector<Index> owners;
  const bool several = std::any_of(boxes.begin(), boxes.end(), [](const std::vector<Box>& of_rank) {
    return of_rank.size() > 1;
  });
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    if (!several && boxes[rank].empty()) {
      boxes[rank].push_back({Shape(shape.size(), 0), Shape(shape.size(), 0)});
    }
    for (Box& box : boxes[rank]) {
      all.push_back(std::move(box));
      owners.push_back(static_cast<Index>(rank));
    }
  }
  return of_boxes(shape, std::move(all), owners, std::ssize(boxes), std::move(order));
}

/// Owners are ascending.
Layout Layout::of_boxes(const Shape& shape, std::vector<Box> boxes,
                        const std::vector<Index>& owners, Index ranks, std::vector<int> order) {
  if (boxes.empty()) throw InvalidLayout("a table of boxes needs one box per rank; it is empty");
  if (shape.size() > static_cast<std::size_t>(max_axes)) {
    throw InvalidLayout(fmt::format("boxes have at most {} axes, not {}", max_axes, shape.size()));
  }
  for (std::size_t a = 0; a < shape.size(); ++a) check_axis(Axis{shape[a]}, a);
  order = checked_order(std::move(order), shape.size());
  std::map<std::vector<Index>, Index> corners;
  Box all;
  all.low.assign(shape.size(), 0);
  all.high = shape;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    Box& box = boxes[r];
    if (box.low.size() != shape.size() || box.high.size() != shape.size()) {
      throw InvalidLayout(fmt::format("the box of rank {} has {} and {} edges for {} axes",
                                      owners[r], box.low.size(), box.high.size(), shape.size()));
    }
    bool empty = false;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (box.low[a] < 0 || box.low[a] > box.high[a] || box.high[a] > shape[a]) {
        throw InvalidLayout(fmt::format("the box of rank {} ({}) does not lie inside {}", owners[r],
                                        box_text(box), shape_text(shape)));
      }
      empty = empty || box.low[a] == box.high[a];
    }
    if (empty) {  // normal form of nothing
      box.low.assign(shape.size(), 0);
      box.high.assign(shape.size(), 0);
    } else {
      add_corners(corners, box, 1);
    }
  }
  add_corners(corners, all, -1);
  if (!corners.empty()) throw_bad_cover(boxes, owners, shape);
  Layout layout;
  layout.shape_ = shape;
  layout.order_ = std::move(order);
  layout.ranks_ = ranks;
  bool one_each = std::ssize(boxes) == ranks;
  for (std::size_t i = 0; i < owners.size() && one_each; ++i) {
    one_each = owners[i] == static_cast<Index>(i);
  }
  layout.table_ = one_each ? std::make_shared<const BoxTable>(std::move(boxes))
                           : std::make_shared<const BoxTable>(std::move(boxes), owners, ranks);
  return layout;
}

Layout Layout::parse(std::string_view text, const Shape& shape) {
  return parse(text, shape, axis_names(shape.size()));
}

Layout Layout::parse(std::string_view line, const Shape& shape,
                     const std::vector<std::string>& names) {
  const std::vector<std::string> words = text::words(line);
  if (words.empty())
    throw ParseError("a layout text is empty; write for instance z:block/4 y:all x:all");
  const std::size_t comma = line.find_first_of(",;");
  if (comma != std::string_view::npos) {
    throw ParseError(fmt::format(
        "layout '{}': separate axes by blanks and not by '{}', as in z:block/4 y:all x:all", line,
        line[comma]));
  }
  std::vector<int> order;
  std::vector<Margin> margins(shape.size());
  Index padding = 0;
  if (words.front() == "boxes") {
    const std::vector<std::string> fields = text::split(line, '|');
    std::vector<std::string> head = text::words(fields.front());
    for (std::size_t i = 1; i < head.size(); ++i) {
      padding = cut_padding(head[i]);
      require_at_end(padding, i + 1 < head.size(), line);
      const Margin margin = cut_margin(head[i]);
      order.push_back(axis_called(names, head[i]));
      margins[static_cast<std::size_t>(order.back())] = margin;
    }
    if (order.size() != shape.size()) {
      throw ParseError(fmt::format("'{}' should name the {} axes {}", fields.front(), shape.size(),
                                   fmt::join(names, " ")));
    }
    std::vector<std::vector<Box>> boxes;
    bool several = false;
    for (std::size_t r = 1; r < fields.size(); ++r) {
      boxes.emplace_back();
      if (text::trim(fields[r]) == "none") {
        several = true;
        continue;
      }
      for (const std::string& field : text::split(fields[r], '&')) {
        boxes.back().push_back(parse_box(field, order));
      }
      several = several || boxes.back().size() > 1;
    }
    return (several ? Layout::boxes_of_ranks(shape, std::move(boxes), std::move(order))
                    : Layout::boxes(shape, one_each(boxes), std::move(order)))
        .with_padding(padding)
        .with_margins(std::move(margins));
  }

  std::vector<Axis> axes(shape.size());
  std::vector<bool> seen(shape.size(), false);
  bool has_stride = false;
  for (std::string word : words) {
    require_at_end(padding, true, line);
    padding = cut_padding(word);
    const Margin margin = cut_margin(word);
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) {
      throw ParseError(
          fmt::format("'{}' should read AXIS:KIND, as in {}:block/4", word, names.front()));
    }
    const int a = axis_called(names, word.substr(0, colon));
    const auto at = static_cast<std::size_t>(a);
    if (seen[at]) throw ParseError(fmt::format("axis {} is given twice in '{}'", names[at], line));
    seen[at] = true;
    order.push_back(a);
    margins[at] = margin;
    axes[at] = parse_distribution(std::string_view(word).substr(colon + 1), shape[at], has_stride);
    check_axis(axes[at], at);
  }
  if (order.size() != shape.size()) {
    throw ParseError(
        fmt::format("layout '{}' names {} of the {} axes {}; give each, whole axes as "
                    "NAME:all",
                    line, order.size(), shape.size(), fmt::join(names, " ")));
  }
  if (!has_stride) number_ranks(axes);
  return grid(std::move(axes), std::move(order))
      .with_padding(padding)
      .with_margins(std::move(margins));
}

std::string Layout::to_text() const { return to_text(axis_names(axes())); }

std::string Layout::to_text(const std::vector<std::string>& names) const {
  return written(names, false);
}

std::string Layout::summary() const { return summary(axis_names(axes())); }

std::string Layout::summary(const std::vector<std::string>& names) const {
  constexpr std::size_t all_are_shown = 8;
  return written(names, table().size() > all_are_shown);
}

std::string Layout::written(const std::vector<std::string>& names, bool in_short) const {
  constexpr Index shown_of_many = 4;  // ranks, and boxes of a rank
  std::vector<std::string> parts;
  const std::string padding = padding_ > 0 ? fmt::format("+{}", padding_) : std::string();
  if (!is_grid()) {
    std::string head = "boxes";
    for (const int a : order_) {
      const auto at = static_cast<std::size_t>(a);
      head += " " + names[at] + margin_text(margin(at));
    }
    parts.push_back(head + padding);
    const Index shown = in_short ? std::min(ranks_, shown_of_many) : ranks_;
    for (Index rank = 0; rank < shown; ++rank) {
      std::vector<std::string> boxes;
      const auto [begin, end] = table_->of_rank(rank);
      for (Index number = begin; number < end; ++number) {
        if (in_short && number - begin == shown_of_many) {
          boxes.push_back(fmt::format("{} more", text::grouped(end - number)));
          break;
        }
        const Box& box = table()[static_cast<std::size_t>(number)];
        std::vector<std::string> edges;
        for (const int a : order_) {
          const auto at = static_cast<std::size_t>(a);
          edges.push_back(fmt::format("{}:{}", box.low[at], box.high[at]));
        }
        boxes.push_back(fmt::format("{}", fmt::join(edges, " ")));
      }
      parts.push_back(boxes.empty() ? "none" : fmt::format("{}", fmt::join(boxes, " & ")));
    }
    if (shown < ranks_) {
      parts.push_back(fmt::format("and {} more", text::grouped(ranks_ - shown)));
    }
    return fmt::format("{}", fmt::join(parts, " | "));
  }
  std::vector<Axis> numbered = grid_;
  number_ranks(numbered);
  const bool strides = numbered != grid_;
  for (const int a : order_) {
    const auto at = static_cast<std::size_t>(a);
    std::string part = fmt::format("{}:{}", names[at], distribution_text(grid_[at]));
    if (strides && grid_[at].procs > 1) part += fmt::format("@{}", grid_[at].rank_stride);
    part += margin_text(margin(at));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}{}", fmt::join(parts, " "), padding);
}

const std::vector<Box>& Layout::table() const {
  static const std::vector<Box> none;
  return table_ ? table_->boxes() : none;
}

bool Layout::operator==(const Layout& other) const {
  return shape_ == other.shape_ && grid_ == other.grid_ && order_ == other.order_ &&
         ranks_ == other.ranks_ && padding_ == other.padding_ && margins_ == other.margins_ &&
         (table_ == other.table_ ||
          (table() == other.table() && (!several_boxes() || same_owners_of_boxes(other))));
}

bool Layout::several_boxes() const { return table_ != nullptr && table_->several(); }

bool Layout::same_owners_of_boxes(const Layout& other) const {
  if (!other.several_boxes()) return false;
  for (Index rank = 0; rank < ranks_; ++rank) {
    if (table_->of_rank(rank) != other.table_->of_rank(rank)) return false;
  }
  return true;
}

void Layout::require_one_part() const {
  if (several_boxes()) throw InternalError("ranks have several boxes, and no single part");
}

LocalPart Layout::part_of(std::vector<Progression> indices, Index begin) const {
  LocalPart part;
  part.strides.resize(axes());
  Index stride = 1;
  for (std::size_t i = axes(); i-- > 0;) {
    const auto a = static_cast<std::size_t>(order_[i]);
    part.strides[a] = stride;
    stride *= extent_in_memory(a, indices[a].count);
  }
  part.offset = begin;
  for (std::size_t a = 0; a < axes(); ++a) part.offset += margin(a).below * part.strides[a];
  part.indices = std::move(indices);
  return part;
}

std::vector<LocalPart> Layout::parts(Index rank) const {
  if (rank >= ranks_ || local_size(rank) == 0) return {};
  if (!several_boxes()) return {part_of(local_indices(rank), 0)};
  std::vector<LocalPart> result;
  Index begin = 0;
  const auto [first, end] = table_->of_rank(rank);
  for (Index number = first; number < end; ++number) {
    const Box& box = table()[static_cast<std::size_t>(number)];
    std::vector<Progression> indices;
    Index room = 1;
    for (std::size_t a = 0; a < axes(); ++a) {
      indices.push_back(Progression::make(box.low[a], 1, box.high[a] - box.low[a]));
      room *= extent_in_memory(a, indices[a].count);
    }
    if (box_volume(box) == 0) continue;
    result.push_back(part_of(std::move(indices), begin));
    begin += room;
  }
  return result;
}

Progression Layout::local_indices(Index rank, std::size_t a) const {
  if (rank >= ranks_) return {};
  if (!is_grid()) {
    require_one_part();
    const Box& box = table()[static_cast<std::size_t>(rank)];
    return Progression::make(box.low[a], 1, box.high[a] - box.low[a]);
  }
  return grid_[a].local_indices(grid_[a].coord(rank));
}

std::vector<Progression> Layout::local_indices(Index rank) const {
  std::vector<Progression> result(axes());
  for (std::size_t a = 0; a < axes(); ++a) result[a] = local_indices(rank, a);
  return result;
}

Shape Layout::local_shape(Index rank) const {
  Shape result(axes());
  for (std::size_t a = 0; a < axes(); ++a) result[a] = local_indices(rank, a).count;
  return result;
}

Index Layout::local_size(Index rank) const {
  if (several_boxes()) {
    Index sum = 0;
    if (rank >= ranks_) return sum;
    const auto [begin, end] = table_->of_rank(rank);
    for (Index number = begin; number < end; ++number) {
      sum += box_volume(table()[static_cast<std::size_t>(number)]);
    }
    return sum;
  }
  Index result = rank < ranks_ ? 1 : 0;
  for (std::size_t a = 0; a < axes(); ++a) result *= local_indices(rank, a).count;
  return result;
}

Index Layout::largest_local_size() const {
  if (is_grid()) return local_size(0);
  Index result = 0;
  for (Index r = 0; r < ranks_; ++r) result = std::max(result, local_size(r));
  return result;
}

Index Layout::allocated_size(Index rank) const {
  Index size = local_size(rank);
  if (size == 0 || (padding_ == 0 && margins_.empty())) return size;
  size = 0;
  for (const LocalPart& part : parts(rank)) {
    Index room = 1;
    for (std::size_t a = 0; a < axes(); ++a) room *= extent_in_memory(a, part.indices[a].count);
    size += room;
  }
  return size;
}

/// Along one axis, with what is left free beside so many elements.
Index Layout::extent_in_memory(std::size_t a, Index count) const {
  const Index free = static_cast<std::size_t>(order_.back()) == a ? padding_ : 0;
  return margin(a).below + count + margin(a).above + free;
}

Index Layout::first_offset(Index rank) const {
  if (margins_.empty()) return 0;
  const std::vector<Index> strides = local_strides(rank);
  Index offset = 0;
  for (std::size_t a = 0; a < axes(); ++a) offset += margins_[a].below * strides[a];
  return offset;
}

Index Layout::largest_allocated_size() const {
  if (is_grid()) return allocated_size(0);
  Index result = 0;
  for (Index r = 0; r < ranks_; ++r) result = std::max(result, allocated_size(r));
  return result;
}

Index Layout::active_ranks() const {
  Index result = is_grid() ? 1 : 0;
  if (is_grid()) {
    for (const Axis& axis : grid_) {
      // Coordinates that hold something: whole groups hold at least one index in each coordinate
      // once they have `cycle` indices.
      Index active = 0;
      if (axis.n >= axis.procs && axis.rule == Rule::balanced) {
        active = axis.procs;
      } else {
        for (Index g = 0; g < axis.groups(); ++g) {
          active += std::min(axis.cycle, axis.group_begin(g + 1) - axis.group_begin(g));
        }
      }
      result *= active;
    }
    return result;
  }
  for (Index r = 0; r < ranks_; ++r) result += local_size(r) > 0 ? 1 : 0;
  return result;
}

std::vector<Index> Layout::local_strides(Index rank) const {
  std::vector<Index> strides(axes());
  Index stride = 1;
  for (std::size_t i = axes(); i-- > 0;) {
    const auto a = static_cast<std::size_t>(order_[i]);
    strides[a] = stride;
    stride *= extent_in_memory(a, local_indices(rank, a).count);
  }
  return strides;
}

Index Layout::owner(const std::vector<Index>& index) const {
  if (is_grid()) {
    Index rank = 0;
    for (std::size_t a = 0; a < axes(); ++a)
      rank += grid_[a].owner(index[a]) * grid_[a].rank_stride;
    return rank;
  }
  return table_->owner(box_with(index));
}

/// Number of the box that holds an index.
Index Layout::box_with(const std::vector<Index>& index) const {
  std::vector<Progression> point;
  for (const Index i : index) point.push_back(Progression::make(i, 1, 1));
  const std::vector<Index> found = table_->meeting(point);
  if (found.empty()) throw InternalError("an index outside of every box");
  return found.front();
}

Index Layout::offset(const std::vector<Index>& index) const {
  const Index rank = owner(index);
  if (several_boxes()) {
    for (const LocalPart& part : parts(rank)) {
      Index place = part.offset;
      bool inside = true;
      for (std::size_t a = 0; a < axes() && inside; ++a) {
        inside = part.indices[a].contains(index[a]);
        if (inside) place += part.indices[a].place(index[a]) * part.strides[a];
      }
      if (inside) return place;
    }
  }
  const std::vector<Index> strides = local_strides(rank);
  Index result = first_offset(rank);
  for (std::size_t a = 0; a < axes(); ++a)
    result += local_indices(rank, a).place(index[a]) * strides[a];
  return result;
}

bool Layout::whole(std::size_t a) const {
  if (is_grid()) return grid_[a].whole();
  if (several_boxes()) return false;
  for (Index r = 0; r < ranks_; ++r) {
    if (local_size(r) > 0 && local_indices(r, a).count != shape_[a]) return false;
  }
  return true;
}

Layout Layout::with_extent(std::size_t a, Index extent) const {
  if (!whole(a)) throw InternalError("another extent for an axis that is not whole");
  Layout result = *this;
  result.shape_[a] = extent;
  result.padding_ = 0;
  result.margins_.clear();
  if (is_grid()) {
    result.grid_[a].n = extent;
    return result;
  }
  std::vector<Box> boxes = table();
  for (Box& box : boxes) {
    const bool empty = box.low[a] == box.high[a];
    box.low[a] = empty ? std::min(box.low[a], extent) : 0;
    box.high[a] = empty ? box.low[a] : extent;
  }
  result.table_ = std::make_shared<const BoxTable>(std::move(boxes));
  return result;
}

Layout Layout::with_padding(Index elements) const {
  if (elements < 0 || (elements > 0 && axes() == 0)) {
    throw InvalidLayout(
        fmt::format("padding of {} elements; give 0 or more, and an axis", elements));
  }
  if (axes() > 0) {  // what overflows is found here
    const Index longest = shape_[static_cast<std::size_t>(order_.back())];
    checked_mul(volume(shape_) / longest,
                checked_add(longest, elements, "elements of a padded run"),
                "elements of a padded array");
  }
  Layout result = *this;
  result.padding_ = elements;
  return result;
}

Layout Layout::with_margins(std::vector<Margin> margins) const {
  if (margins.size() != axes()) {
    throw InvalidLayout(
        fmt::format("{} margins for {} axes; give one per axis", margins.size(), axes()));
  }
  Index largest = 1;  // what overflows is found here
  for (std::size_t a = 0; a < axes(); ++a) {
    if (margins[a].below < 0 || margins[a].above < 0) {
      throw InvalidLayout(fmt::format("margins of {} below and {} above; give 0 or more",
                                      margins[a].below, margins[a].above));
    }
    constexpr const char* what = "elements of an array with margins";
    largest = checked_mul(largest,
                          checked_add(checked_add(shape_[a], padding_, what),
                                      checked_add(margins[a].below, margins[a].above, what), what),
                          what);
  }
  Layout result = *this;
  const bool none = std::all_of(margins.begin(), margins.end(),
                                [](const Margin& margin) { return margin == Margin{}; });
  result.margins_ = none ? std::vector<Margin>() : std::move(margins);
  return result;
}

Layout Layout::with_margins(Index width) const {
  return with_margins(std::vector<Margin>(axes(), Margin{width, width}));
}

Layout Layout::dense() const {
  Layout result = *this;
  result.padding_ = 0;
  result.margins_.clear();
  return result;
}

Layout Layout::padding_as_margin() const {
  if (padding_ == 0) return *this;
  std::vector<Margin> margins;
  for (std::size_t a = 0; a < axes(); ++a) margins.push_back(margin(a));
  margins[static_cast<std::size_t>(order_.back())].above += padding_;
  return with_padding(0).with_margins(std::move(margins));
}

Layout Layout::with_inner_axis(Index extent) const {
  std::vector<int> order;
  for (const int a : order_) order.push_back(a + 1);
  order.push_back(0);
  const Layout unpadded = padding_as_margin();
  std::vector<Margin> margins = {Margin{}};
  for (std::size_t a = 0; a < axes(); ++a) margins.push_back(unpadded.margin(a));
  if (is_grid()) {
    std::vector<Axis> all = {Axis{extent}};
    all.insert(all.end(), grid_.begin(), grid_.end());
    return grid(std::move(all), std::move(order)).with_margins(std::move(margins));
  }
  Shape shape = {extent};
  shape.insert(shape.end(), shape_.begin(), shape_.end());
  std::vector<Box> boxes = table();
  for (Box& box : boxes) {
    box.low.insert(box.low.begin(), 0);
    box.high.insert(box.high.begin(), extent);
  }
  std::vector<Index> owners;
  for (Index i = 0; i < std::ssize(boxes); ++i) owners.push_back(table_->owner(i));
  return of_boxes(shape, std::move(boxes), owners, ranks_, std::move(order))
      .with_margins(std::move(margins));
}

Layout Layout::with_order(std::vector<int> order) const {
  Layout result = *this;
  result.order_ = checked_order(std::move(order), axes());
  return result;
}

bool same_owners(const Layout& a, const Layout& b) {
  if (a.shape() != b.shape() || a.several_boxes() != b.several_boxes()) return false;
  if (a.is_grid() && b.is_grid() && a.ranks() == b.ranks()) {
    bool same = true;
    for (std::size_t d = 0; d < a.axes() && same; ++d) {
      same =
          same_distribution(a.axis(d), b.axis(d)) && a.axis(d).rank_stride == b.axis(d).rank_stride;
    }
    // Different grids can still agree where extents are 1 or ranks are idle.
    if (same) return true;
  }
  for (Index r = 0; r < std::max(a.ranks(), b.ranks()); ++r) {
    const bool idle = a.local_size(r) == 0 && b.local_size(r) == 0;
    if (!idle && a.several_boxes()) return a == b;
    if (!idle && a.local_indices(r) != b.local_indices(r)) return false;
  }
  return true;
}

}  // namespace kallima

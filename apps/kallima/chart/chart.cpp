// SPDX-License-Identifier: BSD-3-Clause
//
// Where everything of a chart stands. From the top: title, legend, labels of marks, the field with
// its grid, labels of ticks, label of the axis; each has a strip of its own, so nothing overlaps.
#include "chart.hpp"

#include <algorithm>
#include <array>

#include "canvas.hpp"
#include "kallima/error.hpp"
#include "legend.hpp"
#include "scale.hpp"
#include "style.hpp"
#include "words.hpp"

namespace kallima::cli {

namespace {

using chart::Anchor;
using chart::Canvas;
using chart::Color;
using chart::Count;
using chart::fine_grid;
using chart::frame;
using chart::grid;
using chart::ink;
using chart::label_size;
using chart::line_height;
using chart::margin;
using chart::pale_ink;
using chart::Pen;
using chart::Placed;
using chart::Point;
using chart::Scale;
using chart::small_size;
using chart::strip;
using chart::swatch;
using chart::Tick;
using chart::title_size;

constexpr double cell_width = 600;
constexpr double cell_height = 400;
Color color_of(std::size_t series) { return chart::palette[series % chart::palette.size()]; }

/// The field between the axes.
struct Field {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
  Scale x;
  Scale y;

  [[nodiscard]] Point at(double value_x, double value_y) const {
    return {column(value_x), bottom - y.place(value_y) * (bottom - top)};
  }
  [[nodiscard]] double column(double value) const { return left + x.place(value) * (right - left); }
};

std::size_t length(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool has_band(const Series& series) {
  return !series.low.empty() && series.low.size() == series.high.size();
}

std::vector<double> values_x(const Chart& what) {
  std::vector<double> values;
  for (const Series& series : what.series) {
    values.insert(values.end(), series.x.begin(), series.x.end());
  }
  return values;
}

Scale scale_x(const Chart& what) {
  std::vector<double> values = values_x(what);
  const bool octaves = what.log_x && chart::powers_of_two(values);
  for (const Mark& mark : what.marks) values.push_back(mark.at);
  return chart::scale_for(octaves      ? Count::octaves
                          : what.log_x ? Count::decades
                                       : Count::linear,
                          values, 0.03);
}

Scale scale_y(const Chart& what) {
  std::vector<double> values;
  for (const Series& series : what.series) {
    for (const auto* const part : {&series.y, &series.low, &series.high}) {
      values.insert(values.end(), part->begin(), part->end());
    }
  }
  return chart::scale_for(what.log_y ? Count::decades : Count::linear, values, 0.06);
}

double small_width(const Canvas& canvas, const std::string& words) {
  return canvas.text_width(words, {.size = small_size});
}

double widest(const Canvas& canvas, const std::vector<Tick>& ticks) {
  double width = 0.0;
  for (const Tick& tick : ticks) width = std::max(width, small_width(canvas, tick.label));
  return width;
}

std::vector<Placed> legend_of(const Canvas& canvas, const std::vector<Series>& all, double width) {
  std::vector<std::string> names;
  for (const Series& series : all) names.push_back(series.name);
  return chart::legend_rows(canvas, names, width);
}

/// Labels of marks centred over them, in as many rows as keep them apart; row 0 is the lowest.
std::vector<Placed> mark_rows(const Canvas& canvas, const std::vector<Mark>& marks,
                              const Field& field) {
  std::vector<Placed> placed;
  std::vector<std::vector<std::pair<double, double>>> taken;
  for (std::size_t m = 0; m < marks.size(); ++m) {
    if (!field.x.takes(marks[m].at) || marks[m].text.empty()) continue;
    const double half = small_width(canvas, marks[m].text) / 2;
    const double x = std::clamp(field.column(marks[m].at), field.left + half,
                                std::max(field.left + half, field.right - half));
    const auto overlaps = [&](const std::pair<double, double>& other) {
      return x - half - 6 < other.second && x + half + 6 > other.first;
    };
    std::size_t row = 0;
    while (row < taken.size() && std::any_of(taken[row].begin(), taken[row].end(), overlaps)) ++row;
    if (row == taken.size()) taken.emplace_back();
    taken[row].emplace_back(x - half, x + half);
    placed.push_back({m, x, row});
  }
  return placed;
}

/// Draws one chart with its upper left corner at `corner`.
class Drawing {
 public:
  Drawing(Canvas& canvas, const Chart& what, Point corner)
      : canvas_(canvas),
        chart_(what),
        corner_(corner),
        legend_top_(corner.y + margin + (what.title.empty() ? 0 : title_size + 10)) {
    field_.x = scale_x(what);
    field_.y = scale_y(what);
    y_ticks_ = chart::ticks(field_.y, 7);
    field_.left = corner.x + margin + (what.y_label.empty() ? 0 : line_height + 4) +
                  widest(canvas, y_ticks_) + 8;
    field_.right = corner.x + cell_width - margin;
    x_ticks_ = chart::ticks(field_.x, 12);
    legend_ = legend_of(canvas, what.series, field_.right - field_.left);
    marks_ = mark_rows(canvas, what.marks, field_);
    field_.top = legend_top_ + strip(legend_) + strip(marks_) + 6;
    field_.bottom = corner.y + cell_height - margin - small_size - 8 -
                    (what.x_label.empty() ? 0 : line_height + 2);
  }

  void draw() {
    draw_grid();
    draw_marks();
    for (std::size_t s = 0; s < chart_.series.size(); ++s) draw_band(s);
    for (std::size_t s = 0; s < chart_.series.size(); ++s) draw_series(s);
    draw_frame();
    draw_words();
    draw_legend();
  }

 private:
  void draw_grid() {
    for (const bool fine : {true, false}) {
      const Pen pen{fine ? fine_grid : grid, 1.0, false};
      for (const Tick& tick : x_ticks_) {
        if (tick.label.empty() != fine) continue;
        const double x = field_.column(tick.at);
        line({x, field_.top}, {x, field_.bottom}, pen);
      }
      for (const Tick& tick : y_ticks_) {
        if (tick.label.empty() != fine) continue;
        const double y = row(tick.at);
        line({field_.left, y}, {field_.right, y}, pen);
      }
    }
  }

  void draw_frame() {
    const Pen pen{frame, 1.0, false};
    line({field_.left, field_.top}, {field_.left, field_.bottom}, pen);
    line({field_.left, field_.bottom}, {field_.right, field_.bottom}, pen);
    double free_from = 0.0;  // labels of x that would touch the one before are left out
    for (const Tick& tick : x_ticks_) {
      if (tick.label.empty()) continue;
      const double x = field_.column(tick.at);
      line({x, field_.bottom}, {x, field_.bottom + 4}, pen);
      const double half = small_width(canvas_, tick.label) / 2;
      if (x - half < free_from) continue;
      free_from = x + half + 6;
      canvas_.text({x, field_.bottom + small_size + 7}, tick.label,
                   {small_size, pale_ink, Anchor::middle, false, false});
    }
    for (const Tick& tick : y_ticks_) {
      if (tick.label.empty()) continue;
      canvas_.text({field_.left - 7, row(tick.at) + 0.36 * small_size}, tick.label,
                   {small_size, pale_ink, Anchor::end, false, false});
    }
  }

  void draw_words() {
    if (!chart_.title.empty()) {
      const chart::Lettering lettering{title_size, ink, Anchor::start, false, true};
      canvas_.text({field_.left, corner_.y + margin + title_size - 3},
                   chart::fitted(canvas_, chart_.title, lettering, field_.right - field_.left),
                   lettering);
    }
    if (!chart_.x_label.empty()) {
      canvas_.text({(field_.left + field_.right) / 2, corner_.y + cell_height - margin - 2},
                   chart_.x_label, {label_size, ink, Anchor::middle, false, false});
    }
    if (!chart_.y_label.empty()) {
      canvas_.text({corner_.x + margin + 10, (field_.top + field_.bottom) / 2}, chart_.y_label,
                   {label_size, ink, Anchor::middle, true, false});
    }
    if (!shows_something()) {
      canvas_.text({(field_.left + field_.right) / 2, (field_.top + field_.bottom) / 2}, "no data",
                   {label_size, pale_ink, Anchor::middle, false, false});
    }
  }

  void draw_marks() {
    for (const Mark& mark : chart_.marks) {
      if (!field_.x.takes(mark.at)) continue;
      const double x = field_.column(mark.at);
      line({x, field_.top - 3}, {x, field_.bottom}, {pale_ink, 1.2, true});
    }
    for (const Placed& placed : marks_) {
      const double y = field_.top - 8 - static_cast<double>(placed.row) * line_height;
      canvas_.text({placed.x, y}, chart_.marks[placed.which].text,
                   {small_size, pale_ink, Anchor::middle, false, false});
    }
  }

  void draw_legend() {
    for (const Placed& placed : legend_) {
      const Series& series = chart_.series[placed.which];
      const Color color = color_of(placed.which);
      const double x = field_.left + placed.x;
      const double y =
          legend_top_ + static_cast<double>(placed.row) * line_height + line_height / 2;
      if (has_band(series)) {
        const std::array<Point, 4> box = {
            {{x, y - 5}, {x + swatch - 4, y - 5}, {x + swatch - 4, y + 5}, {x, y + 5}}};
        canvas_.polygon(box, color, 0.2);
      }
      if (series.line) line({x, y}, {x + swatch - 4, y}, {color, 2.0, series.dashed});
      if (series.points) canvas_.circle({x + (swatch - 4) / 2, y}, 3.2, color);
      canvas_.text({x + swatch + 2, y + 0.36 * small_size}, series.name,
                   {small_size, ink, Anchor::start, false, false});
    }
  }

  /// Runs of the series between values that have no place, given which values have one.
  template <class Takes, class Draw>
  void runs(std::size_t count, Takes takes, Draw draw) {
    for (std::size_t begin = 0; begin < count;) {
      std::size_t end = begin;
      while (end < count && takes(end)) ++end;
      if (end > begin) draw(begin, end);
      begin = std::max(end, begin + 1);
    }
  }

  void draw_band(std::size_t which) {
    const Series& series = chart_.series[which];
    if (!has_band(series)) return;
    const auto takes = [&](std::size_t i) {
      return field_.x.takes(series.x[i]) && field_.y.takes(series.low[i]) &&
             field_.y.takes(series.high[i]);
    };
    runs(std::min(series.x.size(), series.low.size()), takes,
         [&](std::size_t begin, std::size_t end) {
           std::vector<Point> around;
           for (std::size_t i = begin; i < end; ++i) {
             around.push_back(field_.at(series.x[i], series.high[i]));
           }
           for (std::size_t i = end; i-- > begin;) {
             around.push_back(field_.at(series.x[i], series.low[i]));
           }
           canvas_.polygon(around, color_of(which), 0.18);
         });
  }

  [[nodiscard]] bool shows_something() const {
    return std::any_of(chart_.series.begin(), chart_.series.end(), [&](const Series& series) {
      for (std::size_t i = 0; i < length(series); ++i) {
        if (field_.x.takes(series.x[i]) && field_.y.takes(series.y[i])) return true;
      }
      return false;
    });
  }

  void draw_series(std::size_t which) {
    const Series& series = chart_.series[which];
    const Color color = color_of(which);
    const auto takes = [&](std::size_t i) {
      return field_.x.takes(series.x[i]) && field_.y.takes(series.y[i]);
    };
    runs(length(series), takes, [&](std::size_t begin, std::size_t end) {
      std::vector<Point> points;
      for (std::size_t i = begin; i < end; ++i) {
        points.push_back(field_.at(series.x[i], series.y[i]));
      }
      if (series.line && points.size() > 1) canvas_.polyline(points, {color, 2.0, series.dashed});
      // A line of one point would be invisible.
      if (!series.points && points.size() > 1) return;
      for (const Point& point : points) canvas_.circle(point, 3.2, color);
    });
  }

  void line(Point from, Point to, const Pen& pen) {
    const std::array<Point, 2> ends = {from, to};
    canvas_.polyline(ends, pen);
  }

  [[nodiscard]] double row(double value) const {
    return field_.bottom - field_.y.place(value) * (field_.bottom - field_.top);
  }

  Canvas& canvas_;
  const Chart& chart_;
  Point corner_;
  double legend_top_;
  Field field_;
  std::vector<Tick> x_ticks_;
  std::vector<Tick> y_ticks_;
  std::vector<Placed> legend_;
  std::vector<Placed> marks_;
};

}  // namespace

void draw(const std::vector<Chart>& charts, const std::string& path) {
  const std::size_t columns = std::min<std::size_t>(charts.size(), 2);
  const std::size_t lines = (charts.size() + 1) / 2;
  const auto canvas = chart::canvas_for(path);
  if (charts.empty()) throw InvalidOption("there is nothing to draw; give at least one chart");
  for (std::size_t c = 0; c < charts.size(); ++c) {
    const std::size_t column = c % 2;
    const std::size_t line = c / 2;
    const Point corner{static_cast<double>(column) * cell_width,
                       static_cast<double>(line) * cell_height};
    Drawing(*canvas, charts[c], corner).draw();
  }
  chart::save(*canvas,
              {static_cast<double>(columns) * cell_width, static_cast<double>(lines) * cell_height},
              path);
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// From the top: the legend, then for each timeline its title, its note, three rows a rank and the
// axis. A row is cut into columns of half a point, and what lies in a column decides how opaque it
// is. So events shorter than a pixel add up to the right shade, overlapping messages are darker,
// and a million events make no larger file than a thousand.
#include "timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "chart/canvas.hpp"
#include "chart/legend.hpp"
#include "chart/scale.hpp"
#include "chart/style.hpp"
#include "chart/words.hpp"

namespace kallima::cli {

namespace {

using chart::Anchor;
using chart::Canvas;
using chart::Color;
using chart::line_height;
using chart::margin;
using chart::Placed;
using chart::Point;
using chart::Scale;
using chart::small_size;
using chart::Tick;
using chart::title_size;

constexpr double sheet_width = 1000;
constexpr double column_width = 0.5;
constexpr std::size_t most_ranks = 64;

constexpr Color waiting_color{250, 211, 204};
constexpr Color sending_color = chart::sky;
constexpr Color receiving_color = chart::orange;
constexpr Color lane_color{247, 248, 250};
constexpr std::array<Color, 4> sweep_colors = {chart::blue, chart::green, chart::purple,
                                               chart::vermilion};

/// What is drawn in one colour.
struct Paint {
  std::string name;  ///< in the legend
  Color color;
};

/// Sweeps get colours in the order in which they begin; those beyond the colours share one.
class Paints {
 public:
  explicit Paints(const std::vector<Timeline>& timelines) {
    for (const Timeline& timeline : timelines) add_sweeps(timeline.events);
    legend_.insert(legend_.end(), sweeps_.begin(), sweeps_.end());
    if (others_) legend_.push_back({"other sweeps", chart::dark});
    add_if(timelines, Activity::wait, {"waiting", waiting_color});
    add_if(timelines, Activity::send, {"sending", sending_color});
    add_if(timelines, Activity::receive, {"receiving", receiving_color});
  }

  [[nodiscard]] const std::vector<Paint>& legend() const { return legend_; }

  /// Colours of sweeps, each once.
  [[nodiscard]] std::vector<Color> sweep_paints() const {
    std::vector<Color> colors;
    for (const Paint& paint : sweeps_) colors.push_back(paint.color);
    if (others_) colors.push_back(chart::dark);
    return colors;
  }

  [[nodiscard]] Color of_sweep(const std::string& name) const {
    const auto found = find(name);
    return found == sweeps_.end() ? chart::dark : found->color;
  }

 private:
  [[nodiscard]] std::vector<Paint>::const_iterator find(const std::string& name) const {
    return std::find_if(sweeps_.begin(), sweeps_.end(),
                        [&](const Paint& paint) { return paint.name == name; });
  }

  void add_sweeps(const std::vector<TraceEvent>& events) {
    std::vector<const TraceEvent*> sweeps;
    for (const TraceEvent& event : events) {
      if (event.activity == Activity::compute) sweeps.push_back(&event);
    }
    std::sort(sweeps.begin(), sweeps.end(), [](const TraceEvent* a, const TraceEvent* b) {
      return std::pair(a->begin, a->rank) < std::pair(b->begin, b->rank);
    });
    for (const TraceEvent* const sweep : sweeps) {
      if (find(sweep->name) != sweeps_.end()) continue;
      if (sweeps_.size() == sweep_colors.size()) {
        others_ = true;
      } else {
        sweeps_.push_back({sweep->name, sweep_colors[sweeps_.size()]});
      }
    }
  }

  void add_if(const std::vector<Timeline>& timelines, Activity activity, const Paint& paint) {
    const auto of_it = [&](const TraceEvent& event) { return event.activity == activity; };
    if (std::any_of(timelines.begin(), timelines.end(), [&](const Timeline& timeline) {
          return std::any_of(timeline.events.begin(), timeline.events.end(), of_it);
        })) {
      legend_.push_back(paint);
    }
  }

  std::vector<Paint> sweeps_;
  std::vector<Paint> legend_;
  bool others_ = false;
};

/// How many events there are at a time, as a mean over each column.
class Density {
 public:
  explicit Density(double width)
      : parts_(static_cast<std::size_t>(width / column_width) + 1, 0.0),
        steps_(parts_.size() + 1, 0.0) {}

  /// An event between two distances from the left end. Cost: the same however long it is.
  void add(double from, double to) {
    const auto last = static_cast<double>(parts_.size() - 1);
    from = std::clamp(from / column_width, 0.0, last);
    to = std::clamp(to / column_width, from, last);
    const auto first_column = static_cast<std::size_t>(from);
    const auto last_column = static_cast<std::size_t>(to);
    if (first_column == last_column) {
      parts_[first_column] += to - from;
      return;
    }
    parts_[first_column] += static_cast<double>(first_column + 1) - from;
    parts_[last_column] += to - static_cast<double>(last_column);
    steps_[first_column + 1] += 1.;
    steps_[last_column] -= 1.;
  }

  /// Calls with the ends and the density of each run of columns that are alike and not empty.
  template <class Draw>
  void for_each_run(Draw draw) const {
    const std::vector<double> all = columns();
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && all[end] == all[begin]) ++end;
      if (all[begin] > 0.) {
        draw(static_cast<double>(begin) * column_width, static_cast<double>(end) * column_width,
             all[begin]);
      }
      begin = end;
    }
  }

 private:
  /// Rounded, so that columns which look alike are alike; what is there at all stays.
  [[nodiscard]] std::vector<double> columns() const {
    constexpr double shades = 16;
    std::vector<double> all(parts_.size());
    double whole = 0.;
    for (std::size_t c = 0; c < all.size(); ++c) {
      whole += steps_[c];
      const double density = whole + parts_[c];
      all[c] = density > 0. ? std::max(1., std::round(density * shades)) / shades : 0.;
    }
    return all;
  }

  std::vector<double> parts_;  ///< of events that begin or end in the column
  std::vector<double> steps_;  ///< change of the events that cover the column
};

/// Opacity of so many messages on top of each other.
double message_opacity(double density) {
  constexpr double of_one = 0.4;
  constexpr double least = 0.15;  // to be seen at all
  return std::max(least, 1. - std::pow(1. - of_one, density));
}

double sweep_opacity(double density) { return std::min(1., density); }

/// Heights in a rank's block.
struct Rows {
  double work = 0.0;
  double message = 0.0;
  double gap = 0.0;

  [[nodiscard]] double block() const { return work + (message > 0. ? 2 * (message + 2) : 0.); }
};

Rows rows_for(std::size_t ranks, bool messages) {
  constexpr std::size_t few = 4;
  const Rows rows = ranks <= few ? Rows{26, 10, 16} : Rows{15, 6, 10};
  return {rows.work, messages ? rows.message : 0., rows.gap};
}

/// A timeline with what its picture needs to know of it.
struct Part {
  const Timeline* timeline = nullptr;
  std::string title;
  std::vector<Index> ranks;                            ///< that are drawn
  std::vector<std::vector<const TraceEvent*>> events;  ///< of each of them, by their beginnings
  double begin = 0.0;
  double seconds = 0.0;
  Rows rows;

  [[nodiscard]] double head() const {
    return title_size + 12 + (timeline->note.empty() ? 0. : line_height);
  }
  [[nodiscard]] double field() const {
    return static_cast<double>(ranks.size()) * (rows.block() + rows.gap) + rows.gap;
  }
  [[nodiscard]] double height() const { return head() + field() + 2 * line_height + 14; }
};

Part part_of(const Timeline& timeline) {
  Part part;
  part.timeline = &timeline;
  part.title = timeline.title;
  part.begin = timeline.events.front().begin;
  double end = timeline.events.front().end;
  bool messages = false;
  std::map<Index, std::vector<const TraceEvent*>> by_rank;
  for (const TraceEvent& event : timeline.events) {
    by_rank[event.rank].push_back(&event);
    part.begin = std::min(part.begin, event.begin);
    end = std::max(end, event.end);
    messages = messages || event.activity == Activity::send || event.activity == Activity::receive;
  }
  part.seconds = end - part.begin;
  for (auto& [rank, events] : by_rank) {
    if (part.ranks.size() == most_ranks) {
      part.title += fmt::format(", of which {} are drawn", most_ranks);
      break;
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const TraceEvent* a, const TraceEvent* b) { return a->begin < b->begin; });
    part.ranks.push_back(rank);
    part.events.push_back(std::move(events));
  }
  part.rows = rows_for(part.ranks.size(), messages);
  return part;
}

/// Draws all parts over one axis.
class Sheet {
 public:
  Sheet(const std::vector<Timeline>& timelines, const std::string& path, TimelineWords words)
      : paints_(timelines), words_(std::move(words)), canvas_(chart::canvas_for(path)) {
    double longest = 0.;
    double widest = 0.;
    for (const Timeline& timeline : timelines) {
      parts_.push_back(part_of(timeline));
      longest = std::max(longest, parts_.back().seconds);
      for (const Index rank : parts_.back().ranks) {
        widest = std::max(widest, canvas_->text_width(rank_label(rank), {.size = small_size}));
      }
    }
    constexpr double least = 1e-9;  // a scale needs some length
    scale_ = {chart::Count::linear, 0., words_.units_per_second * std::max(longest, least)};
    left_ = margin + widest + 10;
    for (const Paint& paint : paints_.legend()) {
      names_.push_back(chart::fitted(*canvas_, paint.name, {.size = small_size}, 300));
    }
    legend_ = chart::legend_rows(*canvas_, names_, right_ - left_);
  }

  void draw() {
    draw_legend();
    double top = margin + chart::strip(legend_) + 8;
    for (const Part& part : parts_) {
      draw_part(part, top);
      top += part.height();
    }
  }

  void save(const std::string& path) const {
    double height = 2 * margin + chart::strip(legend_);
    for (const Part& part : parts_) height += part.height();
    chart::save(*canvas_, {sheet_width, height}, path);
  }

 private:
  [[nodiscard]] std::string rank_label(Index rank) const {
    return fmt::format("{} {}", words_.who, rank);
  }

  void box(Point low, Point high, Color color, double opacity) {
    const std::array<Point, 4> corners = {{low, {high.x, low.y}, high, {low.x, high.y}}};
    canvas_->polygon(corners, color, opacity);
  }

  void line(Point from, Point to, const chart::Pen& pen) {
    const std::array<Point, 2> ends = {from, to};
    canvas_->polyline(ends, pen);
  }

  [[nodiscard]] double distance(double seconds) const {
    return scale_.place(words_.units_per_second * seconds) * (right_ - left_);
  }

  void draw_legend() {
    for (const Placed& placed : legend_) {
      const double x = left_ + placed.x;
      const double y = margin + (static_cast<double>(placed.row) + 0.5) * line_height;
      box({x, y - 5}, {x + chart::swatch - 4, y + 5}, paints_.legend()[placed.which].color, 1.);
      canvas_->text({x + chart::swatch + 2, y + 0.36 * small_size}, names_[placed.which],
                    {small_size, chart::ink, Anchor::start, false, false});
    }
  }

  /// Over the field, and no wider.
  void line_of_text(double baseline, const std::string& words, const chart::Lettering& lettering) {
    if (words.empty()) return;
    canvas_->text({left_, baseline}, chart::fitted(*canvas_, words, lettering, right_ - left_),
                  lettering);
  }

  void draw_part(const Part& part, double top) {
    const Timeline& timeline = *part.timeline;
    line_of_text(top + title_size, part.title,
                 {title_size, chart::ink, Anchor::start, false, true});
    line_of_text(top + title_size + line_height, timeline.note,
                 {small_size, chart::pale_ink, Anchor::start, false, false});
    const double field = top + part.head();
    draw_lanes(part, field);
    draw_axis(field, field + part.field());
    for (std::size_t r = 0; r < part.ranks.size(); ++r) draw_rank(part, r, field);
    if (words_.units_per_second * part.seconds < scale_.high) {
      const double end = left_ + distance(part.seconds);
      line({end, field}, {end, field + part.field()}, {chart::pale_ink, 1.2, true});
    }
  }

  [[nodiscard]] static double block_top(const Part& part, std::size_t which, double field) {
    return field + part.rows.gap + static_cast<double>(which) * (part.rows.block() + part.rows.gap);
  }

  void draw_lanes(const Part& part, double field) {
    for (std::size_t r = 0; r < part.ranks.size(); ++r) {
      const double top = block_top(part, r, field);
      box({left_, top}, {right_, top + part.rows.block()}, lane_color, 1.);
      canvas_->text({left_ - 8, top + part.rows.work / 2 + 0.36 * small_size},
                    rank_label(part.ranks[r]), {small_size, chart::ink, Anchor::end, false, false});
    }
  }

  void draw_axis(double top, double bottom) {
    const chart::Pen pen{chart::frame, 1.0, false};
    for (const Tick& tick : chart::ticks(scale_, 12)) {
      const double x = left_ + scale_.place(tick.at) * (right_ - left_);
      line({x, top}, {x, bottom}, {chart::grid, 1.0, false});
      line({x, bottom}, {x, bottom + 4}, pen);
      canvas_->text({x, bottom + small_size + 7}, tick.label,
                    {small_size, chart::pale_ink, Anchor::middle, false, false});
    }
    line({left_, bottom}, {right_, bottom}, pen);
    canvas_->text({(left_ + right_) / 2, bottom + 2 * line_height}, words_.unit,
                  {small_size, chart::pale_ink, Anchor::middle, false, false});
  }

  void draw_rank(const Part& part, std::size_t which, double field) {
    const std::vector<const TraceEvent*>& events = part.events[which];
    const Rows& rows = part.rows;
    const double top = block_top(part, which, field);
    const auto of = [](Activity activity) {
      return [activity](const TraceEvent& event) { return event.activity == activity; };
    };
    const Row work{&part, &events, top, top + rows.work};
    fill(work, of(Activity::wait), waiting_color, sweep_opacity);
    for (const Color color : paints_.sweep_paints()) {
      const auto of_color = [&](const TraceEvent& event) {
        return event.activity == Activity::compute && paints_.of_sweep(event.name) == color;
      };
      fill(work, of_color, color, sweep_opacity);
    }
    draw_cuts(work);
    if (rows.message <= 0.) return;
    const double sends = work.bottom + 2;
    const double receives = sends + rows.message + 2;
    fill({&part, &events, sends, sends + rows.message}, of(Activity::send), sending_color,
         message_opacity);
    fill({&part, &events, receives, receives + rows.message}, of(Activity::receive),
         receiving_color, message_opacity);
  }

  /// Events of a rank, and the heights between which they are drawn.
  struct Row {
    const Part* part;
    const std::vector<const TraceEvent*>* events;
    double top;
    double bottom;
  };

  template <class Wanted, class Opacity>
  void fill(const Row& row, Wanted wanted, Color color, Opacity opacity) {
    Density density(right_ - left_);
    for (const TraceEvent* const event : *row.events) {
      if (!wanted(*event)) continue;
      density.add(distance(event->begin - row.part->begin), distance(event->end - row.part->begin));
    }
    density.for_each_run([&](double from, double to, double events) {
      box({left_ + from, row.top}, {std::min(right_, left_ + to), row.bottom}, color,
          opacity(events));
    });
  }

  /// A thin light line where a chunk begins, so that chunks of one sweep can be counted.
  void draw_cuts(const Row& row) {
    constexpr double least = 5;  // points between lines
    double free_from = least;
    for (const TraceEvent* const event : *row.events) {
      if (event->activity != Activity::compute) continue;
      const double from = distance(event->begin - row.part->begin);
      const double to = distance(event->end - row.part->begin);
      if (from < free_from || to - from < least) continue;
      box({left_ + from - 0.4, row.top}, {left_ + from + 0.4, row.bottom}, {255, 255, 255}, 0.8);
      free_from = from + least;
    }
  }

  Paints paints_;
  TimelineWords words_;
  std::unique_ptr<Canvas> canvas_;
  std::vector<Part> parts_;
  std::vector<std::string> names_;
  std::vector<Placed> legend_;
  Scale scale_;
  double left_ = 0.0;
  double right_ = sheet_width - margin;
};

}  // namespace

void draw(const std::vector<Timeline>& timelines, const std::string& path,
          const TimelineWords& words) {
  Sheet sheet(timelines, path, words);
  sheet.draw();
  sheet.save(path);
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/calibrate.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "calibration/links.hpp"
#include "calibration/local.hpp"
#include "calibration/ranks.hpp"
#include "calibration/whole.hpp"
#include "comm/agreement.hpp"
#include "comm/collectives.hpp"
#include "machine/assumed_kernels.hpp"
#include "machine/figures.hpp"

namespace kallima::calibration {

namespace {

/// Counts what is done for those who wait.
class Course {
 public:
  /// Of so many steps at most, in so many seconds at most.
  Course(const Told& told, double all, double seconds)
      : told_(told), all_(std::max(1., all)), seconds_(seconds) {}

  void next(const std::string& what) {
    const double part = std::max(done_ / all_, (MPI_Wtime() - begin_) / seconds_);
    if (told_) told_(std::min(1., part), what);
    done_ += 1.;
  }

 private:
  const Told& told_;
  double all_;
  double seconds_;
  double begin_ = MPI_Wtime();
  double done_ = 0.;
};

/// Cores that the ranks of a node may use together.
Index cores_of(const Ranks& ranks) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof(mine), &mine) != 0) return ranks.per_node();
  cpu_set_t all;
  CPU_ZERO(&all);
  comm::check(MPI_Allreduce(&mine, &all, sizeof(mine), MPI_BYTE, MPI_BOR, ranks.node()),
              "MPI_Allreduce");
  return std::max(1, CPU_COUNT(&all));
}

double memory_of_node() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return 0.;
  return static_cast<double>(info.totalram) * static_cast<double>(info.mem_unit);
}

std::string described(const Work& work) {
  if (work.kernel == Kernel::none) return fmt::format("copying {}", text::bytes(work.bytes()));
  return fmt::format("{} of {}{}{}, {}", work.across ? "lines across memory" : "lines", work.length,
                     work.precision == Precision::f32 ? " in single precision" : "",
                     work.engine == LineEngine::kernels ? " with kernels" : "",
                     text::bytes(work.bytes()));
}

std::vector<Shape> of_three_axes(const std::vector<Shape>& shapes) {
  std::vector<Shape> result;
  for (const Shape& shape : shapes) {
    if (shape.size() == 3) result.push_back(shape);
  }
  return result;
}

/// Times of rounds, figure by figure.
using Rounds = std::vector<std::vector<double>>;

std::vector<double> least_of(const Rounds& rounds) {
  std::vector<double> result;
  for (const std::vector<double>& values : rounds) result.push_back(least(values));
  return result;
}

class Calibrator {
 public:
  Calibrator(MPI_Comm comm, const Settings& settings, const Told& told)
      : ranks_(comm::Communicator::of(comm)),
        settings_(settings),
        kernels_(ranks_.communicator()->vectors != Vectors::none),
        local_(settings.most_bytes, settings.few, kernels_),
        shapes_(whole_shapes(settings.most_bytes)),
        cubes_(of_three_axes(shapes_)),
        cores_(static_cast<Index>(-ranks_.largest(-static_cast<double>(cores_of(ranks_))))),
        active_(active_counts()),
        course_(told, static_cast<double>(settings.rounds) * steps_per_round(), settings.seconds) {}

  Calibration all() {
    MachineFigures& machine = result_.machine;
    machine.name = "here";
    machine.node = {cores_, ranks_.per_node(), memory_of_node(), false};
    machine.topology = {};
    measure();
    for (std::size_t a = 0; a < active_.size(); ++a) take_speed(a);
    if (!kernels_) assume_kernels(machine);
    take_shared_memory();
    take_whole();
    take_link(Level::in_node, "in_node", machine.in_node, result_.in_node);
    take_link(Level::between_nodes, "between_nodes", machine.between_nodes, result_.between_nodes);
    // What only some ranks measured is rank 0's.
    machine = Machine::parse(comm::broadcast(*ranks_.communicator(), Machine(machine).to_text()))
                  .figures();
    ranks_.free();
    return std::move(result_);
  }

 private:
  /// What is measured of a link in each round.
  struct LinkTimes {
    std::vector<ExchangeSample> kinds;  // without times
    std::vector<Pattern> patterns;      // of the kinds
    Rounds exchanges;                   // by kind
    std::vector<double> one;
    std::vector<double> row;
    std::vector<double> overhead;
    std::vector<double> crowding;
    std::vector<double> busy;
  };

  static constexpr Index in_row = 17;  // short messages, for the gap between them

  static std::size_t index_of(Level level) { return level == Level::in_node ? 0 : 1; }

  [[nodiscard]] std::vector<Index> active_counts() const {
    const Index per_node = ranks_.per_node();
    std::vector<Index> counts = {1, std::min(cores_, per_node), per_node};
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
  }

  [[nodiscard]] double steps_per_round() const {
    double steps = static_cast<double>(active_.size() * local_.works().size());
    for (const Level level : {Level::in_node, Level::between_nodes}) {
      if (measurable(ranks_, level)) steps += 2. * static_cast<double>(message_sizes().size()) + 4.;
    }
    steps += static_cast<double>((active_.size() + 1) * shapes_.size());
    return steps + 3.;
  }

  [[nodiscard]] std::vector<Index> message_sizes() const {
    std::vector<Index> sizes;
    for (Index bytes = 64; bytes <= settings_.most_message; bytes *= 4) sizes.push_back(bytes);
    return sizes;
  }

  void measure() {
    std::unique_ptr<Arrays> arrays;
    agree(*ranks_.communicator(),
          comm::Verdict::of([&] { arrays = std::make_unique<Arrays>(local_.array_bytes()); }));
    times_.assign(active_.size(), Rounds(local_.works().size()));
    const double begin = MPI_Wtime();
    double longest = 0.;
    for (; result_.rounds < settings_.rounds; ++result_.rounds) {
      const double round = MPI_Wtime();
      const bool fits = round - begin + longest <= settings_.seconds;
      if (!comm::as_rank_0_says(*ranks_.communicator(), fits)) break;
      for (std::size_t a = 0; a < active_.size(); ++a) measure_local(a, *arrays);
      measure_shared_memory();
      measure_whole();
      for (const Level level : {Level::in_node, Level::between_nodes}) {
        if (measurable(ranks_, level)) measure_link(level);
      }
      longest = std::max(longest, MPI_Wtime() - round);
    }
  }

  /// Large arrays take most of the time and differ least from round to round: they are measured in
  /// every third.
  [[nodiscard]] bool passes_over(Index bytes) const {
    constexpr Index large = Index{1} << 24;
    constexpr Index seldom = 3;
    return bytes > large && result_.rounds % seldom != 0;
  }

  void measure_local(std::size_t a, const Arrays& arrays) {
    const bool busy = ranks_.rank_on_node() < active_[a];
    for (std::size_t w = 0; w < local_.works().size(); ++w) {
      const Work& work = local_.works()[w];
      if (passes_over(work.bytes())) {
        times_[a][w].push_back(times_[a][w].back());
        continue;
      }
      course_.next(fmt::format("{}, {}", text::plural(active_[a], "active rank"), described(work)));
      ranks_.barrier();
      const double mine =
          busy ? seconds_of(work, arrays, settings_.tile_bytes, settings_.budget) : 0.;
      ranks_.barrier();
      times_[a][w].push_back(ranks_.mean(mine, busy));
    }
  }

  /// Of input and output.
  static Index bytes_of(const Shape& shape) {
    return 2 * Element{true, Precision::f64}.bytes() * volume(shape);
  }

  /// Transforms by each rank for itself, and by the ranks of a node together.
  void measure_whole() {
    alone_.resize(active_.size());
    for (std::size_t a = 0; a < active_.size(); ++a) {
      for (const Shape& shape : shapes_) {
        if (passes_over(bytes_of(shape))) {
          alone_[a].push_back(alone_[a][alone_[a].size() - shapes_.size()]);
          continue;
        }
        course_.next(fmt::format("transforms of {}, {}", text::plural(volume(shape), "element"),
                                 text::plural(active_[a], "active rank")));
        const bool busy = ranks_.rank_on_node() < active_[a];
        ranks_.barrier();
        WholeTime mine;
        if (busy)
          mine = whole_time(MPI_COMM_SELF, shape, ExchangeMethod::shared_memory, settings_.budget);
        ranks_.barrier();
        mine.seconds = ranks_.mean(mine.seconds, busy);
        alone_[a].push_back(std::move(mine));
      }
    }
    if (ranks_.per_node() > 1) {
      measure_together(ranks_.node(), ExchangeMethod::shared_memory, shapes_, by_shared_memory_);
      measure_together(ranks_.node(), ExchangeMethod::point_to_point, cubes_,
                       by_messages_[index_of(Level::in_node)]);
    }
    if (ranks_.nodes() > 1) {
      measure_together(ranks_.communicator()->comm, ExchangeMethod::point_to_point, cubes_,
                       by_messages_[index_of(Level::between_nodes)]);
    }
  }

  void measure_together(MPI_Comm comm, ExchangeMethod method, const std::vector<Shape>& shapes,
                        std::vector<WholeTime>& into) {
    for (const Shape& shape : shapes) {
      if (passes_over(bytes_of(shape))) {
        into.push_back(into[into.size() - shapes.size()]);
        continue;
      }
      course_.next(fmt::format("transforms of {} by {}", text::plural(volume(shape), "element"),
                               name_of(method)));
      WholeTime mine = whole_time(
          comm, shape, method,
          method == ExchangeMethod::shared_memory ? settings_.budget : settings_.link_budget);
      mine.seconds = ranks_.mean(mine.seconds, true);
      mine.exchanging = ranks_.mean(mine.exchanging, true);
      into.push_back(std::move(mine));
    }
  }

  void measure_shared_memory() {
    barriers_.resize(barrier_counts().size());
    for (std::size_t i = 0; i < barriers_.size(); ++i) {
      course_.next("barrier in shared memory");
      barriers_[i].push_back(barrier_time(ranks_, barrier_counts()[i], settings_.budget));
    }
  }

  [[nodiscard]] std::vector<Index> barrier_counts() const {
    std::vector<Index> counts;
    for (Index count = 2; count < ranks_.per_node(); count *= 2) counts.push_back(count);
    if (ranks_.per_node() > 1) counts.push_back(ranks_.per_node());
    return counts;
  }

  void measure_link(Level level) {
    const char* const name = level == Level::in_node ? "within a node" : "between nodes";
    LinkTimes& times = links_[index_of(level)];
    if (times.kinds.empty()) lay_out(level, times);
    constexpr Index short_bytes = 8;
    course_.next(fmt::format("short messages {}", name));
    const double budget = settings_.link_budget;
    times.one.push_back(exchange_time(ranks_, level, Pattern::pair, short_bytes, 1, budget));
    times.row.push_back(exchange_time(ranks_, level, Pattern::pair, short_bytes, in_row, budget));
    times.overhead.push_back(overhead_time(ranks_, level, budget));
    for (std::size_t k = 0; k < times.kinds.size(); ++k) {
      const ExchangeSample& kind = times.kinds[k];
      course_.next(fmt::format("messages of {} {}", text::bytes(kind.bytes), name));
      times.exchanges[k].push_back(
          exchange_time(ranks_, level, times.patterns[k], kind.bytes, 1, budget));
    }
    // All ranks of a node share what one of them has to itself.
    const Index large = settings_.most_message;
    const double single = exchange_time(ranks_, level, Pattern::pair, large, 1, budget);
    if (level == Level::between_nodes) times.busy.push_back(busy_part(ranks_, level, large));
    times.crowding.push_back(exchange_time(ranks_, level, Pattern::pairs, large, 1, budget) /
                             single);
  }

  void lay_out(Level level, LinkTimes& times) {
    const Index all = messages_of(ranks_, level, Pattern::all);
    const Index paired = messages_of(ranks_, level, Pattern::pairs);
    for (const Index bytes : message_sizes()) {
      times.kinds.push_back({paired, bytes, 0.});
      times.patterns.push_back(Pattern::pairs);
      if (all < 2 || bytes > settings_.most_message / all) continue;
      times.kinds.push_back({all, bytes, 0.});
      times.patterns.push_back(Pattern::all);
    }
    times.exchanges.resize(times.kinds.size());
  }

  void take_speed(std::size_t a) {
    const std::vector<double> seconds = least_of(times_[a]);
    const Speed speed = local_.speed(active_[a], seconds);
    Accuracy& accuracy = result_.machine.accuracy;
    accuracy.sweeps = std::max(accuracy.sweeps, local_.residual(speed, seconds));
    result_.machine.speeds.push_back(speed);
    std::vector<Speed> rounds;
    for (std::size_t round = 0; round < static_cast<std::size_t>(result_.rounds); ++round) {
      std::vector<double> once;
      for (const std::vector<double>& values : times_[a]) once.push_back(values[round]);
      rounds.push_back(local_.speed(active_[a], once));
    }
    const auto judge = [&](const std::string& figure, const auto& value_of) {
      std::vector<double> values;
      for (const Speed& one : rounds) values.push_back(value_of(one));
      result_.stability.push_back(
          {fmt::format("{}, {} active", figure, active_[a]), value_of(speed), apart(values)});
    };
    constexpr double large = 1 << 28;
    for (const double length : {64., 256., 1024.}) {
      for (const LineEngine engine : local_.engines()) {
        const auto form_of = [=](bool across) {
          return [=](const Speed& one) {
            return one.rates(Precision::f64, engine).form(across).in_cache.at(length);
          };
        };
        judge(fmt::format("lines of {} with {}, seconds an element", length, name_of(engine)),
              form_of(false));
        judge(fmt::format("lines of {} across memory with {}, seconds an element", length,
                          name_of(engine)),
              form_of(true));
      }
    }
    judge("copy of 256 MiB, seconds a byte", [&](const Speed& one) { return one.copy.at(large); });
  }

  void take_shared_memory() {
    Sharing& shared_memory = result_.machine.shared_memory;
    shared_memory = built_in_machine()->shared_memory;
    if (barriers_.empty()) {
      result_.machine.sources["shared_memory"] = "assumed, not measured: one rank a node";
      return;
    }
    std::vector<Curve::Point> points;
    for (std::size_t i = 0; i < barriers_.size(); ++i) {
      points.emplace_back(static_cast<double>(barrier_counts()[i]), least(barriers_[i]));
    }
    shared_memory.available = points.back().second > 0.;
    if (shared_memory.available) shared_memory.barrier = Curve(points);
    result_.machine.sources["shared_memory"] = "measured";
    result_.stability.push_back({fmt::format("{} ranks meet, seconds", ranks_.per_node()),
                                 points.back().second, apart(barriers_.back())});
  }

  /// What two sweeps in one pass take, over both by themselves, as one factor for them and one for
  /// all other sweeps explain whole transforms best: they gather and scatter once.
  [[nodiscard]] double joined(const std::vector<WholeTime>& runs, Index active) const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < shapes_.size() && i < runs.size(); ++i) {
      std::array<double, 2> parts{};  // each in a pass of its own, and two in one
      for (const StepCost& step : priced(runs[i].plan, active).steps) {
        parts[step.steps == 2 ? 1 : 0] += step.cost.total();
      }
      rows.push_back({parts[0], parts[1], fastest(runs, i, shapes_.size()).seconds});
    }
    const Solution found = least_squares(rows);
    constexpr double lowest = 0.5;
    constexpr double highest = 1.5;
    return found.x > 0. && found.y > 0. ? std::clamp(found.y / found.x, lowest, highest) : 1.;
  }

  [[nodiscard]] PlanCost priced(const Plan& plan, Index active) const {
    PriceOptions options;
    options.ranks_per_node = active;
    return price(plan, result_.machine, options);
  }

  /// Of what was measured i-th in each round, `each` in all: the one that took least.
  static const WholeTime& fastest(const std::vector<WholeTime>& runs, std::size_t i,
                                  std::size_t each) {
    std::size_t best = i;
    for (std::size_t r = i; r < runs.size(); r += each) {
      if (runs[r].seconds < runs[best].seconds) best = r;
    }
    return runs[best];
  }

  /// By how much transforms take longer than priced, for the smaller, the middle and the larger
  /// third of them: from one size to the next it differs less than from run to run.
  [[nodiscard]] Curve longer(const std::vector<WholeTime>& runs, Index active) const {
    std::vector<Curve::Point> ratios;  // over bytes
    for (std::size_t i = 0; i < shapes_.size() && i < runs.size(); ++i) {
      const PlanCost cost = priced(runs[i].plan, active);
      ratios.emplace_back(cost.arrays,
                          fastest(runs, i, shapes_.size()).seconds / cost.total.total());
    }
    std::sort(ratios.begin(), ratios.end());
    constexpr std::size_t parts = 3;
    std::vector<Curve::Point> points;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = ratios.size() * part / parts;
      const std::size_t end = ratios.size() * (part + 1) / parts;
      if (begin == end) continue;
      std::vector<double> values;
      for (std::size_t i = begin; i < end; ++i) values.push_back(ratios[i].second);
      const std::size_t at = part == 0 ? begin : part + 1 == parts ? end - 1 : (begin + end) / 2;
      const double bytes = ratios[at].first;
      if (!points.empty() && points.back().first >= bytes) continue;
      points.emplace_back(bytes, median(std::move(values)));
    }
    return Curve(std::move(points));
  }

  void take_whole() {
    MachineFigures& machine = result_.machine;
    for (Speed& speed : machine.speeds) speed.in_plan = Curve(1.);
    machine.shared_memory.in_plan = Curve(1.);
    // Ranks that stood by know nothing of it. Rank 0 is always at work, and tells.
    if (ranks_.rank() != 0) return;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      machine.speeds[a].joined = joined(alone_[a], active_[a]);
    }
    if (!by_shared_memory_.empty()) {
      machine.shared_memory.in_plan = longer(by_shared_memory_, ranks_.per_node());
    }
    for (std::size_t a = 0; a < active_.size(); ++a) {
      machine.speeds[a].in_plan = longer(alone_[a], active_[a]);
    }
  }

  /// Exchanges of transforms, as samples of a link: what a rank keeps it copies by the way.
  [[nodiscard]] std::vector<ExchangeSample> in_plan(Level level) const {
    std::vector<ExchangeSample> samples;
    const std::vector<WholeTime>& runs = by_messages_[index_of(level)];
    for (std::size_t i = 0; i < cubes_.size() && i < runs.size(); ++i) {
      const Plan& plan = runs[i].plan;
      if (plan.exchanges() != 1) continue;
      const CommVolume moves = plan.total_volume();
      // Of the round that took least as a whole: what a rank waits less in one it waits more in
      // another.
      const double exchanging = fastest(runs, i, cubes_.size()).exchanging;
      double kept = 0.;
      for (const StepCost& step : price(plan, result_.machine).steps) {
        if (step.messages > 0) kept += step.cost.memory;
      }
      const Index messages = moves.most_messages_sent;
      samples.push_back(
          {messages, moves.most_bytes_sent / messages, std::max(1e-9, exchanging - kept), true});
    }
    return samples;
  }

  void take_link(Level level, const char* name, Link& link, std::vector<ExchangeSample>& samples) {
    if (!measurable(ranks_, level)) {
      link =
          level == Level::in_node ? built_in_machine()->in_node : built_in_machine()->between_nodes;
      result_.machine.sources[name] = fmt::format(
          "assumed, not measured: {}", level == Level::in_node ? "one rank a node" : "one node");
      return;
    }
    const LinkTimes& times = links_[index_of(level)];
    samples = times.kinds;
    for (std::size_t k = 0; k < samples.size(); ++k) samples[k].seconds = least(times.exchanges[k]);
    const std::vector<ExchangeSample> more = in_plan(level);
    samples.insert(samples.end(), more.begin(), more.end());
    const MessageTimes short_ones{least(times.one), least(times.overhead), least(times.row),
                                  in_row};
    link = fit_link(short_ones, samples);
    link.node_per_byte = link.per_byte.points().back().second * median(times.crowding) /
                         static_cast<double>(ranks_.per_node());
    if (!times.busy.empty()) link.busy = median(times.busy);
    result_.machine.sources[name] = "measured";
    for (const Model model : {Model::loggp, Model::alpha_beta, Model::logp, Model::bsp}) {
      result_.fits.push_back({name, model, residual(model, link, samples)});
    }
    Accuracy& accuracy = result_.machine.accuracy;
    accuracy.exchanges = std::max(accuracy.exchanges, residual(Model::loggp, link, samples));
    result_.stability.push_back(
        {fmt::format("{}: a short message, seconds", name), short_ones.one, apart(times.one)});
    result_.stability.push_back(
        {fmt::format("{}: from message to message, seconds", name), link.gap, apart(times.row)});
    result_.stability.push_back({fmt::format("{}: largest messages, seconds a byte", name),
                                 link.per_byte.points().back().second,
                                 apart(times.exchanges.back())});
  }

  Ranks ranks_;
  const Settings& settings_;
  bool kernels_;  // are there any
  LocalWork local_;
  std::vector<Shape> shapes_;  // of whole transforms
  std::vector<Shape> cubes_;   // of these, those with three axes
  Index cores_;
  std::vector<Index> active_;
  Course course_;
  std::vector<Rounds> times_;                  // by active count and work
  Rounds barriers_;                            // by count of ranks
  std::vector<std::vector<WholeTime>> alone_;  // by active count; round by round over the shapes
  std::vector<WholeTime> by_shared_memory_;    // round by round over the shapes
  std::array<std::vector<WholeTime>, 2> by_messages_;  // by level; round by round over the cubes
  std::array<LinkTimes, 2> links_;                     // by level
  Calibration result_;
};

}  // namespace

Settings Settings::quick() {
  Settings settings;
  settings.rounds = 4;
  settings.seconds = 12.;
  settings.few = true;
  settings.most_bytes = Index{1} << 27;
  settings.budget = 0.002;
  settings.link_budget = 0.01;
  return settings;
}

Calibration run(MPI_Comm comm, const Settings& settings, const Told& told) {
  return Calibrator(comm, settings, told).all();
}

}  // namespace kallima::calibration

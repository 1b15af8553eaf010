// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima advise`: which numbers of ranks are worth asking for, on which grid, and which sizes
// near the one that is wanted are cheaper. Never starts MPI.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "kallima/planner.hpp"
#include "machine/figures.hpp"
#include "machine_arguments.hpp"
#include "options.hpp"
#include "problem_arguments.hpp"
#include "rank_range.hpp"
#include "session.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

struct AdviseArguments {
  ProblemArguments what;
  MachineArguments on;
  std::string ranks;
  bool json = false;
};

constexpr const char* advise_examples = R"(
RANGE: 1..1024, or a single number to have its neighbours judged.

Examples:
  kallima advise c2c:1280^3 -n 1..512
  kallima advise c2c:1009x1009 --machine here.toml
  kallima advise r2c:2048^3:f32 -n 1..16384 --machine frontier)";

/// One number of ranks, and what is best on it.
struct Offer {
  Index ranks = 1;
  Plan plan;
  PlanCost cost;
  std::string why_slow;  ///< why not to take it; empty: nothing speaks against it

  [[nodiscard]] double seconds() const { return cost.total.total(); }
};

class Adviser {
 public:
  Adviser(const AdviseArguments& arguments, std::shared_ptr<const Machine> machine)
      : arguments_(arguments), machine_(std::move(machine)) {}

  /// Of a problem that may have another shape than the one asked about.
  [[nodiscard]] Offer offer(const Shape& shape, Index ranks) const {
    PlanRequest request = arguments_.what.request(ranks, machine_);
    if (shape != request.problem.shape) {
      request.problem.shape = shape;
      request.in.reset();
      request.out.reset();
    }
    request.placement = arguments_.on.placement(*machine_, ranks);
    std::vector<NamedPlan> plans = compared_plans(request);
    return {ranks, std::move(plans.front().plan), std::move(plans.front().cost), ""};
  }

  [[nodiscard]] Shape shape() const { return arguments_.what.request(1).problem.shape; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  /// Ranks of a node that is full.
  [[nodiscard]] Index per_node() const {
    return arguments_.on.placement(*machine_, std::numeric_limits<Index>::max()).ranks_per_node;
  }

 private:
  const AdviseArguments& arguments_;
  std::shared_ptr<const Machine> machine_;
};

/// Numbers of ranks worth a look: powers of two, what divides an axis, whole nodes.
std::vector<Index> counts(const Adviser& adviser, Index first, Index last) {
  std::set<Index> result = {first, last};
  for (Index power = 1; power <= last; power *= 2) result.insert(power);
  for (const Index extent : adviser.shape()) {
    for (Index d = 1; d <= std::min(extent, last); ++d) {
      if (extent % d == 0) result.insert(d);
    }
  }
  for (Index nodes = 1; nodes <= 8; ++nodes) result.insert(nodes * adviser.per_node());
  std::vector<Index> in_range;
  for (const Index ranks : result) {
    if (ranks >= first && ranks <= last) in_range.push_back(ranks);
  }
  constexpr std::size_t most = 48;
  while (in_range.size() > most) {
    // The most crowded go first; powers of two stay.
    std::size_t worst = 1;
    double least = 1e300;
    for (std::size_t i = 1; i + 1 < in_range.size(); ++i) {
      const bool power = (in_range[i] & (in_range[i] - 1)) == 0;
      const double room =
          static_cast<double>(in_range[i + 1]) / static_cast<double>(in_range[i - 1]);
      if (!power && room < least) {
        least = room;
        worst = i;
      }
    }
    in_range.erase(in_range.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return in_range;
}

/// What a layout of the plan loads ranks unevenly with; empty where none does.
std::string uneven(const Plan& plan) {
  for (const State& state : plan.states()) {
    if (!state.layout.is_grid()) continue;
    for (std::size_t a = 0; a < state.layout.axes(); ++a) {
      const Axis& axis = state.layout.axis(a);
      if (axis.even() || state.digits[a].whole > 0) continue;
      return fmt::format(", {} of {} over {} is uneven", axis.n, state.names()[a], axis.procs);
    }
  }
  return plan.output().active_ranks() < plan.ranks() ? ", ranks are idle" : "";
}

/// What is against an offer that takes longer than one on fewer ranks: the part of the price that
/// grows most.
std::string reason(const Offer& offer, const Offer& fewer) {
  const Cost& more = offer.cost.total;
  const Cost& less = fewer.cost.total;
  const std::array<std::pair<const char*, double>, 5> parts = {
      {{"latency", more.latency - less.latency},
       {"bandwidth", more.bandwidth - less.bandwidth},
       {"memory", more.memory - less.memory},
       {"compute", more.compute - less.compute},
       {"what is not hidden", less.hidden - more.hidden}}};
  const auto [what, by] = *std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (by <= 0.) return "all else is equal";
  return fmt::format("{} grows by {}{}", what, duration(by), uneven(offer.plan));
}

/// Marks what is no faster than fewer ranks.
void mark_slow_counts(std::vector<Offer>& offers) {
  const Offer* best = nullptr;
  for (Offer& offer : offers) {
    if (best != nullptr && offer.seconds() >= best->seconds()) {
      offer.why_slow =
          fmt::format("no faster than {}: {}", text::grouped(best->ranks), reason(offer, *best));
    } else {
      best = &offer;
    }
  }
}

bool smooth(Index n) {
  for (const Index p : {2, 3, 5, 7}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

/// Another shape and what it costs.
struct Neighbour {
  Shape shape;
  double seconds = 0.;
};

std::vector<Neighbour> neighbours(const Adviser& adviser, const Offer& best) {
  const Shape shape = adviser.shape();
  const bool cube =
      std::all_of(shape.begin(), shape.end(), [&](Index n) { return n == shape.front(); });
  std::set<Shape> shapes;
  for (std::size_t a = 0; a < (cube ? 1 : shape.size()); ++a) {
    const Index n = shape[a];
    for (Index other = n - n / 12; other <= n + n / 8; ++other) {
      if (other == n || other < 1 || !smooth(other)) continue;
      Shape changed = shape;
      if (cube) {
        std::fill(changed.begin(), changed.end(), other);
      } else {
        changed[a] = other;
      }
      shapes.insert(changed);
    }
  }
  std::vector<Neighbour> found;
  const double each = best.seconds() / static_cast<double>(volume(shape));
  for (const Shape& other : shapes) {
    const double seconds = adviser.offer(other, best.ranks).seconds();
    const auto elements = static_cast<double>(volume(other));
    const bool larger = volume(other) >= volume(shape);
    // Larger ones that are faster, smaller ones that gain more than they lose.
    if (larger ? seconds < 0.97 * best.seconds() : seconds / elements < 0.85 * each) {
      found.push_back({other, seconds});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.seconds / static_cast<double>(volume(a.shape)) <
           b.seconds / static_cast<double>(volume(b.shape));
  });
  constexpr std::size_t most = 5;
  if (found.size() > most) found.resize(most);
  return found;
}

std::vector<std::string> offer_row(const Offer& offer, const Adviser& adviser, double alone) {
  const double work = offer.seconds() * static_cast<double>(offer.ranks);
  return {text::grouped(offer.ranks),
          text::grouped(ceil_div(offer.ranks, adviser.per_node())),
          duration(offer.seconds()),
          fmt::format("{:.0f} %", 100. * alone / work),
          text::grouped(offer.plan.exchanges()),
          std::string(offer.cost.total.binds()),
          offer.plan.input().summary(),
          offer.why_slow};
}

std::string report_text(const Adviser& adviser, const std::vector<Offer>& offers,
                        const std::vector<Neighbour>& sizes) {
  const double alone = offers.front().seconds() * static_cast<double>(offers.front().ranks);
  std::vector<const Offer*> ranked;
  for (const Offer& offer : offers) ranked.push_back(&offer);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Offer* a, const Offer* b) { return a->seconds() < b->seconds(); });
  constexpr std::size_t most = 16;
  if (ranked.size() > most) ranked.resize(most);
  std::vector<std::vector<std::string>> rows = {
      {"ranks", "nodes", "time", "efficiency", "exchanges", "binds", "input layout", "but"}};
  for (const Offer* const offer : ranked) rows.push_back(offer_row(*offer, adviser, alone));
  const Problem& problem = offers.front().plan.problem();
  std::string text =
      fmt::format("{}, {}\n{}", problem.to_text(), priced_on(adviser.machine()), list(rows));
  std::vector<std::vector<std::string>> slow_counts = {{"ranks", "why", "time"}};
  for (const Offer& offer : offers) {
    if (offer.why_slow.empty()) continue;
    slow_counts.push_back({text::grouped(offer.ranks), offer.why_slow, duration(offer.seconds())});
  }
  if (slow_counts.size() > 1)
    text += fmt::format("\n{}\n{}", heading("Rank counts to avoid"), list(slow_counts));
  if (sizes.empty()) {
    return text + "\nNo size nearby is better.\n";
  }
  std::vector<std::vector<std::string>> better = {{"size", "time", "of this one's", "elements"}};
  const double best = ranked.front()->seconds();
  for (const Neighbour& size : sizes) {
    better.push_back({fmt::format("{}", fmt::join(size.shape, "x")), duration(size.seconds),
                      fmt::format("{:.2f}", size.seconds / best),
                      fmt::format("{:.2f}", static_cast<double>(volume(size.shape)) /
                                                static_cast<double>(volume(problem.shape)))});
  }
  return text + fmt::format("\n{}\n{}",
                            heading(fmt::format("Better sizes nearby, on {}",
                                                text::plural(ranked.front()->ranks, "rank"))),
                            table(better));
}

Json report_json(const Adviser& adviser, const std::vector<Offer>& offers,
                 const std::vector<Neighbour>& sizes) {
  Json list = Json::array();
  for (const Offer& offer : offers) {
    const Cost& cost = offer.cost.total;
    list.push_back({{"ranks", offer.ranks},
                    {"seconds", offer.seconds()},
                    {"exchanges", offer.plan.exchanges()},
                    {"binds", offer.cost.total.binds()},
                    {"price",
                     {{"latency", cost.latency},
                      {"bandwidth", cost.bandwidth},
                      {"memory", cost.memory},
                      {"compute", cost.compute},
                      {"hidden", cost.hidden}}},
                    {"layout_in", offer.plan.input().to_text()},
                    {"layout_out", offer.plan.output().to_text()},
                    {"why_slow", offer.why_slow.empty() ? Json() : Json(offer.why_slow)}});
  }
  Json better = Json::array();
  for (const Neighbour& size : sizes) {
    better.push_back({{"shape", size.shape}, {"seconds", size.seconds}});
  }
  return {{"schema", "kallima.advise/3"},
          {"problem", offers.front().plan.problem().to_text()},
          {"machine", adviser.machine()->name},
          {"offers", std::move(list)},
          {"better_sizes", std::move(better)}};
}

std::string report(const AdviseArguments& arguments) {
  const Adviser adviser(arguments, arguments.on.machine());
  Index first = 1;
  Index last = 16 * adviser.per_node();
  if (!arguments.ranks.empty()) {
    const std::vector<Index> asked = ranks_in(arguments.ranks);
    first = asked.size() == 1 ? std::max<Index>(1, asked.front() / 2) : asked.front();
    last = asked.size() == 1 ? 2 * asked.front() : asked.back();
  }
  Progress progress(launched_rank() == 0);
  std::vector<Offer> offers;
  for (const Index ranks : counts(adviser, first, last)) {
    progress.show(fmt::format("pricing on {} ranks", text::grouped(ranks)));
    offers.push_back(adviser.offer(adviser.shape(), ranks));
  }
  mark_slow_counts(offers);
  const Offer& best =
      *std::min_element(offers.begin(), offers.end(),
                        [](const Offer& a, const Offer& b) { return a.seconds() < b.seconds(); });
  const std::vector<Neighbour> sizes = neighbours(adviser, best);
  progress.clear();
  return arguments.json ? report_json(adviser, offers, sizes).dump(2) + "\n"
                        : report_text(adviser, offers, sizes);
}

}  // namespace

void add_advise(Command program, Report& chosen) {
  const auto arguments = std::make_shared<AdviseArguments>();
  Command command = program.add_subcommand(
      "advise", "Compare rank counts, process grids and sizes by what they will cost; no MPI");
  arguments->what.add_to(command);
  arguments->on.add_to(command);
  command
      .add_option("-n,--ranks", arguments->ranks,
                  "Ranks to choose from (default: up to 16 nodes of the machine)")
      .type_name("RANGE");
  arguments->on.add_placement_to(command);
  command.add_flag("--json", arguments->json, "Print one JSON object, schema kallima.advise/3");
  command.footer(problem_help() + advise_examples);
  command.callback([arguments, &chosen] { chosen = [arguments] { return report(*arguments); }; });
}

}  // namespace kallima::cli

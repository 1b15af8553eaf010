// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep gathers, transforms in cache and scatters, one tile behind the other, so what it computes
// and what it moves between memory and caches add up (unless the machine says that they overlap, as
// Czechowski et al. 2012, Eq. 1, assume). All figures are of the rank that holds most.
#include "kallima/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "machine/link_models.hpp"
#include "machine/topology.hpp"
#include "plan/mirror.hpp"
#include "plan/schedule.hpp"

namespace kallima {

namespace {

Index largest_prime(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p) {
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  }
  return std::max(largest, n);
}

/// Figures of a machine for so many active ranks a node: between those that were measured a
/// straight line in the logarithms; beyond the last, ranks take turns.
class Pace {
 public:
  Pace(const Machine& machine, Index active) {
    const std::vector<Speed>& speeds = machine.speeds;
    std::size_t above = 0;
    while (above < speeds.size() && speeds[above].active < active) ++above;
    if (above == speeds.size()) {
      low_ = high_ = &speeds.back();
      const Index most = std::max(machine.node.cores, low_->active);
      turns_ = std::max(1., static_cast<double>(active) / static_cast<double>(most));
      return;
    }
    high_ = &speeds[above];
    low_ = above == 0 ? high_ : &speeds[above - 1];
    if (low_ == high_) return;
    part_ = std::log(static_cast<double>(active) / static_cast<double>(low_->active)) /
            std::log(static_cast<double>(high_->active) / static_cast<double>(low_->active));
  }

  /// A figure, given as a function of a Speed.
  template <class Figure>
  [[nodiscard]] double operator()(Figure figure) const {
    const double low = figure(*low_);
    const double high = figure(*high_);
    return turns_ * (low + part_ * (high - low));
  }

  [[nodiscard]] const Speed& nearest() const { return *high_; }
  [[nodiscard]] double turns() const { return turns_; }

 private:
  const Speed* low_ = nullptr;
  const Speed* high_ = nullptr;
  double part_ = 0.;
  double turns_ = 1.;
};

/// The wiring of so many nodes side by side.
models::Topology wiring_of(const Topology& topology, Index nodes) {
  switch (topology.wiring) {
    case Wiring::full:
      return models::FullNetwork{};
    case Wiring::fat_tree:
      return models::FatTree{topology.taper};
    case Wiring::torus:
      return models::Torus{static_cast<int>(topology.dimensions)};
    case Wiring::dragonfly: {
      const Index all = std::max(nodes, topology.nodes);
      const Index groups = ceil_div(nodes * topology.groups, all);
      if (groups < 2) return models::FullNetwork{};
      return models::Dragonfly{static_cast<double>(groups), topology.taper};
    }
  }
  throw InternalError("a wiring without a model");
}

/// Prices the legs of one plan.
class Pricer {
 public:
  Pricer(const Plan& plan, const Machine& machine, const PriceOptions& options)
      : plan_(plan),
        machine_(machine),
        options_(options),
        schedule_(schedule(plan, options.in_place)),
        per_node_(ranks_per_node()),
        pace_(machine, per_node_) {
    const Workspace need = largest_workspace(plan, schedule_);
    const Index ends = options.in_place ? std::max(room(0), room(plan.states().size() - 1))
                                        : room(0) + room(plan.states().size() - 1);
    arrays_ = static_cast<double>((need.arrays() + ends) * complex_bytes());
  }

  PlanCost all() {
    PlanCost result;
    double local = 0.;
    double moving = 0.;
    for (const Leg& leg : schedule_.legs) {
      StepCost step = price_leg(leg);
      (is_exchange(leg) ? moving : local) += step.cost.total();
      result.total += step.cost;
      result.steps.push_back(std::move(step));
    }
    const double total = local + moving;
    if (total > 0.) {
      result.spread =
          (local * machine_.accuracy.sweeps + moving * machine_.accuracy.exchanges) / total;
    }
    result.beyond = std::move(beyond_);
    return result;
  }

 private:
  [[nodiscard]] Index ranks_per_node() const {
    Index ranks = options_.ranks_per_node;
    if (ranks == 0) ranks = plan_.placement().ranks_per_node;
    if (ranks == 0) ranks = machine_.node.ranks;
    return std::clamp<Index>(ranks, 1, plan_.ranks());
  }

  [[nodiscard]] Index complex_bytes() const {
    return Element{true, plan_.problem().precision}.bytes();
  }

  /// Most that a rank holds of a state, in complex elements.
  [[nodiscard]] Index room(std::size_t state) const {
    const State& at = plan_.states()[state];
    return in_complex(at.layout.largest_room(), at.element);
  }

  [[nodiscard]] bool is_exchange(const Leg& leg) const {
    return leg.step != Leg::copy &&
           std::holds_alternative<Exchange>(plan_.steps()[static_cast<std::size_t>(leg.step)]);
  }

  StepCost price_leg(const Leg& leg) {
    StepCost step;
    step.first = leg.step;
    step.steps = leg.steps;
    if (leg.step == Leg::copy) {
      step.what = "copy";
      step.cost.memory = copied(room(0));
    } else if (is_exchange(leg)) {
      price_exchange(leg, step);
    } else {
      price_sweep(leg, step);
    }
    return step;
  }

  /// Seconds to copy so many complex elements.
  double copied(Index elements) {
    expect(pace_.nearest().copy, arrays_, "bytes a rank goes through");
    return static_cast<double>(elements * complex_bytes()) *
           pace_([&](const Speed& speed) { return speed.copy.at(arrays_); });
  }

  void price_sweep(const Leg& leg, StepCost& step) {
    const auto first = static_cast<std::size_t>(leg.step);
    const Index elements = std::max(room(first), room(leg.last() + 1));
    const auto& sweep = std::get<Sweep>(plan_.steps()[first]);
    if (sweep.kernel == Kernel::none) {
      step.what = "copy";
      step.cost.memory = copied(elements);
    } else {
      step.cost.compute = computed(leg, first, elements);
      step.what = "sweep " + name_of_digit(first);
      if (leg.steps == 2) {
        step.cost.compute += computed(leg, leg.last(), elements);
        step.what += ", " + name_of_digit(leg.last());
      }
      step.cost.memory = moved(leg, elements);
      if (machine_.node.overlaps) {
        step.cost.hidden = std::min(step.cost.memory, step.cost.compute);
      }
    }
    if (leg.pulls || leg.pushes) {
      // All but this rank's own part lies in the windows of others.
      const auto ranks = static_cast<double>(plan_.ranks());
      step.cost.memory += static_cast<double>(elements * complex_bytes()) * (1. - 1. / ranks) *
                          machine_.windows.per_byte * pace_.turns();
    }
  }

  [[nodiscard]] std::string name_of_digit(std::size_t step) const {
    const auto& sweep = std::get<Sweep>(plan_.steps()[step]);
    return plan_.states()[step].names()[static_cast<std::size_t>(sweep.digit)];
  }

  /// Seconds in cache of one sweep over so many complex elements' room.
  double computed(const Leg& leg, std::size_t step, Index elements) {
    const auto& sweep = std::get<Sweep>(plan_.steps()[step]);
    const Index length = positions_along(plan_, leg, sweep);
    const bool lines = sweep.form == TileForm::lines;
    const auto n = static_cast<double>(length);
    const auto prime = static_cast<double>(largest_prime(length));
    const Precision precision = plan_.problem().precision;
    const FftRates& nearest = pace_.nearest().rates(precision);
    if (length > 1) {
      expect(lines ? nearest.lines : nearest.interleaved, n, "length of lines");
      expect(nearest.primes, prime, "largest prime of a length");
    }
    const bool twiddles = plan_.states()[step].twiddle_modulus(sweep.digit) > 0;
    const double each = pace_([&](const Speed& speed) {
      const FftRates& rates = speed.rates(precision);
      const double transform = (lines ? rates.lines : rates.interleaved).at(n) *
                               rates.primes.at(prime) *
                               (sweep.kernel == Kernel::real ? 2. * rates.real : 1.);
      return transform + (twiddles ? rates.twiddle : 0.);
    });
    return static_cast<double>(elements) * each;
  }

  /// Seconds that a sweep takes for what does not stay in cache.
  double moved(const Leg& leg, Index elements) {
    const auto& sweep = std::get<Sweep>(plan_.steps()[static_cast<std::size_t>(leg.step)]);
    const bool lines = sweep.form == TileForm::lines && leg.steps == 1;
    const Speed& nearest = pace_.nearest();
    expect(lines ? nearest.lines : nearest.interleaved, arrays_, "bytes a rank goes through");
    return static_cast<double>(elements * complex_bytes()) * pace_([&](const Speed& speed) {
             return (lines ? speed.lines : speed.interleaved).at(arrays_);
           });
  }

  void price_exchange(const Leg& leg, StepCost& step) {
    const auto at = static_cast<std::size_t>(leg.step);
    const auto& exchange = std::get<Exchange>(plan_.steps()[at]);
    const Index bytes = plan_.states()[at].element.bytes();
    step.what = fmt::format("exchange by {}", name_of(exchange.route));
    step.bytes = exchange.traffic.elements * bytes;
    step.messages = exchange.traffic.messages;
    const Index active =
        std::max(plan_.states()[at].layout.active_ranks(), exchange.to.active_ranks());
    if (exchange.route == Route::windows) {
      const auto ranks = static_cast<double>(plan_.ranks());
      expect(machine_.windows.meet, ranks, "ranks that meet");
      step.cost.latency = machine_.windows.meet.at(ranks);
      return;
    }
    const NodeTraffic by_node = divided(at, exchange, active);
    step.bytes_between = step.bytes - by_node.elements_within * bytes;
    step.messages_between = step.messages - by_node.messages_within;
    const Index kept = std::max<Index>(
        0, room(at) - in_complex(exchange.traffic.most_sent, plan_.states()[at].element));
    step.cost.memory = copied(kept);
    add_messages(machine_.in_node, by_node.most_within * bytes, by_node.most_messages_within,
                 pace_.turns(), step.cost);
    Cost between;
    add_messages(machine_.between_nodes, by_node.most_between * bytes,
                 by_node.most_messages_between, 1., between);
    if (by_node.most_between > 0) {
      const auto out = static_cast<double>(by_node.most_out_of_node * bytes);
      const Index nodes = ceil_div(active, per_node_);
      between.bandwidth =
          std::max(between.bandwidth, out * machine_.between_nodes.node_per_byte * crowding(nodes));
    }
    step.cost += between;
  }

  /// By how much an exchange among so many nodes takes longer than their links alone would.
  [[nodiscard]] double crowding(Index nodes) const {
    const models::Topology wiring = wiring_of(machine_.topology, nodes);
    const double link = 1. / models::links_per_node(wiring);  // a node sends 1 byte in 1 second
    return models::all_to_all_seconds(wiring, {static_cast<double>(nodes), 1., link});
  }

  [[nodiscard]] NodeTraffic divided(std::size_t at, const Exchange& exchange, Index active) const {
    if (per_node_ >= active) {
      const Traffic& all = exchange.traffic;
      return {all.elements, all.messages, all.most_sent, all.most_messages_sent, 0, 0, 0, false};
    }
    if (exchange.mirrors()) {
      // Partners are k and -k: hardly ever on one node.
      const Traffic& all = exchange.traffic;
      return {0, 0, 0, 0, all.most_sent, all.most_messages_sent, all.most_sent * per_node_, true};
    }
    return traffic_by_node(plan_.states()[at].layout, exchange.to, per_node_);
  }

  void add_messages(const Link& link, Index bytes, Index messages, double turns, Cost& cost) {
    if (messages == 0) return;
    const double each = static_cast<double>(bytes) / static_cast<double>(messages);
    expect(link.per_byte, each, "bytes of a message");
    const double latency = latency_seconds(options_.model, link, messages);
    const double all = exchange_seconds(options_.model, link, messages, bytes);
    cost.latency += turns * latency;
    cost.bandwidth += turns * std::max(0., all - latency);
  }

  /// Remembers what lies outside of a curve's ends.
  void expect(const Curve& curve, double argument, const char* what) {
    if (curve.covers(argument)) return;
    const double low = curve.points().front().first;
    const double high = curve.points().back().first;
    std::string text =
        fmt::format("{} {:.3g}, calibrated {:.3g} to {:.3g}", what, argument, low, high);
    if (std::find(beyond_.begin(), beyond_.end(), text) == beyond_.end()) {
      beyond_.push_back(std::move(text));
    }
  }

  const Plan& plan_;
  const Machine& machine_;
  const PriceOptions& options_;
  Schedule schedule_;
  Index per_node_;
  Pace pace_;
  double arrays_ = 0.;
  std::vector<std::string> beyond_;
};

}  // namespace

std::string_view name_of(Model model) {
  switch (model) {
    case Model::loggp:
      return "loggp";
    case Model::alpha_beta:
      return "alpha-beta";
    case Model::logp:
      return "logp";
    case Model::bsp:
      return "bsp";
  }
  return "unknown";
}

std::string_view Cost::binds() const {
  const std::array parts = {std::pair{latency, "latency"}, std::pair{bandwidth, "bandwidth"},
                            std::pair{memory, "memory"}, std::pair{compute, "compute"}};
  return std::max_element(parts.begin(), parts.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Cost& Cost::operator+=(const Cost& other) {
  latency += other.latency;
  bandwidth += other.bandwidth;
  memory += other.memory;
  compute += other.compute;
  hidden += other.hidden;
  return *this;
}

Index PlanCost::bytes() const {
  Index sum = 0;
  for (const StepCost& step : steps) sum += step.bytes;
  return sum;
}

Index PlanCost::messages() const {
  Index sum = 0;
  for (const StepCost& step : steps) sum += step.messages;
  return sum;
}

PlanCost price(const Plan& plan, const Machine& machine, const PriceOptions& options) {
  return Pricer(plan, machine, options).all();
}

}  // namespace kallima

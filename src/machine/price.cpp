// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep gathers, transforms in cache and scatters, one tile behind the other, so what it computes
// and what it moves between memory and caches add up (unless the machine says that they overlap, as
// Czechowski et al. 2012, Eq. 1, assume). All figures are of the rank that holds most.
#include "kallima/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "layout/peers.hpp"
#include "machine/congestion.hpp"
#include "machine/exchange_cost.hpp"
#include "machine/link_models.hpp"
#include "machine/pace.hpp"
#include "machine/pipeline.hpp"
#include "machine/rates.hpp"
#include "machine/relays.hpp"
#include "plan/nodes.hpp"
#include "plan/relays.hpp"
#include "plan/schedule.hpp"

namespace kallima {

namespace {

/// Prices the legs of one plan.
class Pricer {
 public:
  Pricer(const Plan& plan, const Machine& machine, const PriceOptions& options,
         Divisions& divisions)
      : plan_(plan),
        machine_(machine),
        options_(options),
        divisions_(divisions),
        schedule_(schedule(plan, options.in_place)),
        per_node_(ranks_on_a_node(
            options.ranks_per_node > 0 ? options.ranks_per_node : plan.placement().ranks_per_node,
            machine, plan.ranks())),
        pace_(machine, per_node_) {
    const Workspace need = largest_workspace(plan, schedule_);
    const Index ends = options.in_place ? std::max(room(0), room(plan.states().size() - 1))
                                        : room(0) + room(plan.states().size() - 1);
    arrays_ = static_cast<double>((need.arrays() + ends) * complex_bytes());
  }

  PlanCost all() {
    PlanCost result;
    expect_room();
    for (const Leg& leg : schedule_.legs) result.steps.push_back(price_leg(leg));
    hide(result.steps);
    double local = 0.;
    double moving = 0.;
    for (std::size_t i = 0; i < schedule_.legs.size(); ++i) {
      const Cost& cost = result.steps[i].cost;
      (is_exchange(schedule_.legs[i]) ? moving : local) += cost.total();
      result.total += cost;
    }
    const double total = local + moving;
    if (total > 0.) {
      result.spread =
          (local * machine_.accuracy.sweeps + moving * machine_.accuracy.exchanges) / total;
    }
    result.arrays = arrays_;
    result.beyond = std::move(beyond_);
    return result;
  }

  /// See relays.hpp.
  [[nodiscard]] bool starts_bind(std::size_t step) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const Traffic& moved = exchange.traffic;
    if (moved.messages == 0) return false;
    const Link& link = per_node_ < plan_.ranks() ? machine_.between_nodes : machine_.in_node;
    const double bytes = static_cast<double>(moved.elements) / static_cast<double>(moved.messages) *
                         static_cast<double>(plan_.states()[step].element.bytes());
    return bytes * link.per_byte.at(bytes) < latency_seconds(options_.model, link, 1);
  }

  /// See relays.hpp.
  std::vector<double> by_radix(std::size_t step, std::span<const Index> radices) {
    std::vector<double> result;
    for (const Leg& leg : schedule_.legs) {
      if (leg.step == static_cast<int>(step)) result.push_back(price_leg(leg).cost.total());
    }
    const std::vector<RelayGroup> groups = groups_of(step);
    for (const Index radix : radices) {
      result.push_back(relays_cost(step, relay_travel(groups, radix)).total());
    }
    return result;
  }

  /// What the exchange at `step` takes with the sweeps beside it, for each way to cut it.
  std::vector<double> by_chunks(std::size_t step, std::span<const Chunks> ways) {
    std::vector<double> result;
    for (std::size_t i = 0; i < schedule_.legs.size(); ++i) {
      if (schedule_.legs[i].step != static_cast<int>(step)) continue;
      PipelineLoad load;
      load.before = i > 0 ? price_leg(schedule_.legs[i - 1]).cost.total() : 0.;
      load.behind =
          i + 1 < schedule_.legs.size() ? price_leg(schedule_.legs[i + 1]).cost.total() : 0.;
      const Travel travel = travel_of(step);
      for (const Chunks& chunks : ways) {
        if (chunks.parts() == 1) {
          // Without the copy of what a rank keeps: hiding has to be worth its while by itself.
          result.push_back(load.before + cost_in_parts(travel, 1).total() + load.behind);
          continue;
        }
        load.exchange = cost_in_parts(travel, chunks.parts()).total();
        load.busy = busy_in_parts(travel, chunks.parts());
        result.push_back(pipelined_seconds(load, chunks));
      }
    }
    return result;
  }

 private:
  /// An exchange by messages, each in one part.
  struct Travel {
    Setting setting;
    NodeTraffic traffic;
    Index bytes = 1;  ///< of an element
  };

  [[nodiscard]] Travel travel_of(std::size_t at) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[at]);
    const State& before = plan_.states()[at];
    const Index active = std::max(before.layout.active_ranks(), exchange.to.active_ranks());
    Setting setting{machine_, active, per_node_, pace_.turns(), options_.model};
    const Division division =
        divisions_.of(before.layout, exchange.to, exchange.method, per_node_, [&]() -> Division {
          return {division_of(setting, at, exchange), crowding_in(before.layout, exchange)};
        });
    setting.crowding = division.crowding;
    return {setting, division.traffic, before.element.bytes()};
  }

  [[nodiscard]] double crowding_in(const Layout& from, const Exchange& exchange) const {
    if (exchange.mirrors()) return 0.;
    // By nodes, messages of many peers go together.
    const Index peers = exchange.method == ExchangeMethod::node_aggregated
                            ? static_cast<Index>(peers_of(from, exchange.to, 0).size())
                            : exchange.traffic.most_messages_sent;
    return crowding_of_exchange(machine_.topology, from, exchange.to, per_node_, peers);
  }

  static NodeTraffic in_parts(NodeTraffic traffic, Index parts) {
    traffic.messages_within *= parts;
    traffic.most_messages_within *= parts;
    traffic.most_messages_between *= parts;
    return traffic;
  }

  /// Parts of a message follow each other closely, so their bytes take as long as the message's in
  /// one piece; each is started by itself.
  static Cost cost_in_parts(const Travel& travel, Index parts) {
    Cost cost = messages_cost(travel.setting, travel.traffic, travel.bytes);
    if (parts > 1) {
      const Cost apart =
          messages_cost(travel.setting, in_parts(travel.traffic, parts), travel.bytes);
      cost.latency = apart.latency;
      cost.hidden = std::min(apart.hidden, cost.bandwidth);
    }
    return cost;
  }

  /// Of that, what keeps a core busy.
  static double busy_in_parts(const Travel& travel, Index parts) {
    return busy_seconds(travel.setting, travel.traffic, travel.bytes, parts);
  }

  /// Of pipelined exchanges, what is hidden behind the sweeps beside them. A sweep between two of
  /// them hides half of itself behind each.
  void hide(std::vector<StepCost>& steps) const {
    const auto pipelined = [&](std::size_t leg) {
      return leg < steps.size() && is_exchange(schedule_.legs[leg]) &&
             exchange_of(schedule_.legs[leg]).pipelined();
    };
    for (std::size_t i = 1; i + 1 < steps.size(); ++i) {
      if (!pipelined(i)) continue;
      const Chunks& chunks = exchange_of(schedule_.legs[i]).chunks;
      PipelineLoad load;
      load.before = steps[i - 1].cost.total() * (i > 1 && pipelined(i - 2) ? 0.5 : 1.);
      load.behind = steps[i + 1].cost.total() * (pipelined(i + 2) ? 0.5 : 1.);
      load.exchange = steps[i].cost.total();
      load.busy = busy_.at(static_cast<std::size_t>(schedule_.legs[i].step));
      steps[i].cost.hidden +=
          std::max(0., load.before + load.exchange + load.behind - pipelined_seconds(load, chunks));
    }
  }

  [[nodiscard]] const Exchange& exchange_of(const Leg& leg) const {
    return std::get<Exchange>(plan_.steps()[static_cast<std::size_t>(leg.step)]);
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
      step.cost.memory = moved(leg, elements);
      step.what = "sweep " + name_of_digit(first);
      if (leg.steps == 2) {
        const double joined = ratio([](const Speed& speed) { return speed.joined; });
        step.cost.compute = joined * (step.cost.compute + computed(leg, leg.last(), elements));
        step.cost.memory *= joined;
        step.what += ", " + name_of_digit(leg.last());
      }
      if (machine_.node.overlaps) {
        step.cost.hidden = std::min(step.cost.memory, step.cost.compute);
      }
    }
    lengthen(step.cost);
  }

  /// Of a figure that is no time, so that ranks which take turns do not make it longer.
  template <class Figure>
  [[nodiscard]] double ratio(Figure figure) const {
    return pace_(figure) / pace_.turns();
  }

  /// In a plan a sweep finds less in the caches than one that is repeated.
  void lengthen(Cost& cost) {
    const bool shared = plan_.goes_by(ExchangeMethod::shared_memory) && plan_.ranks() > 1;
    const Curve& nearest = shared ? machine_.windows.in_plan : pace_.nearest().in_plan;
    expect(nearest, arrays_, "bytes a rank goes through");
    const double factor =
        shared ? nearest.at(arrays_)
               : ratio([&](const Speed& speed) { return speed.in_plan.at(arrays_); });
    if (factor < 1.) {
      cost.memory *= factor;
      cost.compute *= factor;
      cost.hidden *= factor;
    } else {
      cost.memory += (factor - 1.) * cost.total();
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
    const bool across = sweep.form == TileForm::interleaved;
    const auto n = static_cast<double>(length);
    const Precision precision = plan_.problem().precision;
    const FftRates& nearest = pace_.nearest().rates(precision);
    if (length > 1) {
      expect(nearest.form(across).in_cache, n, "length of lines");
      expect(nearest.primes, static_cast<double>(largest_prime(length)),
             "largest prime of a length");
    }
    const bool twiddles =
        sweep.kernel != Kernel::compare && plan_.states()[step].twiddle_modulus(sweep.digit) > 0;
    const double each = pace_([&](const Speed& speed) {
      const FftRates& rates = speed.rates(precision);
      const double transform = in_cache_rate(rates.form(across), rates.primes, length) *
                               (sweep.kernel == Kernel::real ? 2. * rates.real : 1.);
      return transform + (twiddles ? rates.twiddle : 0.);
    });
    return static_cast<double>(elements) * each;
  }

  /// Seconds that a sweep takes for what does not stay in cache.
  double moved(const Leg& leg, Index elements) {
    const auto& sweep = std::get<Sweep>(plan_.steps()[static_cast<std::size_t>(leg.step)]);
    const Precision precision = plan_.problem().precision;
    // Planes lie together, whatever the length of their lines.
    const bool plane = leg.steps == 2;
    const bool across = plane || sweep.form == TileForm::interleaved;
    const auto length = static_cast<double>(positions_along(plan_, leg, sweep));
    expect(pace_.nearest().rates(precision).form(across).beyond, arrays_,
           "bytes a rank goes through");
    return static_cast<double>(elements * complex_bytes()) * pace_([&](const Speed& speed) {
             const SweepRates& rates = speed.rates(precision).form(across);
             return rates.beyond.at(arrays_) * (plane ? 1. : rates.reach.at(length));
           });
  }

  void price_exchange(const Leg& leg, StepCost& step) {
    const auto at = static_cast<std::size_t>(leg.step);
    const auto& exchange = std::get<Exchange>(plan_.steps()[at]);
    const State& before = plan_.states()[at];
    const Index bytes = before.element.bytes();
    step.what = fmt::format("exchange by {}", name_of(exchange.method));
    step.bytes = exchange.traffic.elements * bytes;
    step.messages = exchange.moved().messages;
    if (exchange.method == ExchangeMethod::shared_memory) {
      expect(machine_.windows.meet, static_cast<double>(plan_.ranks()), "ranks that meet");
      step.cost = windows_cost({machine_, plan_.ranks(), per_node_, pace_.turns(), options_.model});
      return;
    }
    if (exchange.method == ExchangeMethod::bruck) {
      price_relays(at, step);
      return;
    }
    const Travel travel = travel_of(at);
    const NodeTraffic by_node = in_parts(travel.traffic, exchange.chunks.parts());
    step.bytes_between = step.bytes - by_node.elements_within * bytes;
    step.messages_between = step.messages - by_node.messages_within;
    expect_messages(machine_.in_node, by_node.most_within * bytes, by_node.most_messages_within);
    expect_messages(machine_.between_nodes, by_node.most_between * bytes,
                    by_node.most_messages_between);
    step.cost = cost_in_parts(travel, exchange.chunks.parts());
    if (exchange.method == ExchangeMethod::node_aggregated) {
      // Ranks of a node wait for each other before and behind.
      const Setting node{machine_, per_node_, per_node_, pace_.turns(), options_.model};
      expect(machine_.windows.meet, static_cast<double>(per_node_), "ranks that meet");
      step.cost.latency += 2. * windows_cost(node).latency;
    }
    if (exchange.pipelined()) busy_[at] = busy_in_parts(travel, exchange.chunks.parts());
    if (exchange.flows()) return;  // what a rank keeps stays where it is
    const Index sent = in_complex(exchange.traffic.most_sent, before.element);
    step.cost.memory = copied(std::max<Index>(0, room(at) - sent));  // what a rank keeps
  }

  /// What the hops of an exchange by relays carry, and how they crowd the network.
  struct RelayTravel {
    std::vector<NodeTraffic> hops;
    std::vector<double> crowding;  ///< of each
  };

  [[nodiscard]] RelayTravel relay_travel(const std::vector<RelayGroup>& groups, Index radix) const {
    const std::vector<RelaySent> messages = relay_messages(groups, radix);
    RelayTravel result{relay_traffic_by_node(messages, per_node_), {}};
    result.crowding.assign(result.hops.size(), 0.);
    if (machine_.topology.wiring == Wiring::full) return result;
    std::vector<std::map<Index, std::vector<Sending>>> sent(result.hops.size());
    for (const RelaySent& message : messages) {
      sent[message.hop][message.sender].push_back({message.taker, message.elements});
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const auto of = [&](Index rank) {
        const auto found = sent[i].find(rank);
        return found == sent[i].end() ? std::vector<Sending>() : found->second;
      };
      const Index peers =
          std::max(result.hops[i].most_messages_within, result.hops[i].most_messages_between);
      result.crowding[i] = crowding_of(machine_.topology, {plan_.ranks(), per_node_, peers, of});
    }
    return result;
  }

  /// Hops, each when the one before is through. What leaves is put together, and in the end all is
  /// brought home.
  [[nodiscard]] Cost relays_cost(std::size_t at, const RelayTravel& travel) {
    const State& before = plan_.states()[at];
    Setting setting{machine_, plan_.ranks(), per_node_, pace_.turns(), options_.model};
    Cost cost;
    Index put_together = 0;
    for (std::size_t i = 0; i < travel.hops.size(); ++i) {
      const NodeTraffic& hop = travel.hops[i];
      setting.crowding = travel.crowding[i];
      cost += messages_cost(setting, hop, before.element.bytes());
      put_together += hop.most_within + hop.most_between;
    }
    cost.memory = copied(in_complex(put_together, before.element) + room(at + 1));
    return cost;
  }

  [[nodiscard]] std::vector<RelayGroup> groups_of(std::size_t at) const {
    return relay_groups(plan_.states()[at].layout, plan_.states()[at + 1].layout, plan_.ranks());
  }

  void price_relays(std::size_t at, StepCost& step) {
    const Index bytes = plan_.states()[at].element.bytes();
    const RelayTravel travel =
        relay_travel(groups_of(at), std::get<Exchange>(plan_.steps()[at]).radix);
    step.bytes_between = step.bytes;
    step.messages_between = step.messages;
    for (const NodeTraffic& hop : travel.hops) {
      step.bytes_between -= hop.elements_within * bytes;
      step.messages_between -= hop.messages_within;
      expect_messages(machine_.in_node, hop.most_within * bytes, hop.most_messages_within);
      expect_messages(machine_.between_nodes, hop.most_between * bytes, hop.most_messages_between);
    }
    step.cost = relays_cost(at, travel);
  }

  [[nodiscard]] NodeTraffic division_of(const Setting& setting, std::size_t at,
                                        const Exchange& exchange) const {
    const Traffic& all = exchange.traffic;
    if (exchange.method == ExchangeMethod::node_aggregated) {
      const NodeMap map = node_map(plan_);
      // The least that the busiest node sends, if its owners have as much to do.
      const Index members = std::min(map.per_node, std::max<Index>(1, map.nodes() - 1));
      return {0, 0, 0, 0, all.most_sent, all.most_messages_sent, all.most_sent * members, false};
    }
    if (per_node_ >= setting.ranks) {
      return {all.elements, all.messages, all.most_sent, all.most_messages_sent, 0, 0, 0, false};
    }
    if (exchange.mirrors()) {
      // Partners are k and -k: hardly ever on one node.
      return {0, 0, 0, 0, all.most_sent, all.most_messages_sent, all.most_sent * per_node_, true};
    }
    return divided(setting, plan_.states()[at].layout, exchange.to);
  }

  void expect_messages(const Link& link, Index bytes, Index messages) {
    if (messages == 0) return;
    expect(link.per_byte, static_cast<double>(bytes) / static_cast<double>(messages),
           "bytes of a message");
  }

  /// Remembers where the machine has fewer nodes or less memory than this takes.
  void expect_room() {
    const Index nodes = ceil_div(plan_.ranks(), per_node_);
    if (machine_.topology.nodes > 0 && nodes > machine_.topology.nodes) {
      beyond_.push_back(fmt::format("nodes {}, there are {}", nodes, machine_.topology.nodes));
    }
    const double needed = arrays_ * static_cast<double>(per_node_);
    if (machine_.node.memory > 0. && needed > machine_.node.memory) {
      beyond_.push_back(
          fmt::format("bytes of a node {:.3g}, it has {:.3g}", needed, machine_.node.memory));
    }
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
  Divisions& divisions_;
  Schedule schedule_;
  Index per_node_;
  Pace pace_;
  double arrays_ = 0.;
  std::map<std::size_t, double> busy_;  // of pipelined exchanges, by step
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

std::vector<double> seconds_by_chunks(const Plan& plan, const Machine& machine, std::size_t step,
                                      std::span<const Chunks> ways, Divisions& divisions) {
  return Pricer(plan, machine, {}, divisions).by_chunks(step, ways);
}

bool starts_bind(const Plan& plan, const Machine& machine, std::size_t step) {
  Divisions none;
  return Pricer(plan, machine, {}, none).starts_bind(step);
}

std::vector<double> seconds_by_radix(const Plan& plan, const Machine& machine, std::size_t step,
                                     std::span<const Index> radices, Divisions& divisions) {
  return Pricer(plan, machine, {}, divisions).by_radix(step, radices);
}

PlanCost price(const Plan& plan, const Machine& machine, const PriceOptions& options,
               Divisions& divisions) {
  return Pricer(plan, machine, options, divisions).all();
}

PlanCost price(const Plan& plan, const Machine& machine, const PriceOptions& options) {
  Divisions none;
  return price(plan, machine, options, none);
}

}  // namespace kallima

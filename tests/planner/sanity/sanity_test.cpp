// SPDX-License-Identifier: BSD-3-Clause
//
// What holds of prices and of the plans that are taken for them, whatever the problem and the
// machine: over 2,000 of both, drawn from a seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "exchange/cost.hpp"
#include "kallima/planner.hpp"
#include "kallima/price.hpp"
#include "machine/congestion.hpp"
#include "machine/figures.hpp"
#include "support/random.hpp"

namespace kallima {
namespace {

using test::Random;

/// KALLIMA_SANITY: so many instead.
int problems() {
  const char* const asked = std::getenv("KALLIMA_SANITY");
  return asked == nullptr ? 2000 : std::atoi(asked);
}

Shape random_shape(Random& random) {
  const auto axes = static_cast<std::size_t>(random.pick(std::vector<int>{1, 2, 2, 3, 3, 3, 3, 4}));
  const std::vector<Index> most = {1 << 20, 4096, 512, 64};
  Shape shape;
  for (std::size_t a = 0; a < axes; ++a) {
    const bool even = random.chance(60);
    const auto limit = static_cast<double>(most[axes - 1]);
    const double log = std::log2(limit) * (1. + random.real()) / 2.;
    const auto n = static_cast<Index>(std::exp2(even ? std::round(log) : log));
    shape.push_back(std::max<Index>(2, n));
  }
  return shape;
}

/// One of the machines there are, with other links and other wires.
Machine random_machine(Random& random) {
  static const std::vector<Machine> bases = [] {
    std::vector<Machine> result = {built_in_machine()};
    for (const char* const name : {"frontier", "fugaku", "hopper", "lumi-c", "summit"}) {
      result.push_back(
          find_machine(std::string(KALLIMA_PUBLISHED_MACHINES) + "/" + name + ".toml"));
    }
    return result;
  }();
  MachineFigures machine = random.pick(bases).figures();
  Link& link = machine.between_nodes;
  const double slower = std::exp2(3. * random.real());
  link.per_byte = link.per_byte.scaled(slower);
  link.node_per_byte *= slower;
  link.latency *= std::exp2(3. * random.real());
  link.overhead *= std::exp2(random.real());
  link.busy = (1. + random.real()) / 2.;
  machine.topology.wiring = random.pick(
      std::vector<Wiring>{Wiring::full, Wiring::fat_tree, Wiring::torus, Wiring::dragonfly});
  machine.topology.taper = 1. + static_cast<double>(random.between(0, 3));
  machine.topology.groups = random.between(2, 16);
  machine.topology.dimensions = random.between(2, 3);
  machine.topology.nodes = 0;
  return machine;
}

/// A problem of complex data on some ranks of a machine, by point-to-point messages or by any
/// method.
PlanRequest random_request(Random& random) {
  PlanRequest request;
  request.problem.shape = random_shape(random);
  request.problem.precision = random.chance(50) ? Precision::f64 : Precision::f32;
  const bool power = random.chance(40);
  const double log = 4. * (1. + random.real());
  request.ranks = static_cast<Index>(std::exp2(power ? std::round(log) : log));
  request.placement.ranks_per_node = random.pick(std::vector<Index>{1, 2, 4, 8, 16, request.ranks});
  request.tile_bytes = Index{1} << 18;
  request.machine = std::make_shared<const Machine>(random_machine(random));
  return request;
}

std::string text_of(const PlanRequest& request) {
  return fmt::format("{} on {} ranks, {} a node of {}", request.problem.to_text(), request.ranks,
                     request.placement.ranks_per_node, request.machine->name());
}

/// Bytes that the fullest rank holds at most.
Index fullest(const Plan& plan) {
  Index most = 0;
  for (const State& state : plan.states()) {
    most = std::max(most, state.layout.largest_local_size() * state.element.bytes());
  }
  return most;
}

/// What n/2 + 1 frequencies load the fullest rank with, over the n/2 that are half of complex data.
double load_of_half(const Plan& real, const Plan& complex) {
  return 2. * static_cast<double>(fullest(real)) / static_cast<double>(fullest(complex));
}

/// Largest local array in units of an even share, as a power of two: plans of a lower class are
/// taken first.
int class_of_balance(const Layout& layout, Index ranks) {
  const auto share = static_cast<double>(volume(layout.shape())) / static_cast<double>(ranks);
  return static_cast<int>(
      std::floor(std::log2(static_cast<double>(layout.largest_local_size()) / share)));
}

/// True where the layouts of a plan of complex data would be worse balanced with half of its last
/// axis.
bool half_axis_is_too_short(const Plan& complex) {
  return std::any_of(complex.states().begin(), complex.states().end(), [&](const State& state) {
    if (state.layout.axes() != complex.problem().shape.size() || !state.layout.is_grid()) {
      return true;  // split into digits, as half axes cannot be
    }
    std::vector<Axis> axes;
    for (std::size_t a = 0; a < state.layout.axes(); ++a) axes.push_back(state.layout.axis(a));
    axes.back().n = half_extent(axes.back().n);
    if (axes.back().procs > axes.back().n) return true;
    const Layout half = Layout::grid(axes, state.layout.order());
    return class_of_balance(half, complex.ranks()) >
           class_of_balance(state.layout, complex.ranks());
  });
}

/// The same steps with elements of this precision.
Plan with_precision(const Plan& plan, Precision precision) {
  Problem problem = plan.problem();
  problem.precision = precision;
  return {problem, plan.direction(), plan.ranks(), plan.placement(), plan.input(), plan.steps()};
}

MachineFigures with_twice_the_bandwidth(MachineFigures machine) {
  for (Link* const link : {&machine.between_nodes, &machine.in_node}) {
    link->per_byte = link->per_byte.scaled(0.5);
    link->node_per_byte /= 2.;
  }
  return machine;
}

/// Twice the bytes are never cheaper, and twice the bandwidth is never slower.
void expect_sane(const NamedPlan& best, const PlanRequest& request) {
  const double seconds = best.cost.total.total();
  const Machine wider = with_twice_the_bandwidth(request.machine->figures());
  EXPECT_LE(price(best.plan, wider).total.total(), seconds * (1. + 1e-9)) << text_of(request);
  const bool single = request.problem.precision == Precision::f32;
  const Plan other = with_precision(best.plan, single ? Precision::f64 : Precision::f32);
  const double others = price(other, *request.machine).total.total();
  EXPECT_LE(single ? seconds : others, (single ? others : seconds) * (1. + 1e-9))
      << text_of(request);
}

TEST(Sanity, real_data_costs_no_more_than_complex_data_and_more_bytes_are_never_cheaper) {
  Random random(1);
  int fuller = 0;
  int too_short = 0;
  int line = 0;
  int not_tried = 0;
  for (int i = 0; i < problems(); ++i) {
    PlanRequest request = random_request(random);
    if (i % 2 == 1) request.method = ExchangeMethod::point_to_point;
    const NamedPlan whole = compared_plans(request).front();
    request.problem.kind = Kind::r2c;
    const NamedPlan half = compared_plans(request).front();
    expect_sane(i % 2 == 0 ? whole : half, request);
    const double ratio = half.cost.total.total() / whole.cost.total.total();
    if (ratio <= 1.) continue;
    if (request.problem.shape.size() == 1) {
      ++line;  // takes one exchange more, between k and -k
    } else if (half_axis_is_too_short(whole.plan)) {
      ++too_short;
    } else if (ratio <= load_of_half(half.plan, whole.plan)) {
      ++fuller;
    } else if (whole.plan.goes_by(ExchangeMethod::node_aggregated) && request.ranks > 16) {
      ++not_tried;  // unequal parts of many ranks take long to list: the planner tries few plans
    } else {
      ADD_FAILURE() << text_of(request) << " costs " << ratio << " of complex data, load "
                    << load_of_half(half.plan, whole.plan) << "\n"
                    << half.plan.to_text() << "\n"
                    << whole.plan.to_text();
    }
  }
  fmt::print(
      "dearer than complex data, of {}: {} as n/2 + 1 load a rank more, {} as an axis of "
      "n/2 + 1 is too short for the ranks, {} of one axis, {} for want of node-aggregated\n",
      problems(), fuller, too_short, line, not_tried);
  EXPECT_LE(fuller + too_short + line, problems() / 5);
  EXPECT_LE(not_tried, problems() / 200);
}

TEST(Sanity, more_on_the_busiest_rank_or_node_is_never_cheaper) {
  Random random(3);
  for (int i = 0; i < problems(); ++i) {
    const Machine machine = random_machine(random);
    const Setting setting{machine, random.between(2, 4096), random.between(1, 64)};
    NodeTraffic traffic;
    const auto some = [&] { return random.between(1, 1 << 20); };
    traffic.most_within = some();
    traffic.most_messages_within = random.between(1, 64);
    traffic.most_between = some();
    traffic.most_messages_between = random.between(1, 512);
    traffic.most_of_node = traffic.most_between * setting.per_node;
    const double seconds = messages_cost(setting, traffic, 16).total();
    for (Index NodeTraffic::*const figure :
         {&NodeTraffic::most_within, &NodeTraffic::most_between, &NodeTraffic::most_of_node,
          &NodeTraffic::most_messages_within, &NodeTraffic::most_messages_between}) {
      NodeTraffic more = traffic;
      more.*figure += random.between(1, traffic.*figure);
      // In LogGP the first byte of a message goes with the message.
      EXPECT_GE(messages_cost(setting, more, 16).total(), seconds * (1. - 1e-3));
    }
  }
}

/// What the busiest rank and node move in all exchanges of a plan by point-to-point messages, by
/// where it goes.
struct Busiest {
  double within = 0.;
  double between = 0.;
  double of_node = 0.;
  double inner = 0.;
  Index messages_within = 0;
  Index messages_between = 0;

  [[nodiscard]] double bytes() const { return within + between; }
  /// No figure is larger than another's.
  [[nodiscard]] bool no_more_than(const Busiest& other) const {
    return within <= other.within && between <= other.between && of_node <= other.of_node &&
           inner <= other.inner && messages_within <= other.messages_within &&
           messages_between <= other.messages_between;
  }
};

Busiest busiest(const Plan& plan, const PlanRequest& request) {
  const Machine& machine = *request.machine;
  const Index per_node = request.placement.ranks_per_node;
  Busiest result;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const auto* const exchange = std::get_if<Exchange>(&plan.steps()[step]);
    if (exchange == nullptr || exchange->hermitian()) continue;
    const Layout& from = plan.states()[step].layout;
    const auto bytes = static_cast<double>(plan.states()[step].element.bytes());
    const Index among = std::max(from.active_ranks(), exchange->to.active_ranks());
    constexpr Index all = Index{1} << 20;
    const NodeTraffic moved = divided({machine, among, per_node}, from, exchange->to, all);
    result.within += bytes * static_cast<double>(moved.most_within);
    result.between += bytes * static_cast<double>(moved.most_between);
    result.of_node += bytes * static_cast<double>(moved.most_of_node);
    result.inner +=
        bytes * inner_load_of_exchange(machine->topology, from, exchange->to, plan.ranks(),
                                       per_node, exchange->traffic.most_messages());
    result.messages_within += moved.most_messages_within;
    result.messages_between += moved.most_messages_between;
  }
  return result;
}

bool leaves_ranks_idle(const Plan& plan) {
  return std::any_of(plan.states().begin(), plan.states().end(), [&](const State& state) {
    return state.layout.active_ranks() < plan.ranks();
  });
}

TEST(Sanity, no_ranks_are_left_idle_where_an_even_plan_moves_less) {
  Random random(4);
  int idle = 0;
  for (int i = 0; i < problems(); ++i) {
    PlanRequest request = random_request(random);
    request.problem.kind = random.chance(50) ? Kind::r2c : Kind::c2c;
    request.method = ExchangeMethod::point_to_point;
    request.chunks = 1;
    const std::vector<NamedPlan> plans = compared_plans(request);
    if (!leaves_ranks_idle(plans.front().plan)) continue;
    ++idle;
    const Busiest taken = busiest(plans.front().plan, request);
    for (const NamedPlan& other : plans) {
      if (leaves_ranks_idle(other.plan)) continue;
      const Busiest even = busiest(other.plan, request);
      const bool moves_less = even.bytes() < taken.bytes() && even.no_more_than(taken);
      // What is not moved is copied, and may be swept more often.
      const Cost& cost = plans.front().cost.total;
      const bool dearer_by_itself =
          other.cost.total.memory > cost.memory || other.cost.total.compute > cost.compute;
      EXPECT_FALSE(moves_less && !dearer_by_itself) << text_of(request) << "\n"
                                                    << plans.front().plan.to_text() << "\n"
                                                    << other.plan.to_text();
    }
  }
  EXPECT_GT(idle, problems() / 100);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep gathers, transforms in cache and scatters, one tile behind the other, so what it computes
// and what it moves between memory and caches add up (unless the machine says that they overlap, as
// Czechowski et al. 2012, Eq. 1, assume). So they do with kernels, which move less. All figures are
// of the rank that holds most.
#include "kallima/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "cost/engine.hpp"
#include "cost/pipeline.hpp"
#include "cost/price.hpp"
#include "cost/radix.hpp"
#include "exchange/bruck.hpp"
#include "exchange/method.hpp"
#include "exchange/packing.hpp"
#include "machine/figures.hpp"
#include "machine/link_models.hpp"
#include "machine/rate_interpolation.hpp"
#include "machine/rates.hpp"
#include "schedule/schedule.hpp"
#include "steps/digits.hpp"
#include "steps/tile.hpp"

namespace kallima {

namespace {

/// What the engine takes for cosines and sines, over what it takes for the Fourier transform of as
/// many complex numbers: 2.5 to 8 times by kind, measured for lines of 256.
constexpr double of_cosines = 3.5;

/// What FFTW must gain in a sweep that kernels could do: about what prices of sweeps are wrong by.
constexpr double least_gain_of_fftw = 0.1;

/// The length of the Fourier transform that the engine makes of a line: what is even or odd about
/// its elements has other symmetries than what is about half of one.
Index engine_length(Kernel kernel, Index positions) {
  if (kernel == Kernel::cosine_1) return positions - 1;
  return kernel == Kernel::sine_1 ? positions + 1 : positions;
}

/// Prices the stages of one plan.
class Pricer {
 public:
  Pricer(const Plan& plan, const Machine& machine, const PriceOptions& options,
         Divisions& divisions)
      : plan_(plan),
        machine_(machine),
        options_(options),
        schedule_(schedule(plan, options.in_place)),
        per_node_(ranks_on_a_node(
            options.ranks_per_node > 0 ? options.ranks_per_node : plan.placement().ranks_per_node,
            machine, plan.ranks())),
        rates_(machine, per_node_),
        pricing_{machine,  options.model, plan.ranks(), per_node_, rates_.oversubscription(),
                 divisions} {
    const Workspace need = largest_workspace(plan, schedule_);
    const Index ends = options.in_place
                           ? std::max(allocated_size(0), allocated_size(plan.states().size() - 1))
                           : allocated_size(0) + allocated_size(plan.states().size() - 1);
    arrays_ = static_cast<double>((need.arrays() + ends) * complex_bytes());
  }

  PlanCost all() {
    PlanCost result;
    expect_memory();
    for (const Stage& stage : schedule_.stages) result.steps.push_back(price_leg(stage));
    hide(result.steps);
    double local = 0.;
    double moving = 0.;
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      const Cost& cost = result.steps[i].cost;
      (is_exchange(schedule_.stages[i]) ? moving : local) += cost.total();
      result.total += cost;
    }
    const double total = local + moving;
    if (total > 0.) {
      result.spread =
          (local * machine_->accuracy.sweeps + moving * machine_->accuracy.exchanges) / total;
    }
    result.arrays = arrays_;
    result.beyond = std::move(beyond_);
    return result;
  }

  /// See radix.hpp.
  [[nodiscard]] bool starts_bind(std::size_t step) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const Traffic& moved = exchange.traffic;
    if (moved.messages == 0) return false;
    const Link& link = per_node_ < plan_.ranks() ? machine_->between_nodes : machine_->in_node;
    const double bytes = static_cast<double>(moved.elements) / static_cast<double>(moved.messages) *
                         static_cast<double>(plan_.states()[step].element.bytes());
    return bytes * link.per_byte.at(bytes) < latency_seconds(options_.model, link, 1);
  }

  /// See radix.hpp.
  std::vector<double> by_radix(std::size_t step, std::span<const Index> radices) {
    std::vector<double> result;
    for (const Stage& stage : schedule_.stages) {
      if (stage.step == static_cast<int>(step)) result.push_back(price_leg(stage).cost.total());
    }
    for (const ExchangeCost& cost : costs_by_radix({plan_, step}, pricing_, radices)) {
      result.push_back(with_copies(cost).total());
    }
    return result;
  }

  /// See engine.hpp.
  std::vector<std::size_t> faster_by_fftw() {
    std::vector<std::size_t> result;
    for (const Stage& stage : schedule_.stages) {
      const std::vector<std::size_t> kernels = kernels_of(stage);
      if (kernels.empty() || reads_panels(stage)) continue;
      const double by_kernels = price_leg(stage).cost.total();
      all_by_fftw_ = true;
      const double by_fftw = price_leg(stage).cost.total();
      all_by_fftw_ = false;
      if (by_fftw < (1. - least_gain_of_fftw) * by_kernels)
        result.insert(result.end(), kernels.begin(), kernels.end());
    }
    return result;
  }

  /// What the exchange at `step` takes with the sweeps beside it, for each way to cut it.
  std::vector<double> by_chunks(std::size_t step, std::span<const Chunks> ways) {
    std::vector<double> result;
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      if (schedule_.stages[i].step != static_cast<int>(step)) continue;
      PipelineLoad load;
      load.before = i > 0 ? price_leg(schedule_.stages[i - 1]).cost.total() : 0.;
      load.behind =
          i + 1 < schedule_.stages.size() ? price_leg(schedule_.stages[i + 1]).cost.total() : 0.;
      const Site site{plan_, step};
      const Travel travel = method_of(site).travel(site, pricing_);
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
  /// Of pipelined exchanges, what is hidden behind the sweeps beside them. A sweep between two of
  /// them hides half of itself behind each.
  void hide(std::vector<StepCost>& steps) const {
    const auto pipelined = [&](std::size_t stage) {
      return stage < steps.size() && is_exchange(schedule_.stages[stage]) &&
             exchange_of(schedule_.stages[stage]).pipelined();
    };
    for (std::size_t i = 1; i + 1 < steps.size(); ++i) {
      if (!pipelined(i)) continue;
      const Chunks& chunks = exchange_of(schedule_.stages[i]).chunks;
      PipelineLoad load;
      load.before = steps[i - 1].cost.total() * (i > 1 && pipelined(i - 2) ? 0.5 : 1.);
      load.behind = steps[i + 1].cost.total() * (pipelined(i + 2) ? 0.5 : 1.);
      load.exchange = steps[i].cost.total();
      load.busy = busy_.at(static_cast<std::size_t>(schedule_.stages[i].step));
      steps[i].cost.hidden +=
          std::max(0., load.before + load.exchange + load.behind - pipelined_seconds(load, chunks));
    }
  }

  [[nodiscard]] const Exchange& exchange_of(const Stage& stage) const {
    return std::get<Exchange>(plan_.steps()[static_cast<std::size_t>(stage.step)]);
  }

  [[nodiscard]] Index complex_bytes() const {
    return Element{true, plan_.problem().precision}.bytes();
  }

  /// Steps of a stage whose lines kernels transform.
  [[nodiscard]] std::vector<std::size_t> kernels_of(const Stage& stage) const {
    std::vector<std::size_t> result;
    if (stage.step == Stage::copy) return result;
    for (auto step = static_cast<std::size_t>(stage.step); step <= stage.last(); ++step) {
      const auto* const sweep = std::get_if<Sweep>(&plan_.steps()[step]);
      if (sweep != nullptr && sweep->engine == LineEngine::kernels) result.push_back(step);
    }
    return result;
  }

  /// True where what a stage reads lies as it takes it. Kernels are slower than FFTW where rows of
  /// an array lie a power of two apart, as those do that rates across memory were measured on.
  [[nodiscard]] bool reads_panels(const Stage& stage) const {
    const std::size_t before = static_cast<std::size_t>(stage.step) - 1;
    const Exchange* const exchange = plan_.exchange_at(before);
    return exchange != nullptr && !exchange->hermitian() && packing_at({plan_, before}).panel > 0;
  }

  /// Of a speed, the rates of the engine that a sweep has.
  [[nodiscard]] const FftRates& rates_of(const Speed& speed, const Sweep& sweep) const {
    return speed.rates(plan_.problem().precision, all_by_fftw_ ? LineEngine::fftw : sweep.engine);
  }

  /// Most that a rank holds of a state, in complex elements.
  [[nodiscard]] Index allocated_size(std::size_t state) const {
    const State& at = plan_.states()[state];
    return in_complex(at.layout.largest_allocated_size(), at.element);
  }

  [[nodiscard]] bool is_exchange(const Stage& stage) const {
    return stage.step != Stage::copy &&
           std::holds_alternative<Exchange>(plan_.steps()[static_cast<std::size_t>(stage.step)]);
  }

  StepCost price_leg(const Stage& stage) {
    StepCost step;
    step.first = stage.step;
    step.steps = stage.steps;
    if (stage.step == Stage::copy) {
      step.what = "copy";
      step.cost.memory = copied(allocated_size(0));
    } else if (is_exchange(stage)) {
      price_exchange(stage, step);
    } else {
      price_sweep(stage, step);
    }
    return step;
  }

  /// Seconds to copy so many complex elements.
  double copied(Index elements) {
    expect(rates_.nearest().copy, arrays_, "bytes a rank goes through");
    return static_cast<double>(elements * complex_bytes()) *
           rates_([&](const Speed& speed) { return speed.copy.at(arrays_); });
  }

  /// Seconds to multiply so many complex elements.
  double multiplied(Index elements) {
    return static_cast<double>(elements) * rates_([&](const Speed& speed) {
             return speed.rates(plan_.problem().precision, LineEngine::fftw).twiddle;
           });
  }

  void price_sweep(const Stage& stage, StepCost& step) {
    const auto first = static_cast<std::size_t>(stage.step);
    const Index elements = std::max(allocated_size(first), allocated_size(stage.last() + 1));
    const auto& sweep = std::get<Sweep>(plan_.steps()[first]);
    if (sweep.kernel == Kernel::none) {
      step.what = "copy";
      step.cost.memory = copied(elements);
    } else if (is_chirp(sweep.kernel)) {
      const Index fewer = std::min(allocated_size(first), allocated_size(stage.last() + 1));
      step.what = "chirp " + name_of_digit(first);
      step.cost.memory = copied(elements);
      step.cost.compute = multiplied(fewer);
    } else {
      step.cost.compute = computed(stage, first, elements);
      step.cost.memory = moved(stage, elements);
      step.what = "sweep " + name_of_digit(first);
      if (sweep.turns) {
        step.cost.compute *= 2.;
        step.what += " and back";
        if (plan_.convolves()) {
          step.cost.compute += multiplied(elements);
          step.cost.memory += copied(elements) / 2.;  // the chirp's frequencies are read
        }
      }
      if (stage.steps == 2) {
        const double joined = ratio([](const Speed& speed) { return speed.joined; });
        step.cost.compute = joined * (step.cost.compute + computed(stage, stage.last(), elements));
        step.cost.memory *= joined;
        step.what += ", " + name_of_digit(stage.last());
      }
      if (machine_->node.overlaps) {
        step.cost.hidden = std::min(step.cost.memory, step.cost.compute);
      }
    }
    lengthen(step.cost);
  }

  /// Of a figure that is no time, so that ranks which take turns do not make it longer.
  template <class Figure>
  [[nodiscard]] double ratio(Figure figure) const {
    return rates_(figure) / rates_.oversubscription();
  }

  /// In a plan a sweep finds less in the caches than one that is repeated.
  void lengthen(Cost& cost) {
    const bool shared = holding_of(plan_) == Holding::arrays && plan_.ranks() > 1;
    const Curve& nearest = shared ? machine_->shared_memory.in_plan : rates_.nearest().in_plan;
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
  double computed(const Stage& stage, std::size_t step, Index elements) {
    const auto& sweep = std::get<Sweep>(plan_.steps()[step]);
    const Index length = engine_length(sweep.kernel, positions_along(plan_, stage, sweep));
    const bool across = sweep.form == TileForm::interleaved;
    const auto n = static_cast<double>(length);
    const FftRates& nearest = rates_of(rates_.nearest(), sweep);
    if (length > 1) {
      expect(nearest.form(across).in_cache, n, "length of lines");
      expect(nearest.primes, static_cast<double>(largest_prime(length)),
             "largest prime of a length");
    }
    const bool twiddles =
        sweep.kernel != Kernel::compare && plan_.states()[step].twiddle_modulus(sweep.digit) > 0;
    const double each = rates_([&](const Speed& speed) {
      const FftRates& rates = rates_of(speed, sweep);
      const double transform =
          in_cache_rate(rates.form(across), rates.primes, length) *
          (sweep.kernel == Kernel::real ? 2. * real_factor(rates, length) : 1.) *
          (is_trigonometric(sweep.kernel) ? of_cosines : 1.);
      return transform + (twiddles ? rates.twiddle : 0.);
    });
    return static_cast<double>(elements) * each * (across ? ragged(step) : 1.);
  }

  /// What a sweep across memory takes longer where rows do not begin on cache lines.
  [[nodiscard]] double ragged(std::size_t step) const {
    const auto& sweep = std::get<Sweep>(plan_.steps()[step]);
    const auto begins_on_lines = [](const State& state) {
      if (state.layout.several_boxes()) return true;  // of each box a rank has, by chance
      const auto fastest = static_cast<std::size_t>(state.layout.order().back());
      const Index row = state.layout.local_shape(0)[fastest] * state.element.bytes();
      return row % cache_line == 0;
    };
    if (begins_on_lines(plan_.states()[step]) && begins_on_lines(plan_.states()[step + 1])) {
      return 1.;
    }
    return ratio([&](const Speed& speed) { return rates_of(speed, sweep).ragged; });
  }

  /// The sweep that leaves a stage's results.
  [[nodiscard]] const Sweep& last_sweep(const Stage& stage) const {
    return std::get<Sweep>(plan_.steps()[stage.last()]);
  }

  /// Seconds that a sweep takes for what does not stay in cache.
  double moved(const Stage& stage, Index elements) {
    const Sweep& sweep = last_sweep(stage);
    // Planes lie together, whatever the length of their lines.
    const bool plane = stage.steps == 2;
    const bool across = plane || sweep.form == TileForm::interleaved;
    const auto length = static_cast<double>(positions_along(plan_, stage, sweep));
    expect(rates_of(rates_.nearest(), sweep).form(across).beyond, arrays_,
           "bytes a rank goes through");
    return static_cast<double>(elements * complex_bytes()) * rates_([&](const Speed& speed) {
             const SweepRates& rates = rates_of(speed, sweep).form(across);
             return rates.beyond.at(arrays_) * (plane ? 1. : rates.reach.at(length));
           }) *
           (across ? ragged(stage.last()) : 1.);
  }

  void price_exchange(const Stage& stage, StepCost& step) {
    const Site site{plan_, static_cast<std::size_t>(stage.step)};
    const Exchange& exchange = site.exchange();
    step.what = fmt::format("exchange by {}", name_of(exchange.method));
    step.bytes = exchange.traffic.elements * site.before().element.bytes();
    step.messages = exchange.message_traffic().messages;
    const ExchangeCost cost = method_of(site).cost(site, pricing_);
    step.bytes_between = cost.bytes_between;
    step.messages_between = cost.messages_between;
    for (const UsedFigure& used : cost.used) expect(used.curve, used.argument, used.what);
    step.cost = with_copies(cost);
    if (exchange.pipelined()) busy_[site.step] = cost.busy;
  }

  /// What an exchange costs with what is copied beside it.
  Cost with_copies(const ExchangeCost& exchange) {
    Cost cost = exchange.cost;
    if (exchange.copied) cost.memory = copied(*exchange.copied);
    return cost;
  }

  /// Remembers where the machine has fewer nodes or less memory than this takes.
  void expect_memory() {
    const Index nodes = ceil_div(plan_.ranks(), per_node_);
    if (machine_->topology.nodes > 0 && nodes > machine_->topology.nodes) {
      beyond_.push_back(fmt::format("nodes {}, there are {}", nodes, machine_->topology.nodes));
    }
    const double needed = arrays_ * static_cast<double>(per_node_);
    if (machine_->node.memory > 0. && needed > machine_->node.memory) {
      beyond_.push_back(
          fmt::format("bytes of a node {:.3g}, it has {:.3g}", needed, machine_->node.memory));
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
  Schedule schedule_;
  Index per_node_;
  RateInterpolation rates_;
  Pricing pricing_;
  double arrays_ = 0.;
  bool all_by_fftw_ = false;            // whatever engines the plan has
  std::map<std::size_t, double> busy_;  // of pipelined exchanges, by step
  std::vector<std::string> beyond_;
};

}  // namespace

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

std::vector<std::size_t> faster_by_fftw(const Plan& plan, const Machine& machine) {
  Divisions none;
  return Pricer(plan, machine, {}, none).faster_by_fftw();
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

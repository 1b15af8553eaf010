// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.hpp"
#include "exchange/chunks.hpp"
#include "exchange/hermitian.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "layout/pieces.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

/// Of a rank's array, or a tile: several of either, in bytes, must be counted in 64 bits.
constexpr Index most_elements = Index{1} << 56;

/// Product of the radices of an axis' digits of one kind: the weight the next one gets.
Index weight_of(const State& state, int axis, DigitKind kind) {
  Index weight = 1;
  for (std::size_t i = 0; i < state.digits.size(); ++i) {
    const Digit& digit = state.digits[i];
    if (digit.axis == axis && digit.kind == kind) weight *= radix_of(state, i);
  }
  return weight;
}

/// Between reals and half of an axis' frequencies.
State behind_real(const State& before, std::size_t at, Direction direction) {
  State after = before;
  Digit& swept = after.digits[at];
  const bool forward = direction == Direction::forward;
  if (before.element.complex == forward || (swept.whole > 0) == forward) {
    throw InternalError("a real sweep of what is transformed already");
  }
  for (std::size_t i = 0; i < before.digits.size(); ++i) {
    if (i == at) continue;
    const Digit& other = before.digits[i];
    if (other.kind == DigitKind::frequency) throw InternalError("a real sweep beside frequencies");
    if (forward && other.axis == swept.axis && other.weight > swept.weight) {
      throw InternalError("a real sweep along a digit that is not the leading one of its axis");
    }
  }
  const Index extent = before.layout.shape()[at];
  after.element.complex = forward;
  const Index frequencies = swept.kept > 0 ? swept.kept : half_extent(extent);
  after.layout = before.layout.with_extent(at, forward ? frequencies : swept.whole);
  if ((forward ? extent : swept.whole) > 1) {
    const DigitKind wanted = forward ? DigitKind::frequency : DigitKind::position;
    swept.weight = weight_of(before, swept.axis, wanted);
    swept.kind = wanted;
  }
  swept.whole = forward ? extent : 0;
  return after;
}

/// Between an axis and the points of a convolution. A rank has the same indices of both, as both
/// are cyclic over as many processors.
State behind_chirp(const State& before, const Sweep& sweep, Direction direction) {
  const Layout& layout = before.layout;
  if (before.digits.size() != 1 || !layout.is_grid() ||
      layout.axis(0).cycle != layout.axis(0).procs) {
    throw InternalError("a chirp along what is not one cyclic axis");
  }
  const Digit& now = before.digits[0];
  const Index extent = layout.shape()[0];
  const bool forward = direction == Direction::forward;
  const bool real = sweep.kernel == Kernel::real_chirp;
  const bool back = now.chirped > 0;
  const Index n = back ? now.chirped : radix_of(before, 0);
  const Index frequencies = real ? half_extent(n) : n;
  const DigitKind from = back || forward ? DigitKind::position : DigitKind::frequency;
  const bool of_reals = real && !back && forward;
  if (now.kind != from || now.kept > 0 || before.element.complex == of_reals || n < 2 ||
      layout.axis(0).procs > frequencies || (!back && extent != (forward ? n : frequencies))) {
    throw InternalError("a chirp along an axis that cannot be convolved");
  }
  if (back ? sweep.points != 0 || extent < least_points(n, real)
           : sweep.points < least_points(n, real) || sweep.points > most_elements) {
    throw InternalError("a convolution of too few points, or too many");
  }
  State after = before;
  after.layout = layout.dense();
  Axis axis = after.layout.axis(0);
  if (back) {
    axis.n = forward ? frequencies : n;
    after.digits[0] = {0, 1, forward ? DigitKind::frequency : DigitKind::position,
                       real && forward ? n : 0};
    after.element.complex = !real || forward;
  } else {
    axis.n = sweep.points;
    after.digits[0] = {0, 1, DigitKind::position, 0, 0, n};
    after.element.complex = true;
  }
  after.layout = Layout::grid({axis}, {});
  return after;
}

State behind(const State& before, const Sweep& sweep, Direction direction) {
  State after = before;
  after.layout = before.layout.dense();
  if (is_chirp(sweep.kernel) && !sweep.turns) return behind_chirp(before, sweep, direction);
  if (sweep.points != 0) throw InternalError("a sweep to points that is not by a chirp");
  if (sweep.turns) {
    Sweep there = sweep;
    there.turns = false;
    if (sweep.kernel == Kernel::none || sweep.kernel == Kernel::compare || is_chirp(sweep.kernel) ||
        sweep.joined || direction != Direction::forward) {
      throw InternalError("a sweep turns that does not transform forward by itself");
    }
    behind(before, there, direction);  // throws
    return after;
  }
  if (sweep.lines < 1) throw InternalError("a sweep with tiles of no line");
  if (sweep.kernel == Kernel::none) return after;
  const auto at = static_cast<std::size_t>(sweep.digit);
  if (sweep.digit < 0 || at >= before.digits.size() || !before.layout.whole(at)) {
    throw InternalError("a sweep along a digit that no rank holds whole");
  }
  const Shape& shape = before.layout.shape();
  if (sweep.lines > most_elements / shape[at]) {
    throw InternalError("a sweep with tiles too large to count");
  }
  if (sweep.kernel == Kernel::compare) return after;
  if (sweep.kernel == Kernel::real) return behind_real(before, at, direction);
  Digit& swept = after.digits[at];
  if (swept.whole > 0 && swept.kept == 0) {
    throw InternalError("a complex sweep along an r2c axis");
  }
  if (is_trigonometric(sweep.kernel) || swept.kept > 0) {
    const auto of_axis = [&](const Digit& digit) { return digit.axis == swept.axis; };
    if (std::count_if(before.digits.begin(), before.digits.end(), of_axis) > 1) {
      throw InternalError(
          "a sweep of cosines or sines, or along a truncated axis, along a digit that is not a "
          "whole axis");
    }
  }
  if (!is_trigonometric(sweep.kernel)) {
    if (!before.element.complex) throw InternalError("a complex sweep of reals");
    if (radix_of(before, at) == 1) return after;
  }
  const DigitKind wanted =
      direction == Direction::forward ? DigitKind::frequency : DigitKind::position;
  if (swept.kind == wanted)
    throw InternalError("a sweep along a digit that is transformed already");
  for (const Digit& digit : before.digits) {
    if (digit.axis == swept.axis && digit.kind == swept.kind && digit.weight > swept.weight) {
      throw InternalError("a sweep along a digit that is not the leading one of its axis");
    }
  }
  swept.weight = weight_of(before, swept.axis, wanted);
  swept.kind = wanted;
  if (swept.kept == 0) return after;
  const bool forward = direction == Direction::forward;
  after.layout = after.layout.with_extent(at, forward ? swept.kept : swept.whole);
  swept.whole = forward ? shape[at] : 0;
  return after;
}

/// True where every axis is one digit.
bool in_whole_axes(const State& state) {
  for (std::size_t i = 0; i < state.digits.size(); ++i) {
    if (state.digits[i].axis != static_cast<int>(i)) return false;
  }
  return true;
}

/// True where the digits of `many` from `first` to `end` are those of one axis: itself, or factors
/// of at least 2 that count the same, positions from the heaviest on, frequencies from the
/// lightest.
bool are_digits_of(const State& many, std::size_t first, std::size_t end, const Digit& axis,
                   Index extent) {
  if (first == end || axis.weight != 1) return false;
  if (end - first == 1) return many.digits[first] == axis && many.layout.shape()[first] == extent;
  const bool frequency = axis.kind == DigitKind::frequency;
  Index weight = 1;
  for (std::size_t i = 0; i < end - first; ++i) {
    const std::size_t at = frequency ? first + i : end - 1 - i;
    const Index radix = many.layout.shape()[at];
    const Digit expected{axis.axis, weight, axis.kind, 0, 0, axis.chirped};
    if (many.digits[at] != expected || radix < 2 || radix > extent / weight) return false;
    weight *= radix;
  }
  return weight == extent && axis.whole == 0;
}

State behind(const State& before, const Regroup& regroup) {
  State after{before.element, regroup.digits, regroup.to};
  const bool splits = in_whole_axes(before);
  const State& one = splits ? before : after;
  const State& many = splits ? after : before;
  const bool fits = in_whole_axes(one) && after.digits.size() == after.layout.axes();
  std::size_t next = 0;
  for (std::size_t a = 0; fits && a < one.digits.size(); ++a) {
    const std::size_t first = next;
    while (next < many.digits.size() && many.digits[next].axis == static_cast<int>(a)) ++next;
    if (!are_digits_of(many, first, next, one.digits[a], one.layout.shape()[a])) {
      throw InternalError("a regrouping to digits that are not those of their axes");
    }
  }
  const bool splits_well =
      fits && next == many.digits.size() && one.layout.is_dense() && many.layout.is_dense();
  const std::optional<Layout> same =
      splits_well ? split(one.layout, many.digits, many.layout.shape()) : std::nullopt;
  if (!same || *same != many.layout) {
    throw InternalError("a regrouping that does not leave every element where it is");
  }
  return after;
}

/// Between digits and the half spectrum of their axis.
State behind_hermitian(const State& before, const Exchange& exchange) {
  State after{before.element, exchange.digits, exchange.to};
  if (after.digits.size() != after.layout.axes()) {
    throw InternalError("a Hermitian exchange to a layout of other digits");
  }
  const HermitianExchange hermitian = HermitianExchange::between(before, after);
  const bool splitting = to_split_axis(before, after);
  const State& half = splitting ? before : after;
  const State& split_side = splitting ? after : before;
  const auto frequencies = [](const State& state) {
    return std::all_of(state.digits.begin(), state.digits.end(),
                       [](const Digit& digit) { return digit.kind == DigitKind::frequency; });
  };
  const Index n = checked_mul(split_side.digits[0].whole, split_side.layout.shape()[1], "an axis");
  const std::vector<Digit> axis = {{split_side.digits[0].axis, 1, DigitKind::frequency, n}};
  if (half.digits != axis || half.layout != hermitian.half_layout() || !frequencies(split_side) ||
      !before.element.complex) {
    throw InternalError("a Hermitian exchange between states that are not of one axis");
  }
  return after;
}

State behind(const State& before, const Exchange& exchange) {
  if (exchange.hermitian()) return behind_hermitian(before, exchange);
  if (exchange.to.shape() != before.layout.shape()) {
    throw InternalError("an exchange to a layout of another shape");
  }
  State after = before;
  after.layout = exchange.to;
  return after;
}

}  // namespace

std::vector<Digit> start_digits(const Problem& problem, Direction direction) {
  const Shape& shape = problem.shape;
  const bool forward = direction == Direction::forward;
  std::vector<Digit> digits;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    digits.push_back({static_cast<int>(a), 1,
                      forward || problem.idle(a) ? DigitKind::position : DigitKind::frequency,
                      !forward && problem.shrinks(a) ? shape[a] : 0,
                      problem.truncated(a) ? problem.frequencies_along(a) : 0});
  }
  return digits;
}

State behind(const State& before, const Step& step, Direction direction) {
  if (const auto* const exchange = std::get_if<Exchange>(&step)) return behind(before, *exchange);
  if (const auto* const regroup = std::get_if<Regroup>(&step)) return behind(before, *regroup);
  return behind(before, std::get<Sweep>(step), direction);
}

State whole_axes(const Problem& problem, Direction direction, const Layout& layout) {
  const bool forward = direction == Direction::forward;
  if (layout.shape() != (forward ? problem.shape : problem.frequency_shape())) {
    throw InternalError("a plan's first layout does not have the problem's shape");
  }
  State state;
  state.element = {forward ? problem.complex_positions() : problem.complex_frequencies(),
                   problem.precision};
  state.layout = layout;
  state.digits = start_digits(problem, direction);
  return state;
}

namespace {

void require_allocated_size(const State& state, Index ranks) {
  if (state.layout.ranks() > ranks) {
    throw InternalError("a plan uses more ranks than it is for");
  }
  const Index largest = state.layout.largest_local_size();
  if (largest > most_elements) {
    throw Overflow(fmt::format(
        "a rank would hold {} elements, more than 2^56; use more ranks or a smaller shape",
        largest));
  }
}

}  // namespace

Plan::Plan(Problem problem, Direction direction, Index ranks, Placement placement,
           const Layout& start, std::vector<Step> steps)
    : StepList(std::move(problem), direction, ranks, placement) {
  states_ = {whole_axes(problem_, direction, start)};
  require_allocated_size(states_.back(), ranks_);
  for (Step& step : steps) append(std::move(step));
}

void Plan::append(Step step) {
  const auto* const sweep = std::get_if<Sweep>(&step);
  const bool chirps = sweep != nullptr && is_chirp(sweep->kernel);
  State after = behind(states_.back(), step, chirps ? direction_ : direction_at(steps_.size()));
  require_allocated_size(after,
                         ranks_);  // before the traffic, which may take as long as there are ranks
  steps_.push_back(std::move(step));
  states_.push_back(std::move(after));
  if (exchange_at(steps_.size() - 1) != nullptr) count(steps_.size() - 1);
}

void Plan::count(std::size_t step) {
  const Site site{*this, step};
  if (!method_of(site).possible(site)) {
    throw InternalError(
        fmt::format("an exchange goes by {} that cannot", name_of(site.exchange().method)));
  }
  recount(step);
}

void Plan::recount(std::size_t step) {
  const Site site{*this, step};
  std::get<Exchange>(steps_[step]).traffic = method_of(site).traffic(site);
}

Plan Plan::with_method(ExchangeMethod method) const {
  const Method& rules = method_of(method);
  if (!rules.possible_in(*this)) return with_method(fallback_method);
  Plan plan = *this;
  for (std::size_t i = 0; i < plan.steps_.size(); ++i) {
    auto* const exchange = std::get_if<Exchange>(&plan.steps_[i]);
    if (exchange == nullptr) continue;
    const ExchangeMethod before = exchange->method;
    exchange->method = method;
    exchange->chunks = {};
    exchange->radix = rules.least_radix();
    if (!rules.possible({plan, i})) {
      // Memory that ranks share is of all exchanges or of none.
      if (rules.holding() != Holding::buffers) return with_method(fallback_method);
      exchange->method = fallback_method;
      exchange->radix = 0;
    }
    if (exchange->method != before || exchange->radix > 0) plan.recount(i);
  }
  return plan;
}

Plan Plan::with_engine(std::size_t step, LineEngine engine) const {
  Plan plan = *this;
  auto& sweep = std::get<Sweep>(plan.steps_[step]);
  const auto digit = static_cast<std::size_t>(sweep.digit);
  const Index positions =
      std::max(states_[step].layout.shape()[digit], states_[step + 1].layout.shape()[digit]);
  sweep.engine = engine != LineEngine::fftw && !problem_.of_words() && has_kernel(sweep, positions)
                     ? LineEngine::kernels
                     : LineEngine::fftw;
  return plan;
}

Plan Plan::with_chunks(std::size_t step, const Chunks& chunks) const {
  Plan plan = *this;
  std::get<Exchange>(plan.steps_[step]).chunks = chunks;
  if (chunks.parts() > 1) Cutting(plan, step);  // throws
  return plan;
}

Plan Plan::with_radix(std::size_t step, Index radix) const {
  Plan plan = *this;
  auto& exchange = std::get<Exchange>(plan.steps_[step]);
  exchange.method = ExchangeMethod::bruck;
  exchange.chunks = {};
  exchange.radix = radix;
  plan.count(step);
  return plan;
}

Plan Plan::between(const Layout& in, const Layout& out) const {
  if (in == input() && out == output()) return *this;
  const auto is_sweep = [](const Step& step) { return std::holds_alternative<Sweep>(step); };
  std::vector<Step> steps = steps_;
  if (in != input() && (steps.empty() || !is_sweep(steps.front()))) {
    steps.insert(steps.begin(), Sweep{});
  }
  if (out != output() && (steps.empty() || !is_sweep(steps.back()))) steps.emplace_back(Sweep{});
  Plan plan(problem_, direction_, ranks_, placement_, in, std::move(steps));
  if (plan.output().dense() != out.dense()) {
    throw InternalError("a plan is to end in another layout");
  }
  plan.states_.back().layout = out;
  return plan;
}

std::optional<Plan> Plan::there_and_back() const {
  std::size_t last = steps_.size();
  while (last > 0 && std::holds_alternative<Regroup>(steps_[last - 1])) --last;
  const Sweep* const sweep = last > 0 ? sweep_at(last - 1) : nullptr;
  if (direction_ != Direction::forward || sweep == nullptr || sweep->kernel == Kernel::none ||
      sweep->kernel == Kernel::compare || turn()) {
    return std::nullopt;
  }
  // What turns has a pass of its own.
  Plan there = *this;
  std::get<Sweep>(there.steps_[last - 1]).joined = false;
  const Plan back = there.reversed();
  Plan plan = there;
  plan.steps_.resize(last);
  plan.states_.resize(last);
  auto& turning = std::get<Sweep>(plan.steps_.back());
  turning.turns = true;
  plan.states_.push_back(behind(plan.states_.back(), turning, Direction::forward));
  for (std::size_t step = steps_.size() - last + 1; step < steps_.size(); ++step) {
    plan.steps_.push_back(back.steps_[step]);
    plan.states_.push_back(back.states_[step + 1]);
  }
  plan.states_.back().layout = input();
  return plan;
}

Plan Plan::reversed() const {
  if (round_trip()) return *this;
  Plan plan;
  plan.problem_ = problem_;
  plan.direction_ = direction_ == Direction::forward ? Direction::backward : Direction::forward;
  plan.ranks_ = ranks_;
  plan.placement_ = placement_;
  plan.states_.assign(states_.rbegin(), states_.rend());
  for (std::size_t i = steps_.size(); i-- > 0;) {
    Step step = steps_[i];
    if (auto* const exchange = std::get_if<Exchange>(&step)) {
      exchange->to = states_[i].layout;
      if (exchange->hermitian()) exchange->digits = states_[i].digits;
      Traffic& moved = exchange->traffic;
      std::swap(moved.most_sent, moved.most_received);
      std::swap(moved.most_messages_sent, moved.most_messages_received);
      std::swap(exchange->chunks.sent, exchange->chunks.taken);
      std::swap(exchange->chunks.sent_digit, exchange->chunks.taken_digit);
    } else if (auto* const regroup = std::get_if<Regroup>(&step)) {
      regroup->digits = states_[i].digits;
      regroup->to = states_[i].layout;
    } else if (auto* const sweep = std::get_if<Sweep>(&step)) {
      if (is_chirp(sweep->kernel)) {
        sweep->points = sweep->points > 0 ? 0 : states_[i].layout.shape()[0];
      }
      if (is_trigonometric(sweep->kernel)) {
        const int axis = states_[i].digits[static_cast<std::size_t>(sweep->digit)].axis;
        sweep->kernel =
            kernel_of(problem_.axis_kind(static_cast<std::size_t>(axis)), plan.direction_);
      }
      const auto* const next = i + 1 < steps_.size() ? std::get_if<Sweep>(&steps_[i + 1]) : nullptr;
      sweep->joined = next != nullptr && next->joined;
    }
    plan.steps_.push_back(std::move(step));
  }
  for (std::size_t i = 0; i < plan.steps_.size(); ++i) {
    // Backwards, pieces that go by others have other digits.
    const Exchange* const exchange = plan.exchange_at(i);
    if (exchange != nullptr && exchange->radix > 0) plan.count(i);
  }
  return plan;
}

double promised_error(const Plan& plan) {
  const double eps = plan.problem().precision == Precision::f32
                         ? static_cast<double>(std::numeric_limits<float>::epsilon())
                         : std::numeric_limits<double>::epsilon();
  const auto root_of_log = [](Index n) { return std::sqrt(std::log2(static_cast<double>(n))); };
  if (plan.convolves()) return 2. * eps * root_of_log(plan.points());
  return std::max(eps, 1.5 * eps * root_of_log(plan.problem().elements()));
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/plan.hpp"

#include <algorithm>

namespace kallima {

namespace {

State start_state(const Problem& problem, Direction direction, const Layout& start) {
  if (start.shape() != problem.shape) {
    throw InternalError("a plan's first layout does not have the problem's shape");
  }
  State state;
  state.element = {true, problem.precision};
  state.layout = start;
  state.digits = start_digits(problem.shape, direction);
  return state;
}

State behind(const State& before, const Sweep& sweep, Direction direction) {
  State after = before;
  if (sweep.lines < 1) throw InternalError("a sweep with tiles of no line");
  if (sweep.kernel == Kernel::none) return after;
  const auto at = static_cast<std::size_t>(sweep.digit);
  if (sweep.digit < 0 || at >= before.digits.size() || !before.layout.whole(at)) {
    throw InternalError("a sweep along a digit that no rank holds whole");
  }
  if (before.layout.shape()[at] == 1) return after;
  DigitKind& kind = after.digits[at].kind;
  const DigitKind wanted =
      direction == Direction::forward ? DigitKind::frequency : DigitKind::position;
  if (kind == wanted) throw InternalError("a sweep along a digit that is transformed already");
  kind = wanted;
  return after;
}

State behind(const State& before, const Exchange& exchange) {
  if (exchange.to.shape() != before.layout.shape()) {
    throw InternalError("an exchange to a layout of another shape");
  }
  State after = before;
  after.layout = exchange.to;
  return after;
}

}  // namespace

std::vector<Digit> start_digits(const Shape& shape, Direction direction) {
  std::vector<Digit> digits;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const bool position = direction == Direction::forward || shape[a] == 1;
    digits.push_back(
        {static_cast<int>(a), 1, position ? DigitKind::position : DigitKind::frequency});
  }
  return digits;
}

std::vector<std::string> State::names() const {
  int axes = 0;
  for (const Digit& digit : digits) axes = std::max(axes, digit.axis + 1);
  const std::vector<std::string> of_axes = axis_names(static_cast<std::size_t>(axes));
  std::vector<std::string> result;
  for (const Digit& digit : digits) {
    const std::string& name = of_axes[static_cast<std::size_t>(digit.axis)];
    result.push_back(digit.kind == DigitKind::frequency ? "k" + name : name);
  }
  return result;
}

Plan::Plan(Problem problem, Direction direction, Index ranks, Placement placement,
           const Layout& start, std::vector<Step> steps)
    : problem_(std::move(problem)),
      direction_(direction),
      ranks_(ranks),
      placement_(placement),
      states_{start_state(problem_, direction, start)} {
  if (start.ranks() > ranks_) throw InternalError("a plan starts on more ranks than it is for");
  for (Step& step : steps) append(std::move(step));
}

void Plan::append(Step step) {
  const State& before = states_.back();
  State after;
  if (auto* const exchange = std::get_if<Exchange>(&step)) {
    after = behind(before, *exchange);
    exchange->traffic = traffic(before.layout, exchange->to);
  } else {
    after = behind(before, std::get<Sweep>(step), direction_);
  }
  if (after.layout.ranks() > ranks_) {
    throw InternalError("a plan uses more ranks than it is for");
  }
  steps_.push_back(std::move(step));
  states_.push_back(std::move(after));
}

Plan Plan::reversed() const {
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
      Traffic& moved = exchange->traffic;
      std::swap(moved.most_sent, moved.most_received);
      std::swap(moved.most_messages_sent, moved.most_messages_received);
    }
    plan.steps_.push_back(std::move(step));
  }
  return plan;
}

Index Plan::exchanges() const {
  return std::count_if(steps_.begin(), steps_.end(),
                       [](const Step& step) { return std::holds_alternative<Exchange>(step); });
}

Traffic Plan::total_traffic() const {
  Traffic sum;
  for (const Step& step : steps_) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange == nullptr) continue;
    const Traffic& moved = exchange->traffic;
    sum.elements += moved.elements;
    sum.messages += moved.messages;
    sum.most_sent += moved.most_sent;
    sum.most_received += moved.most_received;
    sum.most_messages_sent += moved.most_messages_sent;
    sum.most_messages_received += moved.most_messages_received;
    sum.largest_message = std::max(sum.largest_message, moved.largest_message);
  }
  return sum;
}

Index Plan::largest_local_size() const {
  Index largest = 0;
  for (const State& state : states_) largest = std::max(largest, state.layout.largest_local_size());
  return largest;
}

}  // namespace kallima

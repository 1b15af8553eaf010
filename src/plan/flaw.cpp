// SPDX-License-Identifier: BSD-3-Clause
#include "plan/flaw.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "exchange/chunks.hpp"
#include "exchange/hermitian.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "schedule/schedule.hpp"
#include "steps/digits.hpp"
#include "steps/tile.hpp"

namespace kallima {

namespace {

/// A rule that does not hold; the same error as of a step that does not fit the state before it.
template <class... Values>
void require(bool holds, fmt::format_string<Values...> rule, Values&&... values) {
  if (!holds) throw InternalError(fmt::format(rule, std::forward<Values>(values)...));
}

bool computes(const Sweep& sweep) { return sweep.kernel != Kernel::none; }

Index extent_along(const State& state, const Sweep& sweep) {
  return state.layout.shape()[static_cast<std::size_t>(sweep.digit)];
}

/// What the executor has room for, and where rows may be padded and arrays have margins: in the
/// user's own arrays, which sweeps read and write.
void inspect_states(const Plan& plan) {
  const bool forward = plan.direction() == Direction::forward;
  const Layout& positions = forward ? plan.input() : plan.output();
  for (const State& state : plan.states()) {
    require(state.digits.size() <= most_digits, "a state has {} digits, of which {} can be had",
            state.digits.size(), most_digits);
    require(state.layout.padding() == 0 || (!state.element.complex && state.layout == positions),
            "rows are padded that are not of the user's reals");
  }
  const std::vector<State>& states = plan.states();
  for (std::size_t i = 1; i + 1 < states.size(); ++i) {
    require(states[i].layout.is_dense(), "an array between steps has margins");
  }
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    require(plan.sweep_at(step) != nullptr ||
                (states[step].layout.is_dense() && states[step + 1].layout.is_dense()),
            "an array with margins is read or written by a step that is no sweep");
  }
}

/// What a sweep computes is what is to be done along its axis.
bool belongs(const Plan& plan, std::size_t step) {
  const Sweep& sweep = *plan.sweep_at(step);
  const State& before = plan.states()[step];
  if (plan.problem().kind == Kind::sort) return sweep.kernel == Kernel::compare;
  if (!computes(sweep)) return true;
  const int axis = before.digits[static_cast<std::size_t>(sweep.digit)].axis;
  const AxisKind kind = plan.problem().axis_kind(static_cast<std::size_t>(axis));
  if (is_chirp(sweep.kernel)) {
    const bool transforms = plan.problem().kind == Kind::c2c || plan.problem().real();
    return transforms &&
           kind == (sweep.kernel == Kernel::chirp ? AxisKind::fourier : AxisKind::real);
  }
  // Where the r2c axis is split, its other digits are of complex numbers.
  const bool splits = !plan.problem().truncated(static_cast<std::size_t>(axis));
  if (kind == AxisKind::real && sweep.kernel == Kernel::fourier && splits) return true;
  return sweep.kernel == kernel_of(kind, plan.direction_at(step));
}

/// Two sweeps in one pass: planes whose rows are of the one whose form is lines; reals are rows.
/// Nothing is multiplied in between.
void inspect_pass(const Plan& plan, std::size_t step) {
  const Sweep* const first = step > 0 ? plan.sweep_at(step - 1) : nullptr;
  const Sweep& second = *plan.sweep_at(step);
  require(first != nullptr && computes(*first) && computes(second) && !first->joined &&
              second.kernel != Kernel::compare && !is_chirp(first->kernel) &&
              !is_chirp(second.kernel),
          "a sweep is in the same pass as no other");
  const State& before = plan.states()[step - 1];
  const auto axis_of = [&](const Sweep& sweep) {
    return before.digits[static_cast<std::size_t>(sweep.digit)].axis;
  };
  require(axis_of(*first) != axis_of(second) && before.twiddle_modulus(first->digit) == 0 &&
              before.twiddle_modulus(second.digit) == 0,
          "sweeps are in the same pass between which roots of unity are multiplied");
  const bool first_is_fast = first->form == TileForm::lines;
  const Sweep& fast = first_is_fast ? *first : second;
  const Sweep& slow = first_is_fast ? second : *first;
  require(!is_trigonometric(fast.kernel) && !is_trigonometric(slow.kernel),
          "a sweep of cosines or sines is in the same pass as another");
  require(fast.form != slow.form && slow.kernel != Kernel::real,
          "of two sweeps in the same pass one has contiguous lines, that of reals if there is one");
  require(!first->turns, "a sweep that turns is in the same pass as another");
  const bool forward = plan.direction_at(step) == Direction::forward;
  const State& frequencies = forward ? plan.states()[step + 1] : before;
  require(fast.lines <= extent_along(frequencies, slow) &&
              slow.lines <= extent_along(frequencies, fast),
          "tiles have more lines than a plane");
}

void inspect_sweep(const Plan& plan, std::size_t step) {
  const Sweep& sweep = *plan.sweep_at(step);
  const State& before = plan.states()[step];
  require(belongs(plan, step), "a sweep's kernel is not of {}", plan.problem().to_text());
  if (sweep.joined) inspect_pass(plan, step);
  if (!computes(sweep) || is_chirp(sweep.kernel)) return;
  const bool by_kernels = !plan.problem().of_words() && has_kernels(sweep.kernel);
  require(sweep.engine == LineEngine::fftw || by_kernels, "there are no kernels for {}",
          plan.problem().to_text());
  const Index lines = before.layout.largest_local_size() / extent_along(before, sweep);
  require(sweep.lines <= std::max<Index>(1, lines), "tiles have {} lines, of which a rank has {}",
          sweep.lines, lines);
}

/// Between the digits of an axis of reals, which the sweep beside it has just completed or will
/// take apart, and its half spectrum, which a sweep of its own copies.
void inspect_hermitian(const Plan& plan, std::size_t step) {
  const bool splitting = to_split_axis(plan.states()[step], plan.states()[step + 1]);
  require(splitting == (plan.direction_at(step) == Direction::backward),
          "frequencies k and n - k are exchanged in the wrong direction");
  const std::size_t split_side = splitting ? step + 1 : step - 1;
  const std::size_t half_side = splitting ? step - 1 : step + 1;
  require(computes(*plan.sweep_at(split_side)) && !computes(*plan.sweep_at(half_side)) &&
              plan.exchange_at(splitting ? step - 2 : step + 2) == nullptr,
          "frequencies k and n - k are exchanged beside sweeps that cannot take them");
}

void inspect_exchange(const Plan& plan, std::size_t step) {
  const Exchange& exchange = *plan.exchange_at(step);
  require(step > 0 && plan.sweep_at(step - 1) != nullptr && plan.sweep_at(step + 1) != nullptr,
          "an exchange is not between sweeps, which pack and unpack");
  const Holding holding = method_of(exchange.method).holding();
  require(holding == Holding::buffers || plan.goes_by(exchange.method),
          "not all exchanges go by {}, though one does", name_of(exchange.method));
  require(holding != Holding::node_buffers || plan.placement().ranks_per_node > 0,
          "exchanges go by {}, and it is not known how many ranks a node has",
          name_of(exchange.method));
  if (exchange.hermitian()) inspect_hermitian(plan, step);
  Cutting(plan, step);  // throws
}

/// A sweep between two exchanges is cut for both alike, or for one of them.
void inspect_cuts(const Plan& plan, std::size_t step) {
  const Sweep* const next = plan.sweep_at(step + 1);
  const std::size_t last = next != nullptr && next->joined ? step + 1 : step;
  const Chunks before = plan.chunks_at(step - 1);  // none before the first step
  const Chunks behind = plan.chunks_at(last + 1);
  require(before.taken == 1 || behind.sent == 1 ||
              (before.taken == behind.sent && before.taken_digit == behind.sent_digit),
          "a sweep is cut in two ways");
}

/// The sweeps of a bitonic sort, whose number says which of its stages each is (exec/bitonic.cpp):
/// the keys of every rank, and then by turns those of equal place on all ranks and of every rank.
void inspect_sort(const Plan& plan) {
  Index sweeps = 0;
  Index blocks = 0;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Sweep* const sweep = plan.sweep_at(step);
    if (sweep == nullptr) continue;
    const State& state = plan.states()[step];
    const bool split = state.digits.size() == 2;
    const bool across = sweeps % 2 == 1;
    const Index now = split ? state.layout.shape()[0] : 1;
    if (sweeps == 0) blocks = now;
    const bool one_block_a_rank =
        !split || (state.layout.is_grid() && state.layout.axis(0).procs == blocks);
    require(state.digits.size() <= 2 && now == blocks &&
                sweep->digit == (split && !across ? 1 : 0) && (across || one_block_a_rank) &&
                (sweeps > 0 || sweep->form == TileForm::lines),
            "sweep {} is not that of a bitonic sort", sweeps + 1);
    ++sweeps;
  }
  const int stages = std::countr_zero(static_cast<std::uint64_t>(std::max<Index>(1, blocks)));
  require(sweeps == 1 + 2 * stages, "it has {} sweeps, and a sort of {} blocks has {}", sweeps,
          blocks, 1 + 2 * stages);
}

/// Where it turns, all is transformed.
void inspect_turn(const Plan& plan, std::size_t turn) {
  const Problem& problem = plan.problem();
  require(!problem.of_words(), "{} has no turn", problem.to_text());
  const State& before = plan.states()[turn];
  const int swept = plan.sweep_at(turn)->digit;
  for (int i = 0; i < static_cast<int>(before.digits.size()); ++i) {
    const Digit& digit = before.digits[static_cast<std::size_t>(i)];
    require(i == swept || digit.kind == DigitKind::frequency ||
                problem.idle(static_cast<std::size_t>(digit.axis)),
            "it turns before all of {} is done", problem.to_text());
  }
}

/// Of a plan that goes there and back: it ends as it began.
void inspect_round_trip(const Plan& plan) {
  const State& last = plan.states().back();
  require(last.digits == start_digits(plan.problem(), Direction::forward) &&
              last.element == plan.states().front().element,
          "it turns and does not end where it began");
}

/// A convolution: a chirp, sweeps that turn once, a chirp.
void inspect_convolution(const Plan& plan) {
  std::vector<std::size_t> chirps;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Sweep* const sweep = plan.sweep_at(step);
    if (sweep == nullptr) continue;
    if (is_chirp(sweep->kernel)) chirps.push_back(step);
    const bool inside = chirps.size() == 1;
    require(!computes(*sweep) || is_chirp(sweep->kernel) || inside,
            "a sweep beside a convolution computes");
  }
  const std::optional<std::size_t> turn = plan.turn();
  require(chirps.size() == 2 && turn && chirps[0] < *turn && *turn < chirps[1],
          "a convolution does not turn between two chirps");
}

/// Every axis has become what it is to become; sweeps and regroupings see to how.
void inspect_end(const Plan& plan) {
  if (plan.turn()) inspect_turn(plan, *plan.turn());
  if (plan.round_trip()) return inspect_round_trip(plan);
  if (plan.convolves()) inspect_convolution(plan);
  const Problem& problem = plan.problem();
  const bool forward = plan.direction() == Direction::forward;
  const bool sorts = problem.kind == Kind::sort;
  require(forward || !sorts, "a sort has no way back");
  const Direction back = forward && !sorts ? Direction::backward : Direction::forward;
  const State& last = plan.states().back();
  require(last.digits == start_digits(problem, back) &&
              last.element.complex ==
                  (forward ? problem.complex_frequencies() : problem.complex_positions()),
          "it ends with {}, and not with all of {} done", fmt::join(last.names(), " "),
          problem.to_text());
}

/// In shared memory, the exchange of k with n - k has what one sweep packed and the next one
/// unpacks.
void inspect_shared(const Plan& plan) {
  const std::vector<Stage> stages = schedule(plan, false).stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Exchange* const exchange = plan.exchange_at(static_cast<std::size_t>(stages[i].step));
    require(exchange == nullptr || !exchange->hermitian() ||
                (stages[i - 1].target == Access::pieces && stages[i + 1].source == Access::pieces),
            "frequencies k and n - k are exchanged through shared memory that is not packed");
  }
}

void inspect(const Plan& plan) {
  require(!plan.problem().shape.empty(), "it is of no problem");
  require(plan.steps().size() <= most_steps, "it has {} steps, of which {} can be had",
          plan.steps().size(), most_steps);
  inspect_states(plan);
  // Passes first: what is cut depends on them.
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    if (plan.sweep_at(step) != nullptr) inspect_sweep(plan, step);
  }
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    if (plan.exchange_at(step) != nullptr) inspect_exchange(plan, step);
  }
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Sweep* const sweep = plan.sweep_at(step);
    if (sweep != nullptr && !sweep->joined) inspect_cuts(plan, step);
  }
  inspect_end(plan);
  if (plan.problem().kind == Kind::sort) return inspect_sort(plan);
  const auto mirrors = [](const Step& step) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    return exchange != nullptr && exchange->hermitian();
  };
  if (holding_of(plan) == Holding::arrays &&
      std::any_of(plan.steps().begin(), plan.steps().end(), mirrors)) {
    inspect_shared(plan);
    inspect_shared(plan.reversed());
  }
}

}  // namespace

std::string flaw_of(const Plan& plan) {
  try {
    inspect(plan);
    return {};
  } catch (const InternalError& error) {
    return error.what();
  }
}

}  // namespace kallima

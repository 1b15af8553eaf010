// SPDX-License-Identifier: BSD-3-Clause
#include "exec/stage_layout.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "exchange/chunks.hpp"
#include "exec/run.hpp"

namespace kallima::exec {

namespace {

Twiddle twiddle_of(const State& state, int swept, Index rank) {
  Twiddle twiddle;
  twiddle.modulus = state.twiddle_modulus(swept);
  for (const int digit : state.twiddle_digits(swept)) {
    const auto at = static_cast<std::size_t>(digit);
    twiddle.terms.push_back({at, state.layout.local_indices(rank, at), state.digits[at].weight});
  }
  return twiddle;
}

/// Of a sweep that turns, `behind` being the state in which all is transformed.
Turn turn_of(const Plan& plan, const State& behind, int swept, Index rank) {
  Turn turn;
  const bool several = behind.layout.several_boxes();
  for (std::size_t i = 0; i < behind.digits.size(); ++i) {
    const Index extent = behind.layout.shape()[i];
    turn.terms.push_back(
        {static_cast<std::size_t>(behind.digits[i].axis),
         several ? Progression::make(0, 1, extent) : behind.layout.local_indices(rank, i),
         behind.digits[i].weight});
  }
  const auto at = static_cast<std::size_t>(swept);
  turn.frequencies = behind.layout.shape()[at];
  if (plan.convolves()) {
    // The frequencies of a line together, so that they are read as lines of a tile are.
    const Shape local = behind.layout.local_shape(rank);
    turn.filter.assign(local.size(), 0);
    Index stride = 1;
    for (std::size_t i = 0; i < local.size(); ++i) {
      const std::size_t digit = i == 0 ? at : i <= at ? i - 1 : i;  // the swept one first
      turn.filter[digit] = stride;
      stride *= local[digit];
    }
    turn.conjugated = plan.direction() == Direction::backward;
    turn.back = Kernel::fourier;
    return turn;
  }
  turn.back = kernel_of(plan.problem().axis_kind(turn.terms[at].axis), Direction::backward);
  // Where the r2c axis is split, its other digits are of complex numbers.
  if (turn.back == Kernel::real && behind.digits[at].whole == 0) turn.back = Kernel::fourier;
  return turn;
}

/// Cuts the sweep of steps [first, last] as the exchanges beside it want it.
void cut(StageLayout& stage, const Plan& plan, std::size_t first, std::size_t last, Index rank) {
  const Chunks before = plan.chunks_at(first - 1);  // none before the first step
  const Chunks behind = plan.chunks_at(last + 1);
  if (before.taken > 1) {
    stage.cut = before.taken_digit;
    const Cutting cutting(plan, first - 1);
    for (Index i = 0; i < before.taken; ++i) stage.bounds.push_back(cutting.taken(rank, i, i + 1));
  } else if (behind.sent > 1) {
    stage.cut = behind.sent_digit;
    const Cutting cutting(plan, last + 1);
    for (Index i = 0; i < behind.sent; ++i) stage.bounds.push_back(cutting.sent(rank, i, i + 1));
  }
}

/// The part of a block in a range of a digit, whose places are counted from there. False for none.
bool cut_patch(StridedBlock& block, std::size_t digit, const Range& range) {
  const Run run = run_of(block.places[digit], range);
  if (run.count == 0) return false;
  if (block.panels.along(digit)) {
    block.panels.skip += run.skip;
  } else {
    block.offset += run.skip * block.strides[digit];
  }
  block.places[digit] =
      Progression::make(run.first - range.begin, block.places[digit].step, run.count);
  return true;
}

/// The frequencies of a line that are not kept.
Range dropped_along(const Problem& problem, std::size_t axis) {
  const Index all = problem.frequencies_of_line(axis);
  const Index kept = problem.frequencies_along(axis);
  const Index first = problem.axis_kind(axis) == AxisKind::real ? kept : kept / 2 + 1;
  return {first, first + all - kept};
}

/// Blocks count what is kept, tiles have all of a line: opens the gap between 0 .. K and -K .. -1.
void open_gap(std::vector<StridedBlock>& blocks, std::size_t digit, const Range& gap) {
  if (gap.size() == 0) return;
  const Range below{0, gap.begin};
  const Range above{gap.begin, std::numeric_limits<Index>::max()};
  std::vector<StridedBlock> parts;
  for (const StridedBlock& block : blocks) {
    for (const Range& side : {below, above}) {
      StridedBlock part = block;
      if (!cut_patch(part, digit, side)) continue;
      Progression& places = part.places[digit];
      if (side.begin > 0) {
        places = Progression::make(gap.end + places.first, places.step, places.count);
      }
      parts.push_back(std::move(part));
    }
  }
  blocks = std::move(parts);
}

}  // namespace

std::vector<StageLayout> chunks_of(const StageLayout& stage) {
  const auto digit = static_cast<std::size_t>(stage.cut);
  std::vector<StageLayout> result;
  for (const Range& range : stage.bounds) {
    StageLayout chunk = stage;
    chunk.bounds.clear();
    chunk.local_shape[digit] = range.size();
    for (std::vector<StridedBlock>* const blocks : {&chunk.sources, &chunk.targets}) {
      std::erase_if(*blocks, [&](StridedBlock& block) { return !cut_patch(block, digit, range); });
    }
    const auto narrow = [&](Progression& values) {
      if (range.size() == 0) return;
      values = Progression::make(values.at(range.begin), values.step, range.size());
    };
    for (Twiddle::Term& term : chunk.twiddle.terms) {
      if (term.digit == digit) narrow(term.values);
    }
    if (digit < chunk.turn.terms.size()) narrow(chunk.turn.terms[digit].values);
    if (digit < chunk.turn.filter.size()) {
      chunk.turn.filter_offset += range.begin * chunk.turn.filter[digit];
    }
    result.push_back(std::move(chunk));
  }
  return result;
}

namespace {

/// Lays out the stages of one rank, one after the other.
class Layouter {
 public:
  Layouter(const Plan& plan, const Schedule& schedule, Index rank)
      : plan_(plan),
        rank_(rank),
        places_(plan, rank, {schedule.in_place, schedule.separate_fields},
                output_capacity(plan, schedule, rank), workspace(plan, schedule, rank).main) {}

  void add(const Stage& stage) {
    if (stage.step == Stage::copy) {
      stages_.push_back(copy(stage));
    } else if (plan_.exchange_at(static_cast<std::size_t>(stage.step)) != nullptr) {
      stages_.push_back(exchange(stage));
    } else {
      stages_.push_back(sweep(stage));
      if (stages_.back().sweep.kernel != Kernel::none) last_computing_ = stages_.size() - 1;
    }
  }

  /// All of them. The last that computes applies the factor.
  std::vector<StageLayout> finish() && {
    if (last_computing_ < stages_.size()) stages_[last_computing_].scales = true;
    return std::move(stages_);
  }

 private:
  /// What places of a stage count along: the rank's part, or where it has several the whole array.
  [[nodiscard]] Shape extents(const Layout& layout) const {
    return layout.several_boxes() ? layout.shape() : layout.local_shape(rank_);
  }

  [[nodiscard]] StageLayout copy(const Stage& stage) const {
    StageLayout out;
    const Layout& layout = plan_.input();
    out.sources = places_.array(0, stage.from);
    out.targets = places_.array(0, stage.to);
    out.from_real = out.to_real = !plan_.states()[0].element.complex;
    out.local_shape = extents(layout);
    out.others = line_digits(layout, out.sweep, out.local_shape);
    return out;
  }

  [[nodiscard]] StageLayout exchange(const Stage& stage) const {
    const Site site{plan_, static_cast<std::size_t>(stage.step)};
    StageLayout out;
    out.from_real = !site.before().element.complex;
    out.to_real = !site.after().element.complex;
    out.is_exchange = true;
    out.step = stage.step;
    out.method = &method_of(site);
    out.drive = out.method->drive(site.exchange());
    out.rounds = out.method->rounds(places_, site, stage.from, stage.to);
    if (out.drive != Drive::pipelined) return out;
    out.sent_chunks = site.exchange().chunks.sent;
    out.taken_chunks = site.exchange().chunks.taken;
    if (out.sent_chunks == 1) {
      // The sweep before may be cut for an exchange before it.
      out.sent_chunks = static_cast<Index>(std::max<std::size_t>(1, stages_.back().bounds.size()));
      for (MessageSlice& slice : out.rounds.front().sends) slice.dependency.needs = out.sent_chunks;
    }
    return out;
  }

  [[nodiscard]] StageLayout sweep(const Stage& stage) const {
    const auto step = static_cast<std::size_t>(stage.step);
    const State& before = plan_.states()[step];
    StageLayout out;
    out.from_real = !before.element.complex;
    out.to_real = !plan_.states()[stage.last() + 1].element.complex;
    out.step = stage.step;
    out.sweep = std::get<Sweep>(plan_.steps()[step]);
    out.direction = plan_.direction_at(step);
    out.local_shape = extents(before.layout);
    out.others = line_digits(before.layout, out.sweep, out.local_shape);
    if (stage.steps == 2) {
      out.joined = std::get<Sweep>(plan_.steps()[stage.last()]);
      std::erase(out.others, out.joined->digit);
    }
    place(stage, out);
    cut(out, plan_, step, stage.last(), rank_);
    if (out.sweep.kernel == Kernel::none) return out;
    if (is_chirp(out.sweep.kernel)) {
      out.chirp = chirp(out, step);
      return out;
    }
    const bool joins_real = out.joined && out.joined->kernel == Kernel::real;
    out.length = positions_along(plan_, stage, joins_real ? *out.joined : out.sweep);
    out.dropped = drop(out, before, out.sweep);
    if (out.joined) out.joined_dropped = drop(out, before, *out.joined);
    // Position digits are the same before and behind, but for the one that is swept.
    if (out.sweep.kernel != Kernel::compare) {
      out.twiddle = twiddle_of(before, out.sweep.digit, rank_);
    }
    if (out.sweep.turns) {
      Sweep there = out.sweep;
      there.turns = false;
      const State behind = kallima::behind(before, there, Direction::forward);
      out.turn = turn_of(plan_, behind, there.digit, rank_);
    }
    return out;
  }

  [[nodiscard]] Chirp chirp(const StageLayout& out, std::size_t step) const {
    const bool to_points = out.sweep.points > 0;
    const State& axis = plan_.states()[to_points ? step : step + 1];
    const State& points = plan_.states()[to_points ? step + 1 : step];
    const auto indices = [&](const State& state) {
      return rank_ < state.layout.ranks() ? state.layout.local_indices(rank_, 0) : Progression{};
    };
    Chirp chirp;
    chirp.n = points.digits[0].chirped;
    chirp.points = points.layout.shape()[0];
    const bool real = out.sweep.kernel == Kernel::real_chirp;
    chirp.frequencies = real ? half_extent(chirp.n) : chirp.n;
    chirp.indices = indices(axis);
    chirp.target = indices(to_points ? points : axis);
    chirp.to_points = to_points;
    chirp.of_half = real && to_points && out.direction == Direction::backward;
    return chirp;
  }

  /// What a sweep along a truncated axis does not write forward, and finds nowhere backward: tiles
  /// have whole lines.
  [[nodiscard]] Range drop(StageLayout& out, const State& before, const Sweep& sweep) const {
    const auto digit = static_cast<std::size_t>(sweep.digit);
    if (before.digits[digit].kept == 0) return {0, 0};
    const auto axis = static_cast<std::size_t>(before.digits[digit].axis);
    const Range dropped = dropped_along(plan_.problem(), axis);
    if (sweep.turns) return dropped;
    if (out.direction == Direction::backward) {
      out.local_shape[digit] = plan_.problem().frequencies_of_line(axis);
    }
    open_gap(out.direction == Direction::forward ? out.targets : out.sources, digit, dropped);
    return dropped;
  }

  /// What a sweep reads and writes.
  void place(const Stage& stage, StageLayout& out) const {
    const auto step = static_cast<std::size_t>(stage.step);
    const std::size_t behind = stage.last() + 1;
    // Beside the exchange of k with n - k, the half spectrum is seen in rows.
    const std::optional<HermitianExchange> joined_half =
        step > 0 ? hermitian_at(out, step - 1) : std::nullopt;
    const std::optional<HermitianExchange> splitting = hermitian_at(out, behind);
    if (joined_half || splitting) {
      out.local_shape = (joined_half ? *joined_half : *splitting).half_rows();
      out.others = {0, 1};
    }
    if (stage.source != Access::array) {
      const Site site{plan_, step - 1};
      out.sources = method_of(site).read(places_, site, stage.source, stage.from);
    } else {
      out.sources = splitting ? places_.half_rows(step, *splitting, stage.from)
                              : places_.array(step, stage.from);
    }
    if (stage.target != Access::array) {
      const Site site{plan_, behind};
      out.targets = method_of(site).written(places_, site, stage.target, stage.to);
    } else {
      out.targets = joined_half ? places_.half_rows(behind, *joined_half, stage.to)
                                : places_.array(behind, stage.to);
    }
  }

  /// Of the exchange at a step, where it is that of k with n - k and the sweep beside it copies.
  [[nodiscard]] std::optional<HermitianExchange> hermitian_at(const StageLayout& stage,
                                                              std::size_t step) const {
    const Exchange* const exchange = plan_.exchange_at(step);
    if (stage.sweep.kernel != Kernel::none || exchange == nullptr || !exchange->hermitian()) {
      return std::nullopt;
    }
    return HermitianExchange::between(plan_.states()[step], plan_.states()[step + 1]);
  }

  const Plan& plan_;
  Index rank_;
  BlockPlacer places_;
  std::vector<StageLayout> stages_;
  std::size_t last_computing_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::vector<StageLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank) {
  Layouter layouter(plan, schedule, rank);
  for (const Stage& stage : schedule.stages) layouter.add(stage);
  return std::move(layouter).finish();
}

}  // namespace kallima::exec

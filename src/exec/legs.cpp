// SPDX-License-Identifier: BSD-3-Clause
#include "exec/legs.hpp"

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
    twiddle.terms.push_back({at, state.layout.part(rank, at), state.digits[at].weight});
  }
  return twiddle;
}

/// Cuts the sweep of steps [first, last] as the exchanges beside it want it.
void cut(LegLayout& leg, const Plan& plan, std::size_t first, std::size_t last, Index rank) {
  const Chunks before = plan.chunks_at(first - 1);  // none before the first step
  const Chunks behind = plan.chunks_at(last + 1);
  if (before.taken > 1) {
    leg.cut = before.taken_digit;
    const Cutting cutting(plan, first - 1);
    for (Index i = 0; i < before.taken; ++i) leg.bounds.push_back(cutting.taken(rank, i, i + 1));
  } else if (behind.sent > 1) {
    leg.cut = behind.sent_digit;
    const Cutting cutting(plan, last + 1);
    for (Index i = 0; i < behind.sent; ++i) leg.bounds.push_back(cutting.sent(rank, i, i + 1));
  }
}

/// The part of a patch in a range of a digit, whose places are counted from there. False for none.
bool cut_patch(Patch& patch, std::size_t digit, const Range& range) {
  const Run run = run_of(patch.places[digit], range);
  if (run.count == 0) return false;
  patch.offset += run.skip * patch.strides[digit];
  patch.places[digit] =
      Progression::make(run.first - range.begin, patch.places[digit].step, run.count);
  return true;
}

}  // namespace

std::vector<LegLayout> chunks_of(const LegLayout& leg) {
  const auto digit = static_cast<std::size_t>(leg.cut);
  std::vector<LegLayout> result;
  for (const Range& range : leg.bounds) {
    LegLayout chunk = leg;
    chunk.bounds.clear();
    chunk.local_shape[digit] = range.size();
    for (std::vector<Patch>* const patches : {&chunk.sources, &chunk.targets}) {
      std::erase_if(*patches, [&](Patch& patch) { return !cut_patch(patch, digit, range); });
    }
    for (Twiddle::Term& term : chunk.twiddle.terms) {
      if (term.digit != digit || range.size() == 0) continue;
      term.values = Progression::make(term.values.at(range.begin), term.values.step, range.size());
    }
    result.push_back(std::move(chunk));
  }
  return result;
}

namespace {

/// Lays out the legs of one rank, one after the other.
class Layouter {
 public:
  Layouter(const Plan& plan, const Schedule& schedule, Index rank)
      : plan_(plan),
        rank_(rank),
        places_(plan, rank, schedule.in_place, output_capacity(plan, schedule.in_place, rank),
                workspace(plan, schedule, rank).main) {}

  void add(const Leg& leg) {
    if (leg.step == Leg::copy) {
      legs_.push_back(copy(leg));
    } else if (plan_.exchange_at(static_cast<std::size_t>(leg.step)) != nullptr) {
      legs_.push_back(exchange(leg));
    } else {
      legs_.push_back(sweep(leg));
      if (legs_.back().sweep.kernel != Kernel::none) last_computing_ = legs_.size() - 1;
    }
  }

  /// All of them. The last that computes applies the factor.
  std::vector<LegLayout> finish() && {
    if (last_computing_ < legs_.size()) legs_[last_computing_].scales = true;
    return std::move(legs_);
  }

 private:
  [[nodiscard]] LegLayout copy(const Leg& leg) const {
    LegLayout out;
    const Layout& layout = plan_.input();
    out.sources = places_.array(0, leg.from);
    out.targets = places_.array(0, leg.to);
    out.from_real = out.to_real = !plan_.states()[0].element.complex;
    out.local_shape = layout.local_shape(rank_);
    out.others = line_digits(layout, out.sweep, out.local_shape);
    return out;
  }

  [[nodiscard]] LegLayout exchange(const Leg& leg) const {
    const Site site{plan_, static_cast<std::size_t>(leg.step)};
    LegLayout out;
    out.from_real = !site.before().element.complex;
    out.to_real = !site.after().element.complex;
    out.is_exchange = true;
    out.step = leg.step;
    out.method = &method_of(site);
    out.drive = out.method->drive(site.exchange());
    out.hops = out.method->hops(places_, site, leg.from, leg.to);
    if (out.drive != Drive::pipelined) return out;
    out.sent_chunks = site.exchange().chunks.sent;
    out.taken_chunks = site.exchange().chunks.taken;
    if (out.sent_chunks == 1) {
      // The sweep before may be cut for an exchange before it.
      out.sent_chunks = static_cast<Index>(std::max<std::size_t>(1, legs_.back().bounds.size()));
      for (Parcel& parcel : out.hops.front().sends) parcel.turn.needs = out.sent_chunks;
    }
    return out;
  }

  [[nodiscard]] LegLayout sweep(const Leg& leg) const {
    const auto step = static_cast<std::size_t>(leg.step);
    const State& before = plan_.states()[step];
    LegLayout out;
    out.from_real = !before.element.complex;
    out.to_real = !plan_.states()[leg.last() + 1].element.complex;
    out.step = leg.step;
    out.sweep = std::get<Sweep>(plan_.steps()[step]);
    out.local_shape = before.layout.local_shape(rank_);
    out.others = line_digits(before.layout, out.sweep, out.local_shape);
    if (leg.steps == 2) {
      out.joined = std::get<Sweep>(plan_.steps()[leg.last()]);
      std::erase(out.others, out.joined->digit);
    }
    place(leg, out);
    cut(out, plan_, step, leg.last(), rank_);
    if (out.sweep.kernel == Kernel::none) return out;
    const bool joins_real = out.joined && out.joined->kernel == Kernel::real;
    out.length = positions_along(plan_, leg, joins_real ? *out.joined : out.sweep);
    // Position digits are the same before and behind, but for the one that is swept.
    if (out.sweep.kernel != Kernel::compare) {
      out.twiddle = twiddle_of(before, out.sweep.digit, rank_);
    }
    return out;
  }

  /// What a sweep reads and writes.
  void place(const Leg& leg, LegLayout& out) const {
    const auto step = static_cast<std::size_t>(leg.step);
    const std::size_t behind = leg.last() + 1;
    // Beside the exchange of k with n - k, the half spectrum is seen in rows.
    const std::optional<Mirror> unfolded = step > 0 ? mirror_at(out, step - 1) : std::nullopt;
    const std::optional<Mirror> folding = mirror_at(out, behind);
    if (unfolded || folding) {
      out.local_shape = (unfolded ? *unfolded : *folding).half_rows();
      out.others = {0, 1};
    }
    if (leg.source != Access::array) {
      const Site site{plan_, step - 1};
      out.sources = method_of(site).read(places_, site, leg.source, leg.from);
    } else {
      out.sources =
          folding ? places_.half_rows(step, *folding, leg.from) : places_.array(step, leg.from);
    }
    if (leg.target != Access::array) {
      const Site site{plan_, behind};
      out.targets = method_of(site).written(places_, site, leg.target, leg.to);
    } else {
      out.targets =
          unfolded ? places_.half_rows(behind, *unfolded, leg.to) : places_.array(behind, leg.to);
    }
  }

  /// Of the exchange at a step, where it is that of k with n - k and the sweep beside it copies.
  [[nodiscard]] std::optional<Mirror> mirror_at(const LegLayout& leg, std::size_t step) const {
    const Exchange* const exchange = plan_.exchange_at(step);
    if (leg.sweep.kernel != Kernel::none || exchange == nullptr || !exchange->mirrors()) {
      return std::nullopt;
    }
    return Mirror::between(plan_.states()[step], plan_.states()[step + 1]);
  }

  const Plan& plan_;
  Index rank_;
  BlockPlacer places_;
  std::vector<LegLayout> legs_;
  std::size_t last_computing_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::vector<LegLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank) {
  Layouter layouter(plan, schedule, rank);
  for (const Leg& leg : schedule.legs) layouter.add(leg);
  return std::move(layouter).finish();
}

}  // namespace kallima::exec

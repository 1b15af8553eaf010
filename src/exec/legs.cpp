// SPDX-License-Identifier: BSD-3-Clause
#include "exec/legs.hpp"

#include <algorithm>
#include <limits>

namespace kallima::exec {

namespace {

/// Strides of a dense array of these extents, in a memory order.
std::vector<Index> dense_strides(const std::vector<Progression>& places,
                                 const std::vector<int>& order) {
  std::vector<Index> strides(places.size());
  Index stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto a = static_cast<std::size_t>(order[i]);
    strides[a] = stride;
    stride *= places[a].count;
  }
  return strides;
}

/// The pieces of an exchange on one side, packed into the area they are assigned to.
struct Packed {
  std::vector<Patch> patches;   // all, own one included
  std::vector<Parcel> parcels;  // parallel to patches
};

class Builder {
 public:
  Builder(const Plan& plan, const Schedule& schedule, Index rank)
      : plan_(plan),
        rank_(rank),
        capacity_(output_capacity(plan, schedule.in_place, rank)),
        spill_at_(workspace(plan, schedule, rank).main) {}

  /// The whole local array of a state, in one block.
  [[nodiscard]] std::vector<Patch> natural(std::size_t state, Area area) const {
    const Layout& layout = plan_.states()[state].layout;
    const Index size = layout.local_size(rank_);
    if (size == 0) return {};
    Patch patch;
    patch.area = area;
    patch.owner = rank_;
    if (area == Area::output && size > capacity_) {
      patch.area = Area::workspace;
      patch.offset = spill_at_;
    }
    for (const Index count : layout.local_shape(rank_)) {
      patch.places.push_back(Progression::make(0, 1, count));
    }
    patch.strides = layout.local_strides(rank_);
    return {patch};
  }

  /// What this rank holds of `mine`, where it lies in the windows of the ranks that hold `theirs`.
  [[nodiscard]] std::vector<Patch> in_windows(const Layout& mine, const Layout& theirs,
                                              Area area) const {
    std::vector<Patch> patches;
    for (const Piece& piece : pieces(mine, theirs, rank_)) {
      Patch patch;
      patch.area = area;
      patch.owner = piece.peer;
      patch.places = piece.places;
      const std::vector<Index> strides = theirs.local_strides(piece.peer);
      for (std::size_t d = 0; d < strides.size(); ++d) {
        const Progression held = theirs.part(piece.peer, d);
        const Progression at = places(held, intersect(mine.part(rank_, d), held));
        patch.offset += at.first * strides[d];
        patch.strides.push_back(at.step * strides[d]);
      }
      patches.push_back(std::move(patch));
    }
    return patches;
  }

  /// The same, where each of them packed its pieces for an exchange.
  [[nodiscard]] std::vector<Patch> packed_in_windows(const Layout& mine, const Layout& theirs,
                                                     const Exchange& exchange, Area area) const {
    std::vector<Patch> patches;
    for (const Piece& piece : pieces(mine, theirs, rank_)) {
      Patch patch;
      patch.area = area;
      patch.owner = piece.peer;
      for (const Piece& sent : pieces(theirs, mine, piece.peer)) {
        if (sent.peer == rank_) break;
        patch.offset += sent.size;
      }
      patch.places = piece.places;
      patch.strides = dense_strides(piece.places, exchange.to.order());
      patches.push_back(std::move(patch));
    }
    return patches;
  }

  /// Pieces that `rank` holding `mine` shares with `theirs`, one behind the other by peer, in the
  /// memory order of the exchange's target.
  [[nodiscard]] Packed packed(const Layout& mine, const Layout& theirs, const Exchange& exchange,
                              Area area) const {
    Packed result;
    const Index total = mine.local_size(rank_);
    // Alltoallv wants one block of memory; messages may spill piece by piece.
    const bool whole_spills =
        area == Area::output && exchange.route == Route::alltoallv && total > capacity_;
    Index at = 0;
    Index spilled = 0;
    bool spilling = whole_spills;
    for (const Piece& piece : pieces(mine, theirs, rank_)) {
      if (area == Area::output && at + piece.size > capacity_) spilling = true;
      Patch patch;
      patch.area = spilling ? Area::workspace : area;
      patch.owner = rank_;
      patch.offset = spilling ? spill_at_ + spilled : at;
      (spilling ? spilled : at) += piece.size;
      patch.places = piece.places;
      patch.strides = dense_strides(piece.places, exchange.to.order());
      result.parcels.push_back({piece.peer, patch.area, patch.offset, piece.size});
      result.patches.push_back(std::move(patch));
    }
    return result;
  }

 private:
  const Plan& plan_;
  Index rank_;
  Index capacity_;
  Index spill_at_;
};

std::vector<Parcel> in_rounds(const std::vector<Parcel>& parcels, Index rank, Index ranks,
                              bool sending) {
  std::vector<Parcel> result;
  std::copy_if(parcels.begin(), parcels.end(), std::back_inserter(result),
               [&](const Parcel& parcel) { return parcel.peer != rank; });
  const auto round = [&](const Parcel& parcel) {
    return sending ? transport::round_of(rank, parcel.peer, ranks)
                   : transport::round_of(parcel.peer, rank, ranks);
  };
  std::sort(result.begin(), result.end(),
            [&](const Parcel& a, const Parcel& b) { return round(a) < round(b); });
  return result;
}

/// What changes owner between this rank and others, wherever it lies: for the count alone.
std::vector<Parcel> moved_pieces(const Layout& mine, const Layout& theirs, Index rank) {
  std::vector<Parcel> parcels;
  for (const Piece& piece : pieces(mine, theirs, rank)) {
    if (piece.peer != rank) parcels.push_back({piece.peer, Area::window, 0, piece.size});
  }
  return parcels;
}

Parcel own(const std::vector<Parcel>& parcels, Index rank) {
  for (const Parcel& parcel : parcels) {
    if (parcel.peer == rank) return parcel;
  }
  return {};
}

/// Digits beside the swept one, slowest in memory first.
/// Digits of one place come first, so that runs of lines are long.
std::vector<int> line_digits(const Layout& layout, const Sweep& sweep, const Shape& local_shape) {
  std::vector<int> others = layout.order();
  if (sweep.kernel != Kernel::none) std::erase(others, sweep.digit);
  std::stable_partition(others.begin(), others.end(), [&](int digit) {
    return local_shape[static_cast<std::size_t>(digit)] == 1;
  });
  return others;
}

Twiddle twiddle_of(const State& state, int swept, Index rank) {
  Twiddle twiddle;
  twiddle.modulus = state.twiddle_modulus(swept);
  for (const int digit : state.twiddle_digits(swept)) {
    const auto at = static_cast<std::size_t>(digit);
    twiddle.terms.push_back({at, state.layout.part(rank, at), state.digits[at].weight});
  }
  return twiddle;
}

}  // namespace

std::vector<LegLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank) {
  const Builder builder(plan, schedule, rank);
  const auto exchange_at = [&](std::size_t step) -> const Exchange& {
    return std::get<Exchange>(plan.steps()[step]);
  };
  const auto layout_at = [&](std::size_t state) -> const Layout& {
    return plan.states()[state].layout;
  };
  std::vector<LegLayout> legs;
  std::size_t last_computing = std::numeric_limits<std::size_t>::max();
  for (const Leg& leg : schedule.legs) {
    LegLayout out;
    if (leg.step == Leg::copy) {
      out.sources = builder.natural(0, leg.from);
      out.targets = builder.natural(0, leg.to);
      out.local_shape = layout_at(0).local_shape(rank);
      out.others = line_digits(layout_at(0), out.sweep, out.local_shape);
      legs.push_back(std::move(out));
      continue;
    }
    const auto step = static_cast<std::size_t>(leg.step);
    const std::size_t last = leg.last();
    const Layout& before = layout_at(step);
    const Layout& after = layout_at(last + 1);
    if (std::holds_alternative<Exchange>(plan.steps()[step])) {
      const Exchange& exchange = exchange_at(step);
      if (leg.meets) {
        out.is_exchange = true;
        out.route = exchange.route;
        out.sends = moved_pieces(before, after, rank);
        out.receives = moved_pieces(after, before, rank);
        legs.push_back(std::move(out));
        continue;
      }
      const Packed sent = builder.packed(before, after, exchange, leg.from);
      const Packed received = builder.packed(after, before, exchange, leg.to);
      out.is_exchange = true;
      out.route = exchange.route;
      out.sends = in_rounds(sent.parcels, rank, plan.ranks(), true);
      out.receives = in_rounds(received.parcels, rank, plan.ranks(), false);
      out.kept_from = own(sent.parcels, rank);
      out.kept_to = own(received.parcels, rank);
      legs.push_back(std::move(out));
      continue;
    }
    out.sweep = std::get<Sweep>(plan.steps()[step]);
    out.local_shape = before.local_shape(rank);
    out.others = line_digits(before, out.sweep, out.local_shape);
    if (leg.steps == 2) {
      out.joined = std::get<Sweep>(plan.steps()[last]);
      std::erase(out.others, out.joined->digit);
    }
    out.sources =
        leg.pulls && leg.gathers ? builder.packed_in_windows(before, layout_at(step - 1),
                                                             exchange_at(step - 1), leg.from)
        : leg.pulls              ? builder.in_windows(before, layout_at(step - 1), leg.from)
        : leg.gathers
            ? builder.packed(before, layout_at(step - 1), exchange_at(step - 1), leg.from).patches
            : builder.natural(step, leg.from);
    out.targets =
        leg.pushes ? builder.in_windows(after, layout_at(last + 2), leg.to)
        : leg.scatters
            ? builder.packed(after, layout_at(last + 2), exchange_at(last + 1), leg.to).patches
            : builder.natural(last + 1, leg.to);
    if (out.sweep.kernel != Kernel::none) {
      last_computing = legs.size();
      // Position digits are the same before and behind, but for the one that is swept.
      out.twiddle = twiddle_of(plan.states()[step], out.sweep.digit, rank);
    }
    legs.push_back(std::move(out));
  }
  if (last_computing < legs.size()) legs[last_computing].scales = true;
  return legs;
}

}  // namespace kallima::exec

// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/blocks.hpp"

#include <algorithm>

namespace kallima {

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

namespace {

/// Elements that take the room of a complex one.
Index unit_of(const Element& element) { return element.complex ? 1 : 2; }

}  // namespace

Index BlockPlacer::capacity(const State& state) const { return unit_of(state.element) * capacity_; }

Index BlockPlacer::spill_at(const State& state) const { return unit_of(state.element) * spill_at_; }

std::vector<Patch> BlockPlacer::array(std::size_t state, Area area) const {
  const State& at = plan_.states()[state];
  const Layout& layout = at.layout;
  const Index size = layout.room(rank_);
  if (size == 0) return {};
  Patch patch;
  patch.area = area;
  patch.owner = rank_;
  if (area == Area::output && !is_users(state) && size > capacity(at)) {
    patch.area = Area::workspace;
    patch.offset = spill_at(at);
  }
  for (const Index count : layout.local_shape(rank_)) {
    patch.places.push_back(Progression::make(0, 1, count));
  }
  patch.strides = layout.local_strides(rank_);
  return {patch};
}

std::vector<Patch> BlockPlacer::half_rows(std::size_t state, const Mirror& mirror,
                                          Area area) const {
  std::vector<Patch> patches = array(state, area);
  for (Patch& patch : patches) {
    const Shape rows = mirror.half_rows();
    patch.places = {Progression::make(0, 1, rows[0]), Progression::make(0, 1, rows[1])};
    patch.strides = {rows[1], 1};
  }
  return patches;
}

Packed BlockPlacer::packed(const Site& site, bool sending, Area area, bool in_one_block,
                           const std::optional<Area>& home) const {
  Packed result;
  const State& mine = site.mine(sending);
  const Index most = capacity(mine);
  Index at = 0;
  Index spilled = 0;
  bool spilling = area == Area::output && in_one_block && mine.layout.local_size(rank_) > most;
  for (const Cut& cut : cuts(site, sending, rank_)) {
    if (area == Area::output && at + cut.size > most) spilling = true;
    const Area where = spilling ? Area::workspace : area;
    const Index begin = spilling ? spill_at(mine) + spilled : at;
    (spilling ? spilled : at) += cut.size;
    for (const CutPart& part : cut.parts) {
      add_part(result.patches, part, {where, rank_, part.conjugated, begin, {}, {}}, home,
               in_digits(sending ? site.step : site.step + 1));
    }
    result.parcels.push_back({cut.peer, where, begin, cut.size, !mine.element.complex});
  }
  return result;
}

bool BlockPlacer::is_users(std::size_t state) const {
  const auto regroups = [](const Step& step) { return std::holds_alternative<Regroup>(step); };
  const auto at = plan_.steps().begin() + static_cast<std::ptrdiff_t>(state);
  return std::all_of(plan_.steps().begin(), at, regroups) ||
         std::all_of(at, plan_.steps().end(), regroups);
}

std::vector<Cut> cuts(const Site& site, bool sending, Index rank) {
  const Exchange& exchange = site.exchange();
  if (exchange.mirrors()) {
    const Mirror mirror = Mirror::between(site.before(), site.after());
    const bool folding = folds(site.before(), site.after());
    return folding == sending ? mirror.half_side(rank) : mirror.split_side(rank, folding);
  }
  std::vector<Cut> result;
  for (const Piece& piece : pieces(site.mine(sending).layout, site.theirs(sending).layout, rank)) {
    CutPart whole;
    whole.places = piece.places;
    whole.in_parcel.strides = dense_strides(piece.places, exchange.to.order());
    result.push_back({piece.peer, piece.size, {}});
    result.back().parts.push_back(std::move(whole));
  }
  return result;
}

void add_part(std::vector<Patch>& patches, const CutPart& part, const Patch& parcel,
              const std::optional<Area>& home, bool split_side) {
  Patch patch = parcel;
  patch.places = part.places;
  if (home && part.home) {
    if (!split_side) return;
    patch.area = *home;
    patch.offset = part.home->offset;
    patch.strides = part.home->strides;
  } else {
    patch.offset += part.in_parcel.offset;
    patch.strides = part.in_parcel.strides;
  }
  patches.push_back(std::move(patch));
}

namespace {

std::vector<Parcel> in_rounds(const std::vector<Parcel>& parcels, Index rank, Index ranks,
                              bool sending) {
  std::vector<Parcel> result;
  std::copy_if(parcels.begin(), parcels.end(), std::back_inserter(result),
               [&](const Parcel& parcel) { return parcel.peer != rank; });
  const auto round = [&](const Parcel& parcel) {
    return sending ? round_of(rank, parcel.peer, ranks) : round_of(parcel.peer, rank, ranks);
  };
  std::sort(result.begin(), result.end(),
            [&](const Parcel& a, const Parcel& b) { return round(a) < round(b); });
  return result;
}

}  // namespace

Hop in_one_hop(const Packed& sent, const Packed& received, Index rank, Index ranks) {
  Hop hop;
  hop.sends = in_rounds(sent.parcels, rank, ranks, true);
  hop.receives = in_rounds(received.parcels, rank, ranks, false);
  const auto own = [&](const Parcel& parcel) { return parcel.peer == rank; };
  const auto from = std::find_if(sent.parcels.begin(), sent.parcels.end(), own);
  const auto to = std::find_if(received.parcels.begin(), received.parcels.end(), own);
  if (from != sent.parcels.end()) hop.kept.push_back({*from, *to});
  return hop;
}

}  // namespace kallima

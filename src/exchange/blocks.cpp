// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/blocks.hpp"

#include <algorithm>

#include "exchange/packing.hpp"
#include "layout/pieces.hpp"

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

std::vector<StridedBlock> BlockPlacer::array(std::size_t state, Area area) const {
  const State& at = plan_.states()[state];
  const Layout& layout = at.layout;
  const Index size = layout.allocated_size(rank_);
  if (size == 0) return {};
  if (layout.several_boxes()) return boxes(state, area);
  StridedBlock block;
  block.area = area;
  block.owner = rank_;
  block.offset = layout.first_offset(rank_);
  if (area == Area::output && !is_users(state) && size > capacity(at)) {
    block.area = Area::workspace;
    block.offset = spill_at(at);
  }
  for (const Index count : layout.local_shape(rank_)) {
    block.places.push_back(Progression::make(0, 1, count));
  }
  block.strides = layout.local_strides(rank_);
  const bool given = is_users(state) && (area == Area::input || area == Area::output);
  if (arrays_.separate_fields && given) return fields(state, block);
  return {block};
}

/// Axis 0 is slowest in memory and has no margins, so all fields are alike.
std::vector<StridedBlock> BlockPlacer::fields(std::size_t state, const StridedBlock& all) const {
  const std::vector<Digit>& digits = plan_.states()[state].digits;
  const auto batch = std::find_if(digits.begin(), digits.end(),
                                  [](const Digit& digit) { return digit.axis == 0; });
  const auto at = static_cast<std::size_t>(batch - digits.begin());
  std::vector<StridedBlock> result;
  for (Index field = 0; field < all.places[at].count; ++field) {
    StridedBlock block = all;
    block.owner = field;
    block.places[at] = Progression::make(field, 1, 1);
    result.push_back(std::move(block));
  }
  return result;
}

std::vector<StridedBlock> BlockPlacer::boxes(std::size_t state, Area area) const {
  const State& at = plan_.states()[state];
  const bool spills =
      area == Area::output && !is_users(state) && at.layout.allocated_size(rank_) > capacity(at);
  std::vector<StridedBlock> result;
  for (LocalPart& part : at.layout.parts(rank_)) {
    StridedBlock block;
    block.area = spills ? Area::workspace : area;
    block.owner = rank_;
    block.offset = part.offset + (spills ? spill_at(at) : 0);
    block.places = std::move(part.indices);
    block.strides = std::move(part.strides);
    result.push_back(std::move(block));
  }
  return result;
}

std::vector<StridedBlock> BlockPlacer::half_rows(std::size_t state,
                                                 const HermitianExchange& hermitian,
                                                 Area area) const {
  std::vector<StridedBlock> blocks = array(state, area);
  for (StridedBlock& block : blocks) {
    const Shape rows = hermitian.half_rows();
    block.places = {Progression::make(0, 1, rows[0]), Progression::make(0, 1, rows[1])};
    block.strides = {rows[1], 1};
  }
  return blocks;
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
      add_part(result.blocks, part, {where, rank_, part.conjugated, begin, {}, {}}, home,
               in_digits(sending ? site.step : site.step + 1));
    }
    result.slices.push_back({cut.peer, where, begin, cut.size, !mine.element.complex});
  }
  return result;
}

bool BlockPlacer::is_users(std::size_t state) const {
  const auto regroups = [](const Step& step) { return std::holds_alternative<Regroup>(step); };
  const auto at = plan_.steps().begin() + static_cast<std::ptrdiff_t>(state);
  return std::all_of(plan_.steps().begin(), at, regroups) ||
         std::all_of(at, plan_.steps().end(), regroups);
}

namespace {

/// Of ranks that may have several boxes: a message has a part for each pair of boxes. Places on a
/// side of boxes are indices of the whole array.
std::vector<Cut> cuts_of_boxes(const Site& site, bool sending, Index rank) {
  const Layout& mine = site.mine(sending).layout;
  const std::vector<Progression> held =
      mine.several_boxes() ? std::vector<Progression>() : mine.local_indices(rank);
  std::vector<Cut> result;
  for (BoxPiece& piece : box_pieces(mine, site.theirs(sending).layout, rank, sending)) {
    if (result.empty() || result.back().peer != piece.peer) result.push_back({piece.peer, 0, {}});
    Cut& cut = result.back();
    CutPart part;
    part.in_message.offset = cut.size;
    part.in_message.strides = dense_strides(piece.indices, site.exchange().to.order());
    part.places = std::move(piece.indices);
    for (std::size_t a = 0; a < held.size(); ++a) part.places[a] = places(held[a], part.places[a]);
    cut.size += piece.size;
    cut.parts.push_back(std::move(part));
  }
  return result;
}

}  // namespace

std::vector<Cut> cuts(const Site& site, bool sending, Index rank) {
  const Exchange& exchange = site.exchange();
  if (exchange.hermitian()) {
    const HermitianExchange hermitian = HermitianExchange::between(site.before(), site.after());
    const bool splitting = to_split_axis(site.before(), site.after());
    return splitting == sending ? hermitian.half_side(rank) : hermitian.split_side(rank, splitting);
  }
  if (site.several_boxes()) return cuts_of_boxes(site, sending, rank);
  const Packing packing = packing_at(site);
  std::vector<Cut> result;
  for (const Piece& piece : pieces(site.mine(sending).layout, site.theirs(sending).layout, rank)) {
    result.push_back({piece.peer, piece.size, packed_parts(piece.places, packing)});
  }
  return result;
}

void add_part(std::vector<StridedBlock>& blocks, const CutPart& part, const StridedBlock& slice,
              const std::optional<Area>& home, bool split_side) {
  StridedBlock block = slice;
  block.places = part.places;
  if (home && part.home) {
    if (!split_side) return;
    block.area = *home;
    block.offset = part.home->offset;
    block.strides = part.home->strides;
  } else {
    block.offset += part.in_message.offset;
    block.strides = part.in_message.strides;
    block.panels = part.in_message.panels;
  }
  blocks.push_back(std::move(block));
}

namespace {

/// Peers, in order.
template <class Peers>
std::vector<Index> ranks_of(const Peers& peers) {
  std::vector<Index> result;
  for (const auto& each : peers) result.push_back(each.peer);
  std::sort(result.begin(), result.end());
  return result;
}

Index number_among(const std::vector<Index>& ranks, Index rank) {
  return std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
}

/// What goes to others or comes from them, in rounds. Those who send to the same ranks, as in a row
/// or a column of a process grid, are numbered among themselves, and so are these ranks.
std::vector<MessageSlice> in_rounds(const std::vector<MessageSlice>& slices, const Site& site,
                                    Index rank, bool sending) {
  if (slices.empty()) return {};
  const std::vector<Index> peers = ranks_of(slices);
  const std::vector<Index> alike = ranks_of(cuts(site, !sending, peers.front()));
  const PeerOrder order(std::max(std::ssize(peers), std::ssize(alike)),
                        sending ? alike.front() : peers.front());
  const Index mine = number_among(alike, rank);
  const auto round = [&](const MessageSlice& slice) {
    const Index theirs = number_among(peers, slice.peer);
    return sending ? order.round_of(mine, theirs) : order.round_of(theirs, mine);
  };
  std::vector<MessageSlice> result;
  std::copy_if(slices.begin(), slices.end(), std::back_inserter(result),
               [&](const MessageSlice& slice) { return slice.peer != rank; });
  std::sort(result.begin(), result.end(),
            [&](const MessageSlice& a, const MessageSlice& b) { return round(a) < round(b); });
  return result;
}

}  // namespace

Round in_one_round(const Packed& sent, const Packed& received, const Site& site, Index rank) {
  Round round;
  round.sends = in_rounds(sent.slices, site, rank, true);
  round.receives = in_rounds(received.slices, site, rank, false);
  const auto own = [&](const MessageSlice& slice) { return slice.peer == rank; };
  const auto from = std::find_if(sent.slices.begin(), sent.slices.end(), own);
  const auto to = std::find_if(received.slices.begin(), received.slices.end(), own);
  if (from != sent.slices.end()) round.kept.push_back({*from, *to});
  return round;
}

}  // namespace kallima

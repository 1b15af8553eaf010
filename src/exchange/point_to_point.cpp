// SPDX-License-Identifier: BSD-3-Clause
//
// A message per pair of ranks: all in one round of pairs after the other, or pipelined, in parts
// that leave as soon as a chunk of the sweep before is computed (chunks.hpp).
#include <algorithm>

#include "exchange/chunks.hpp"
#include "exchange/methods.hpp"
#include "exchange/piece_parts.hpp"

namespace kallima {

namespace {

/// Room for the lanes of a pipelined exchange. Where all ranks hold the same, a bound that does
/// without listing parts.
class LaneSizes final : public BufferSizes {
 public:
  explicit LaneSizes(const Site& site) : site_(site) {
    if (uniform(site.plan)) {
      largest_part_ = PartBegins(site.plan, site.step).largest();
    } else {
      rooms_.emplace(site.plan, site.step);
    }
  }

  [[nodiscard]] BufferRoom of(Index rank) const override {
    const LaneRoom room = rooms_ ? rooms_->of(rank) : bound(rank);
    const Element& element = site_.before().element;
    return {in_complex(room.all, element), in_complex(room.largest, element)};
  }
  [[nodiscard]] bool by_both_sides() const override { return true; }

 private:
  [[nodiscard]] LaneRoom bound(Index rank) const {
    const auto with_part = [&](Index size) {
      return size + 1 + static_cast<Index>(largest_part_ * static_cast<double>(size));
    };
    return {with_part(site_.before().layout.local_size(rank)),
            with_part(site_.exchange().traffic.largest_message)};
  }

  Site site_;
  double largest_part_ = 1.;        // over the message, where all ranks hold the same
  std::optional<LaneRooms> rooms_;  // where they do not
};

/// Where lanes begin, in elements: one behind the other in their area; from the first on that an
/// output of this capacity has no room for, behind the workspace.
struct Placed {
  bool spills = false;
  Index begin = 0;
};

std::vector<Placed> placed_lanes(const std::vector<Lane>& lanes, bool in_output, Index capacity) {
  std::vector<Placed> result;
  Index at = 0;
  Index spilled = 0;
  bool spills = false;
  for (const Lane& lane : lanes) {
    spills = spills || (in_output && at + lane.room() > capacity);
    Index& next = spills ? spilled : at;
    result.push_back({spills, next});
    next += lane.room();
  }
  return result;
}

/// A parcel that is one of the parts of a message.
struct NumberedParcel {
  std::size_t part = 0;
  Parcel parcel;
};

/// By part, and of each part in the order in which ranks take their peers.
std::vector<Parcel> in_turns(std::vector<NumberedParcel> parcels, Index rank, Index ranks,
                             bool sending) {
  const auto turn = [&](const Parcel& parcel) {
    return sending ? turn_of(rank, parcel.peer, ranks) : turn_of(parcel.peer, rank, ranks);
  };
  std::sort(parcels.begin(), parcels.end(), [&](const NumberedParcel& a, const NumberedParcel& b) {
    return a.part != b.part ? a.part < b.part : turn(a.parcel) < turn(b.parcel);
  });
  std::vector<Parcel> result;
  for (const NumberedParcel& numbered : parcels) result.push_back(numbered.parcel);
  return result;
}

/// Pieces that a rank sends or receives in a pipelined exchange, part by part in their lanes.
/// Parcels are in the order in which they go or come.
Packed in_lanes(const BlockPlacer& at, const Site& site, bool sending, Area area) {
  const Index rank = at.rank();
  const State& before = site.before();
  const PieceParts parts(site);
  const std::vector<Lane> all = lanes(site.plan, site.step, rank);
  const std::vector<Placed> placed = placed_lanes(all, area == Area::output, at.capacity(before));
  std::vector<NumberedParcel> parcels;
  Packed result;
  std::size_t i = 0;  // lanes and pieces are both in the order of peers
  for (const Piece& piece : pieces(site.mine(sending).layout, site.theirs(sending).layout, rank)) {
    while (all[i].peer != piece.peer) ++i;
    const Lane& lane = all[i];
    Patch patch;
    patch.area = placed[i].spills ? Area::workspace : area;
    patch.owner = rank;
    patch.places = piece.places;
    const Index base = placed[i].begin + (placed[i].spills ? at.spill_at(before) : 0);
    if (lane.peer == rank) {
      result.patches.push_back(parts.whole(patch, base));
      continue;
    }
    const Between between{sending ? rank : lane.peer, sending ? lane.peer : rank};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Index begin = base + lane.begin(p, sending);
      result.patches.push_back(parts.cut(patch, p, between, begin));
      parcels.push_back({p,
                         {lane.peer, patch.area, begin, lane.size(p, sending),
                          !before.element.complex, parts.turn(lane, i, p, sending), rank}});
    }
  }
  result.parcels = in_turns(std::move(parcels), rank, site.plan.ranks(), sending);
  return result;
}

class PointToPoint final : public Method {
 public:
  [[nodiscard]] bool chunks() const override { return true; }
  [[nodiscard]] bool considered(Index ranks, const Placement& placement,
                                const Machine& /*machine*/) const override {
    return ranks > 1 || placement.ranks_per_node < 1;
  }
  [[nodiscard]] std::unique_ptr<BufferSizes> sizes(const Site& site, bool sending) const override {
    if (!site.exchange().pipelined()) return Method::sizes(site, sending);
    if (sending) return nullptr;
    return std::make_unique<LaneSizes>(site);
  }
  [[nodiscard]] std::vector<Patch> written(const BlockPlacer& at, const Site& site, Access access,
                                           Area area) const override {
    if (!site.exchange().pipelined()) return Method::written(at, site, access, area);
    return in_lanes(at, site, true, area).patches;
  }
  [[nodiscard]] std::vector<Patch> read(const BlockPlacer& at, const Site& site, Access access,
                                        Area area) const override {
    if (!site.exchange().pipelined()) return Method::read(at, site, access, area);
    return in_lanes(at, site, false, area).patches;
  }
  [[nodiscard]] std::vector<Hop> hops(const BlockPlacer& at, const Site& site, Area from,
                                      Area to) const override {
    if (!site.exchange().pipelined()) return Method::hops(at, site, from, to);
    return {{{}, in_lanes(at, site, true, from).parcels, in_lanes(at, site, false, to).parcels}};
  }
  [[nodiscard]] const char* phase() const override { return "exchange by point-to-point messages"; }
};

}  // namespace

const Method& point_to_point_method() {
  static const PointToPoint method;
  return method;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "layout/halo.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kallima/error.hpp"

namespace kallima {

namespace {

/// A range of places along one axis of a rank's array, and the indices that it stands for.
struct Segment {
  Index low = 0;    // from the first own element on
  Index first = 0;  // index of its first element
  Index count = 0;
  bool own = false;
};

/// Own elements and what lies beside them, cut where indices go round the end of the axis.
std::vector<Segment> segments_along(const Progression& part, Index n, const Margin& width,
                                    bool periodic) {
  std::vector<Segment> result;
  const auto add = [&](Index begin, Index end) {  // places
    while (begin < end) {
      const Index index = part.first + begin;
      const Index wrapped = ((index % n) + n) % n;
      const Index count = std::min(end - begin, n - wrapped);
      if (periodic || index == wrapped) result.push_back({begin, wrapped, count, false});
      begin += count;
    }
  };
  add(-width.below, 0);
  result.push_back({0, part.first, part.count, true});
  add(part.count, part.count + width.above);
  return result;
}

/// A product of segments.
struct Wanted {
  HaloBox box;
  Shape first;  // index of its first element
};

/// What the margins of a rank stand for.
std::vector<Wanted> wanted_by(const Layout& layout, const std::vector<Margin>& widths,
                              const std::vector<bool>& periodic, Index rank) {
  std::vector<Wanted> result;
  if (layout.local_size(rank) == 0) return result;
  std::vector<std::vector<Segment>> along;
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    along.push_back(
        segments_along(layout.local_indices(rank, a), layout.shape()[a], widths[a], periodic[a]));
  }
  std::vector<std::size_t> at(layout.axes(), 0);
  for (;;) {
    Wanted wanted;
    bool own = true;
    for (std::size_t a = 0; a < at.size(); ++a) {
      const Segment& segment = along[a][at[a]];
      wanted.box.low.push_back(segment.low);
      wanted.box.count.push_back(segment.count);
      wanted.first.push_back(segment.first);
      own = own && segment.own;
    }
    if (!own) result.push_back(std::move(wanted));
    std::size_t a = at.size();
    while (a > 0 && ++at[a - 1] == along[a - 1].size()) at[--a] = 0;
    if (a == 0) return result;
  }
}

/// What of a box one rank holds: in the array of who wants it, and in the holder's own.
struct HeldOfWanted {
  HaloBox wanted;
  HaloBox held;
  Index elements = 1;
};

HeldOfWanted held_of(const Wanted& wanted, const Layout& layout, Index holder) {
  HeldOfWanted common;
  for (std::size_t a = 0; a < layout.axes() && common.elements > 0; ++a) {
    const Progression part = layout.local_indices(holder, a);
    const Index begin = std::max(wanted.first[a], part.first);
    const Index end = std::min(wanted.first[a] + wanted.box.count[a], part.first + part.count);
    common.elements *= std::max<Index>(0, end - begin);
    common.wanted.low.push_back(wanted.box.low[a] + begin - wanted.first[a]);
    common.wanted.count.push_back(end - begin);
    common.held.low.push_back(begin - part.first);
    common.held.count.push_back(end - begin);
  }
  return common;
}

}  // namespace

void validate_halo(const Layout& layout, const std::vector<Margin>& widths,
                   const std::vector<bool>& periodic) {
  const std::vector<std::string> names = axis_names(layout.axes());
  if (widths.size() != layout.axes() || periodic.size() != layout.axes()) {
    throw InvalidOption(fmt::format("{} widths and {} periodic axes for {} axes; give one per axis",
                                    widths.size(), periodic.size(), layout.axes()));
  }
  if (layout.several_boxes()) {
    throw InvalidLayout("a halo of ranks with several boxes; give each rank one");
  }
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    if (layout.is_grid() && layout.axis(a).procs > 1 && layout.axis(a).cycle > 1) {
      throw InvalidLayout(fmt::format(
          "axis {} of '{}' is cyclic, so what lies beside a rank's part is not its neighbour's; "
          "distribute it in blocks",
          names[a], layout.summary()));
    }
    const Margin has = layout.margin(a);
    if (widths[a].below < 0 || widths[a].above < 0 || widths[a].below > has.below ||
        widths[a].above > has.above) {
      throw InvalidLayout(
          fmt::format("a halo of {} below and {} above along axis {}, and margins of {} and {}; "
                      "make the margins "
                      "of the layout at least as wide",
                      widths[a].below, widths[a].above, names[a], has.below, has.above));
    }
  }
}

HaloPieces halo_pieces(const Layout& layout, const std::vector<Margin>& widths,
                       const std::vector<bool>& periodic, Index rank) {
  HaloPieces pieces;
  const auto add = [](std::vector<HaloPeer>& peers, Index peer, const HaloBox& box,
                      Index elements) {
    if (peers.empty() || peers.back().rank != peer) peers.push_back({peer, 0, {}});
    peers.back().elements += elements;
    peers.back().boxes.push_back(box);
  };
  const std::vector<Wanted> mine = wanted_by(layout, widths, periodic, rank);
  for (Index peer = 0; peer < layout.ranks(); ++peer) {
    if (layout.local_size(peer) == 0) continue;
    for (const Wanted& wanted : mine) {
      const HeldOfWanted common = held_of(wanted, layout, peer);
      if (common.elements == 0) continue;
      if (peer == rank) {
        pieces.kept.push_back({common.held, common.wanted});
      } else {
        add(pieces.receives, peer, common.wanted, common.elements);
      }
    }
    if (peer == rank || layout.local_size(rank) == 0) continue;
    for (const Wanted& wanted : wanted_by(layout, widths, periodic, peer)) {
      const HeldOfWanted common = held_of(wanted, layout, rank);
      if (common.elements > 0) add(pieces.sends, peer, common.held, common.elements);
    }
  }
  return pieces;
}

}  // namespace kallima

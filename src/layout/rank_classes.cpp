// SPDX-License-Identifier: BSD-3-Clause
#include "layout/rank_classes.hpp"

#include <algorithm>
#include <map>

namespace kallima {

namespace {

/// First coordinate from `begin` on, below `end`, that holds less than `begin` does. Sizes do not
/// grow in between.
Index first_smaller(const Axis& axis, Index begin, Index end) {
  const Index size = axis.size(begin);
  Index low = begin;
  while (low + 1 < end) {
    const Index middle = low + (end - low) / 2;
    (axis.size(middle) == size ? low : end) = middle;
  }
  return end;
}

/// Values of a layout by rank: for a grid one track per axis of uneven parts, and one that says
/// whether there is a part at all; for boxes one track.
class LayoutTracks {
 public:
  LayoutTracks(const Layout& layout, std::vector<Track>& tracks) {
    if (!layout.is_grid()) {
      add_boxes(layout, tracks);
      return;
    }
    Track present;
    present.end = layout.ranks();
    tracks.push_back(present);
    values_.push_back({1});
    for (std::size_t a = 0; a < layout.axes(); ++a) {
      const Axis& axis = layout.axis(a);
      Track track = size_track(axis, layout.ranks());
      if (track.begins.size() == 1) continue;
      values_.emplace_back();
      for (const Index coord : track.begins) values_.back().push_back(axis.size(coord));
      tracks.push_back(std::move(track));
    }
  }

  /// By track and place.
  [[nodiscard]] const std::vector<std::vector<Index>>& values() const { return values_; }

 private:
  void add_boxes(const Layout& layout, std::vector<Track>& tracks) {
    std::map<Shape, Index> numbers;
    Track track;
    track.begins.clear();
    track.procs = track.end = layout.ranks();
    values_.emplace_back();
    for (Index rank = 0; rank < layout.ranks(); ++rank) {
      const auto next = static_cast<Index>(numbers.size());
      const Index number = numbers.emplace(layout.local_shape(rank), next).first->second;
      if (rank > 0 && values_.back().back() == number) continue;
      track.begins.push_back(rank);
      values_.back().push_back(number);
    }
    tracks.push_back(std::move(track));
  }

  std::vector<std::vector<Index>> values_;
};

}  // namespace

Track size_track(const Axis& axis, Index ranks) {
  Track track;
  track.stride = axis.rank_stride;
  track.end = ranks;
  track.procs = axis.procs;
  if (axis.even()) return track;
  // Within a group, and where each has one coordinate from group to group, sizes do not grow.
  const Index run = axis.cycle == 1 ? axis.procs : axis.cycle;
  for (Index begin = 0; begin < axis.procs;) {
    if (begin > 0 && axis.size(begin) != axis.size(begin - 1)) track.begins.push_back(begin);
    begin = first_smaller(axis, begin, (begin / run + 1) * run);
  }
  return track;
}

Track coord_track(const Axis& axis, Index ranks) {
  Track track;
  track.stride = axis.rank_stride;
  track.end = ranks;
  track.procs = axis.procs;
  for (Index coord = 1; coord < axis.procs; ++coord) track.begins.push_back(coord);
  return track;
}

std::vector<RankClass> rank_classes(
    const std::vector<std::reference_wrapper<const Layout>>& layouts, Index ranks) {
  std::vector<Track> tracks;
  std::vector<std::vector<Index>> values;  // by track and place
  for (const Layout& layout : layouts) {
    const LayoutTracks of(layout, tracks);
    values.insert(values.end(), of.values().begin(), of.values().end());
  }
  std::vector<RankClass> classes;
  std::map<std::vector<Index>, std::size_t> known;
  std::vector<Index> key(tracks.size());
  for_each_stretch(tracks, ranks, [&](Index begin, Index end, const std::vector<Index>& places) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      key[i] =
          places[i] == Track::none ? Track::none : values[i][static_cast<std::size_t>(places[i])];
    }
    const auto [found, added] = known.emplace(key, classes.size());
    if (added) classes.push_back({begin, 0});
    classes[found->second].ranks += end - begin;
  });
  return classes;
}

bool transposes(const Layout& from, const Layout& to) {
  if (!from.is_grid() || !to.is_grid()) return false;
  for (std::size_t a = 0; a < from.axes(); ++a) {
    const bool whole = from.axis(a).procs == 1 || to.axis(a).procs == 1;
    if (!whole && from.axis(a) != to.axis(a)) return false;
  }
  return true;
}

namespace {

/// The layout without its processors along some axes, which are ascending by stride.
Layout without(const Layout& layout, const std::vector<Axis>& left_out) {
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    const Axis& axis = layout.axis(a);
    Axis left = axis;
    for (const Axis& other : left_out) {
      if (axis == other) left = Axis{axis.n};
      if (left.procs > 1 && other.rank_stride < axis.rank_stride) left.rank_stride /= other.procs;
    }
    axes.push_back(left);
  }
  return Layout::grid(std::move(axes));
}

}  // namespace

PeerClasses::PeerClasses(const Layout& from, const Layout& to) {
  for (std::size_t a = 0; a < from.axes(); ++a) {
    if (from.axis(a).procs > 1 && from.axis(a) == to.axis(a)) alike_.push_back(from.axis(a));
  }
  std::sort(alike_.begin(), alike_.end(),
            [](const Axis& a, const Axis& b) { return a.rank_stride < b.rank_stride; });
  const Layout sending = without(from, alike_);
  const Layout taking = without(to, alike_);
  classes_ = rank_classes({sending, taking}, std::max(sending.ranks(), taking.ranks()));
}

std::vector<RankClass> PeerClasses::of(Index rank) const {
  std::vector<RankClass> result = classes_;
  for (RankClass& peers : result) {
    for (const Axis& axis : alike_) {
      const Index low = peers.first % axis.rank_stride;
      const Index high = peers.first / axis.rank_stride;
      peers.first = (high * axis.procs + axis.coord(rank)) * axis.rank_stride + low;
    }
  }
  return result;
}

}  // namespace kallima

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

/// What a rank holds, part by part.
Shape extents_of(const Layout& layout, Index rank) {
  if (!layout.several_boxes()) return layout.local_shape(rank);
  Shape result;
  for (const LocalPart& part : layout.parts(rank)) {
    for (const Progression& along : part.indices) result.push_back(along.count);
  }
  return result;
}

/// Values of several layouts by rank: one track that says whether there is a part at all; for a
/// grid one per axis of uneven parts, for boxes one of shapes.
class LayoutTracks {
 public:
  void add(const Layout& layout) {
    const std::size_t presence = tracks_.size();
    add(presence_track(layout.ranks()), {1}, presence);
    if (!layout.is_grid()) {
      add_boxes(layout, presence);
      return;
    }
    for (std::size_t a = 0; a < layout.axes(); ++a) {
      const Axis& axis = layout.axis(a);
      Track track = size_track(axis, layout.ranks());
      if (track.places() == 1) continue;
      std::vector<Index> sizes;
      for (const Index coord : track.begins) sizes.push_back(axis.size(coord));
      add(std::move(track), std::move(sizes), presence);
    }
  }

  [[nodiscard]] const std::vector<Track>& tracks() const { return tracks_; }
  /// What ranks have by a track at a place.
  [[nodiscard]] Index value(std::size_t track, Index place) const {
    return place == Track::none ? Track::none : values_[track][static_cast<std::size_t>(place)];
  }
  /// The track that says whether there is a value of this one.
  [[nodiscard]] std::size_t presence(std::size_t track) const { return presence_[track]; }

 private:
  void add(Track track, std::vector<Index> values, std::size_t presence) {
    tracks_.push_back(std::move(track));
    values_.push_back(std::move(values));
    presence_.push_back(presence);
  }

  void add_boxes(const Layout& layout, std::size_t presence) {
    std::map<Shape, Index> numbers;
    Track track;
    track.begins.clear();
    track.procs = track.end = layout.ranks();
    std::vector<Index> values;
    for (Index rank = 0; rank < layout.ranks(); ++rank) {
      const auto next = static_cast<Index>(numbers.size());
      const Index number = numbers.emplace(extents_of(layout, rank), next).first->second;
      if (rank > 0 && values.back() == number) continue;
      track.begins.push_back(rank);
      values.push_back(number);
    }
    add(std::move(track), std::move(values), presence);
  }

  std::vector<Track> tracks_;
  std::vector<std::vector<Index>> values_;  // by track and place
  std::vector<std::size_t> presence_;       // by track
};

/// True where a track does not count on both sides of a number that divides the ranks' numbers.
bool apart(const Track& track, Index number) {
  return track.end % number == 0 &&
         (track.stride % number == 0 || number % (track.stride * track.procs) == 0);
}

/// Numbers at which those of ranks can be divided so that every track counts on one side, from 1.
std::vector<Index> divisions(const std::vector<Track>& tracks,
                             const std::vector<std::pair<std::size_t, std::size_t>>& together) {
  std::vector<Index> candidates = {1};
  for (const Track& track : tracks) {
    candidates.push_back(track.stride);
    candidates.push_back(track.stride * track.procs);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::erase_if(candidates, [&](Index number) {
    const auto splits = [&](const std::pair<std::size_t, std::size_t>& two) {
      return (tracks[two.first].stride < number) != (tracks[two.second].stride < number);
    };
    const auto whole = [&](const Track& track) { return apart(track, number); };
    return !std::all_of(tracks.begin(), tracks.end(), whole) ||
           std::any_of(together.begin(), together.end(), splits);
  });
  return candidates;
}

}  // namespace

std::vector<TrackGroup> independent_groups(
    const std::vector<Track>& tracks,
    const std::vector<std::pair<std::size_t, std::size_t>>& together) {
  Index ranks = 1;
  for (const Track& track : tracks) ranks = std::max(ranks, track.end);
  const std::vector<Index> from = divisions(tracks, together);
  std::vector<TrackGroup> groups;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool last = i + 1 == from.size();
    TrackGroup group;
    group.stride = from[i];
    group.ranks = (last ? ranks : from[i + 1]) / from[i];
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      if (tracks[t].stride < from[i] || (!last && tracks[t].stride >= from[i + 1])) continue;
      Track track = tracks[t];
      track.stride /= from[i];
      track.end = last ? track.end / from[i] : group.ranks;
      group.members.push_back(t);
      group.tracks.push_back(std::move(track));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

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
  track.begins.clear();
  return track;
}

Track presence_track(Index ranks) {
  Track track;
  track.stride = track.end = ranks;
  return track;
}

std::vector<RankClass> rank_classes(
    const std::vector<std::reference_wrapper<const Layout>>& layouts, Index ranks) {
  LayoutTracks of;
  for (const Layout& layout : layouts) of.add(layout);
  using Values = std::vector<Index>;  // by track
  const std::size_t count = of.tracks().size();
  const auto values_in = [&](const TrackGroup& group) {
    return [&of, &group, values = Values(count, 0)](const std::vector<Index>& places) mutable {
      for (std::size_t i = 0; i < places.size(); ++i) {
        values[group.members[i]] = of.value(group.members[i], places[i]);
      }
      return values;
    };
  };
  const auto combine = [](Values low, const Values& high) {
    for (std::size_t t = 0; t < low.size(); ++t) low[t] += high[t];  // one of them is 0
    return low;
  };
  RanksByValue<Values> all;
  const RanksByValue<Values> found =
      combined(independent_groups(of.tracks(), {}), Values(count, 0), values_in, combine);
  Index known = 0;
  for (const auto& entry : found.entries()) {
    Values values = entry.values;
    for (std::size_t t = 0; t < count; ++t) {
      if (values[of.presence(t)] == Track::none) values[t] = Track::none;
    }
    all.add(values, entry.first, entry.ranks);
    known += entry.ranks;
  }
  if (known < ranks) all.add(Values(count, Track::none), known, ranks - known);
  std::vector<RankClass> classes;
  for (const auto& entry : all.entries()) classes.push_back({entry.first, entry.ranks});
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

// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that hold as much as each other, without looking at each of them.
//
// A rank's coordinate along an axis is (rank / rank_stride) mod procs, and what a coordinate holds
// changes at few of them: at one where blocks are balanced. So over stretches of ranks sizes stay
// the same, those of several layouts between the changes of all. And where axes count in digits of
// the rank's number that are independent of each other, each is looked at by itself: what ranks
// hold are all combinations. Only axes of different layouts whose digits overlap are walked along
// together. What follows from sizes is worked out once for all ranks of the same sizes, which are a
// class.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kallima/layout.hpp"

namespace kallima {

/// A value that ranks have by a coordinate, as ranks count up.
struct Track {
  static constexpr Index none = -1;  ///< place of ranks that have no coordinate

  Index stride = 1;              ///< ranks in a row with one coordinate
  Index procs = 1;               ///< coordinates
  Index end = 1;                 ///< ranks from here on have none
  std::vector<Index> begins{0};  ///< coordinates at which the value may change, 0 the first of
                                 ///< them; empty where each has a value of its own

  /// How many places there are.
  [[nodiscard]] Index places() const {
    return begins.empty() ? procs : static_cast<Index>(begins.size());
  }
  /// The first coordinate at a place.
  [[nodiscard]] Index coord(Index place) const {
    return begins.empty() ? place : begins[static_cast<std::size_t>(place)];
  }
  /// The rank behind those that are, from `rank` on, at a place.
  [[nodiscard]] Index behind(Index rank, Index place) const {
    if (places() == 1) return end;
    return rank + stride * ((place + 1 < places() ? coord(place + 1) : procs) - coord(place));
  }
};

/// Of an axis of a layout over so many ranks: begins a new place wherever a coordinate holds
/// another number of indices than the one before. O(log procs), O(groups) where they are
/// distributed.
Track size_track(const Axis& axis, Index ranks);

/// Of an axis of a layout over so many ranks: a place for each coordinate.
Track coord_track(const Axis& axis, Index ranks);

/// Of a layout over so many ranks: one place, and none beyond.
Track presence_track(Index ranks);

/// Calls visit(begin, end, places) for stretches of ranks, in order, over which the place on every
/// track stays the same. O(tracks) a stretch.
template <class Visit>
void for_each_stretch(const std::vector<Track>& tracks, Index ranks, Visit visit) {
  constexpr Index never = std::numeric_limits<Index>::max();
  std::vector<Index> places(tracks.size(), 0);
  std::vector<Index> until;
  until.reserve(tracks.size());
  for (const Track& track : tracks) until.push_back(track.behind(0, 0));
  for (Index begin = 0; begin < ranks;) {
    Index end = ranks;
    for (const Index change : until) end = std::min(end, change);
    visit(begin, end, static_cast<const std::vector<Index>&>(places));
    begin = end;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if (until[i] != begin) continue;
      const Track& track = tracks[i];
      if (begin >= track.end) {
        places[i] = Track::none;
        until[i] = never;
        continue;
      }
      if (++places[i] == track.places()) places[i] = 0;
      until[i] = track.behind(begin, places[i]);
    }
  }
}

/// Tracks that count in one digit of the rank's number, (rank / stride) mod ranks, and in no other.
struct TrackGroup {
  Index stride = 1;
  Index ranks = 1;
  std::vector<std::size_t> members;  ///< numbers of its tracks
  std::vector<Track> tracks;         ///< the same, by that digit
};

/// Groups of tracks that are independent of each other, the one that counts fastest first; the last
/// knows which ranks have no coordinate. Tracks in `together` stay in one group. Their digits make
/// up the numbers of all ranks up to the last end.
std::vector<TrackGroup> independent_groups(
    const std::vector<Track>& tracks,
    const std::vector<std::pair<std::size_t, std::size_t>>& together);

/// Ranks by their values, a range of Index.
template <class Values>
class RanksByValue {
 public:
  struct Entry {
    Values values;
    Index first = 0;  ///< the lowest of them
    Index ranks = 0;  ///< how many
  };

  void add(const Values& values, Index first, Index ranks) {
    // Stretches in a row often have the same.
    if (entries_.empty() || entries_[last_].values != values) {
      const auto [found, added] = numbers_.try_emplace(values, entries_.size());
      if (added) entries_.push_back({values, first, 0});
      last_ = found->second;
    }
    Entry& entry = entries_[last_];
    entry.first = std::min(entry.first, first);
    entry.ranks += ranks;
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Hash {
    std::size_t operator()(const Values& values) const {
      std::size_t hash = 0;
      for (const Index value : values) {
        hash = (hash ^ static_cast<std::size_t>(value)) * std::size_t{0x9e3779b97f4a7c15};
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  std::vector<Entry> entries_;
  std::size_t last_ = 0;  // entry that was added to
  std::unordered_map<Values, std::size_t, Hash> numbers_;
};

/// Ranks by the values that combine(values, values) makes of those of all groups, from `start` on.
/// values_in(group) has to return what makes values of places of the group's tracks.
/// O(stretches of each group, and combinations).
template <class Values, class ValuesIn, class Combine>
RanksByValue<Values> combined(const std::vector<TrackGroup>& groups, const Values& start,
                              ValuesIn values_in, Combine combine) {
  RanksByValue<Values> result;
  result.add(start, 0, 1);
  for (const TrackGroup& group : groups) {
    RanksByValue<Values> own;
    auto values_at = values_in(group);
    for_each_stretch(group.tracks, group.ranks,
                     [&](Index begin, Index end, const std::vector<Index>& places) {
                       own.add(values_at(places), begin, end - begin);
                     });
    RanksByValue<Values> both;
    for (const auto& low : result.entries()) {
      for (const auto& high : own.entries()) {
        both.add(combine(low.values, high.values), low.first + group.stride * high.first,
                 low.ranks * high.ranks);
      }
    }
    result = std::move(both);
  }
  return result;
}

/// Ranks that have the same local shape in each of several layouts.
struct RankClass {
  Index first = 0;  ///< the lowest of them
  Index ranks = 0;  ///< how many
};

/// The classes of so many ranks.
std::vector<RankClass> rank_classes(
    const std::vector<std::reference_wrapper<const Layout>>& layouts, Index ranks);

/// True where each axis is distributed alike on both sides or whole on one: what a rank has for
/// another is a product of what both hold.
bool transposes(const Layout& from, const Layout& to);

/// Classes of those ranks that one has pieces for or from, in an exchange that transposes. A rank
/// meets those with its own coordinates along axes that are distributed alike; how the others are
/// distributed is the same for all ranks.
class PeerClasses {
 public:
  PeerClasses(const Layout& from, const Layout& to);

  /// Of a rank, itself included; some may have nothing in common with it.
  [[nodiscard]] std::vector<RankClass> of(Index rank) const;

 private:
  std::vector<Axis> alike_;         // distributed, by ascending stride
  std::vector<RankClass> classes_;  // by numbers without the coordinates along these
};

}  // namespace kallima

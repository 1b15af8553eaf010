// SPDX-License-Identifier: BSD-3-Clause
//
// What exchanges move, counted from the axes.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/checked.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"
#include "layout/rank_classes.hpp"
#include "layout/sample.hpp"

namespace kallima {

namespace {

/// How many coordinates of `axis` hold some of `part`, and the most that one of them holds.
struct Reach {
  Index peers = 0;
  Index most = 0;
};

/// Of a progression over neighbouring groups of one size, of which it goes through each: it meets
/// as many of their coordinates as it has members there, but comes back to the first behind `round`
/// members. Numbers of members differ by one at most, so either all come back or none does.
void add_groups(Index members, Index groups, Index round, Reach& reach) {
  if (members == 0) return;
  reach.peers += round <= members / groups ? round * groups : members;
  reach.most = std::max(reach.most, ceil_div(ceil_div(members, groups), round));
}

/// O(1).
Reach reach(const Axis& axis, const Progression& part) {
  Reach result;
  if (part.empty()) return result;
  const Index first_group = axis.group_of(part.first);
  const Index last_group = axis.group_of(part.last());
  const Index largest_block = axis.group_begin(1);
  if (axis.cycle == 1 && part.step > 1 && part.step < largest_block) {
    // Cyclic, seen from blocks of at least as many: some fall into every block on the way.
    return {last_group - first_group + 1, std::min(part.count, ceil_div(largest_block, part.step))};
  }
  const Index round = axis.cycle / std::gcd(part.step, axis.cycle);
  // Members below the group's first index; all of them where the groups end.
  const auto below = [&](Index group) {
    const Index begin = axis.group_begin(group);
    return begin <= part.first ? 0 : std::min(part.count, ceil_div(begin - part.first, part.step));
  };
  const auto add = [&](Index begin, Index end) {
    if (begin < end) add_groups(below(end) - below(begin), end - begin, round, result);
  };
  // The groups at the ends are met in part, those between are whole and of two sizes at most.
  const Index smaller =
      axis.rule == Rule::balanced ? axis.n % axis.groups() : axis.groups();  // the first of them
  const Index change = std::clamp(smaller, first_group + 1, std::max(first_group + 1, last_group));
  add(first_group, first_group + 1);
  add(first_group + 1, change);
  add(change, last_group);
  if (last_group > first_group) add(last_group, last_group + 1);
  return result;
}

/// What a rank has before and after an exchange; of grids a product over axes.
enum Figure : std::size_t {
  held,
  wanted,
  kept,     // of both
  takers,   // of what is held, the rank itself included
  senders,  // of what is wanted, likewise
  largest,  // piece of what is held
  figure_count
};
using Figures = std::array<Index, figure_count>;

Figures multiplied(Figures a, const Figures& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  return a;
}

/// Adds so many ranks that have this.
void add_ranks(const Figures& of, Index ranks, Traffic& all) {
  const Index own = of[kept] > 0 ? 1 : 0;
  all.elements += ranks * (of[held] - of[kept]);
  all.messages += ranks * (of[takers] - own);
  all.most_sent = std::max(all.most_sent, of[held] - of[kept]);
  all.most_received = std::max(all.most_received, of[wanted] - of[kept]);
  all.most_messages_sent = std::max(all.most_messages_sent, of[takers] - own);
  all.most_messages_received = std::max(all.most_messages_received, of[senders] - own);
  all.largest_message = std::max(all.largest_message, of[largest]);
}

/// One side of an exchange between grids along one axis.
class SideAxis {
 public:
  /// `meets` where what a rank keeps along the axis depends on its coordinates on both sides.
  SideAxis(const Axis& mine, const Axis& theirs, Index ranks, bool meets,
           std::vector<Track>& tracks)
      : step_(mine.cycle) {
    Track track = meets ? coord_track(mine, ranks) : size_track(mine, ranks);
    const bool unchanged = same_distribution(mine, theirs);
    held_.reserve(static_cast<std::size_t>(track.places()));
    for (Index place = 0; place < track.places(); ++place) {
      const Progression part = mine.local_indices(track.coord(place));
      held_.push_back({part.first, part.count,
                       unchanged ? Reach{part.empty() ? 0 : 1, part.count} : reach(theirs, part)});
    }
    if (track.places() == 1) return;
    track_ = tracks.size();
    tracks.push_back(std::move(track));
  }

  /// On which it depends; empty where all coordinates have as much.
  [[nodiscard]] const std::optional<std::size_t>& track() const { return track_; }
  /// By places of all tracks. Where only sizes count, the part of one with the same size.
  [[nodiscard]] Progression local_indices(const std::vector<Index>& places) const {
    const Held& held = at(places);
    return Progression::make(held.first, step_, held.count);
  }
  [[nodiscard]] const Reach& reached(const std::vector<Index>& places) const {
    return at(places).reached;
  }

 private:
  /// By one coordinate, without the step that all have: there may be a million of them.
  struct Held {
    Index first = 0;
    Index count = 0;
    Reach reached;
  };
  [[nodiscard]] const Held& at(const std::vector<Index>& places) const {
    return held_[track_ ? static_cast<std::size_t>(std::max<Index>(0, places[*track_])) : 0];
  }

  Index step_;
  std::optional<std::size_t> track_;
  std::vector<Held> held_;  // by place
};

/// An exchange between grids along one axis.
class BothSides {
 public:
  BothSides(const Axis& before, const Axis& after, Index ranks_before, Index ranks_after,
            std::vector<Track>& tracks)
      : meets_(meet(before, after)),
        before_(before, after, ranks_before, meets_, tracks),
        after_(after, before, ranks_after, meets_, tracks) {}

  /// True where both deal it, and not alike: coordinates have to be seen together.
  [[nodiscard]] bool meets() const { return meets_; }
  /// Tracks on which it depends.
  [[nodiscard]] std::vector<std::size_t> tracks() const {
    std::vector<std::size_t> result;
    if (before_.track()) result.push_back(*before_.track());
    if (after_.track()) result.push_back(*after_.track());
    return result;
  }

  /// By places of all tracks.
  [[nodiscard]] Figures figures(const std::vector<Index>& places) const {
    const Progression had = before_.local_indices(places);
    const Progression has = after_.local_indices(places);
    // Alike, or whole on one side: all that the other has.
    const Index both = meets_ ? intersect(had, has).count : std::min(had.count, has.count);
    const Reach& out = before_.reached(places);
    return {had.count, has.count, both, out.peers, after_.reached(places).peers, out.most};
  }

 private:
  static bool meet(const Axis& before, const Axis& after) {
    const bool alike = before.rank_stride == after.rank_stride && same_distribution(before, after);
    return !alike && before.procs > 1 && after.procs > 1;
  }

  bool meets_;
  SideAxis before_;
  SideAxis after_;
};

/// What ranks have along the axes that count in one group of tracks.
class GroupFigures {
 public:
  GroupFigures(const std::vector<BothSides>& axes, const TrackGroup& group, std::size_t tracks)
      : group_(group), places_(tracks, 0) {
    for (const BothSides& axis : axes) {
      const std::vector<std::size_t> of = axis.tracks();
      const auto in_group = [&](std::size_t track) {
        return std::find(of.begin(), of.end(), track) != of.end();
      };
      if (std::any_of(group.members.begin(), group.members.end(), in_group)) {
        axes_.push_back(&axis);
      }
    }
  }

  Figures operator()(const std::vector<Index>& places) {
    for (std::size_t i = 0; i < places.size(); ++i) places_[group_.members[i]] = places[i];
    const Index had = places_[presence_before] == Track::none ? 0 : 1;
    const Index has = places_[presence_after] == Track::none ? 0 : 1;
    Figures result{had, has, had * has, had, has, had};
    for (const BothSides* const axis : axes_) result = multiplied(result, axis->figures(places_));
    return result;
  }

  /// Numbers of the tracks that say whether a rank has a part.
  static constexpr std::size_t presence_before = 0;
  static constexpr std::size_t presence_after = 1;

 private:
  const TrackGroup& group_;
  std::vector<Index> places_;  // of all tracks
  std::vector<const BothSides*> axes_;
};

Traffic traffic_of_grids(const Layout& from, const Layout& to) {
  std::vector<Track> tracks = {presence_track(from.ranks()), presence_track(to.ranks())};
  std::vector<BothSides> axes;
  std::vector<std::pair<std::size_t, std::size_t>> together;
  Figures start{1, 1, 1, 1, 1, 1};
  for (std::size_t a = 0; a < from.axes(); ++a) {
    axes.emplace_back(from.axis(a), to.axis(a), from.ranks(), to.ranks(), tracks);
    const std::vector<std::size_t> of = axes.back().tracks();
    if (of.empty()) start = multiplied(start, axes.back().figures({}));
    if (axes.back().meets()) together.emplace_back(of.front(), of.back());
  }
  const auto figures_in = [&](const TrackGroup& group) {
    return GroupFigures(axes, group, tracks.size());
  };
  const RanksByValue<Figures> all =
      combined(independent_groups(tracks, together), start, figures_in, multiplied);
  Traffic result;
  for (const auto& ranks : all.entries()) {
    add_ranks(ranks.values, ranks.ranks, result);
  }
  return result;
}

/// A coordinate from which on one box more or one fewer is met.
struct Change {
  Index coord = 0;
  Index by = 1;
};

/// Where the coordinates that hold some of neighbouring indices begin and end.
std::vector<Change> changes_along(const Axis& axis, const Progression& part) {
  std::vector<Change> result;
  const auto add = [&](Index begin, Index end) {
    result.push_back({begin, 1});
    if (end < axis.procs) result.push_back({end, -1});
  };
  if (axis.cycle == 1) {
    add(axis.group_of(part.first), axis.group_of(part.last()) + 1);
    return result;
  }
  const std::vector<Index> coords = coords_of(axis, part);
  for (std::size_t i = 0, first = 0; i < coords.size(); ++i) {
    if (i + 1 < coords.size() && coords[i + 1] == coords[i] + 1) continue;
    add(coords[first], coords[i] + 1);
    first = i + 1;
  }
  return result;
}

/// How many boxes each rank of a grid has something of. What a box meets is a product of ranges of
/// coordinates: their ends are marked, and summed up along each axis. O(2^d P).
std::vector<Index> boxes_met(const Layout& grid, const Layout& boxes) {
  std::vector<Index> met(static_cast<std::size_t>(grid.ranks()), 0);
  for (Index rank = 0; rank < boxes.ranks(); ++rank) {
    if (boxes.local_size(rank) == 0) continue;
    std::vector<Change> corners = {{0, 1}};  // by rank of the grid
    for (std::size_t a = 0; a < grid.axes(); ++a) {
      std::vector<Change> more;
      for (const Change& along : changes_along(grid.axis(a), boxes.local_indices(rank, a))) {
        for (const Change& corner : corners) {
          more.push_back(
              {corner.coord + along.coord * grid.axis(a).rank_stride, corner.by * along.by});
        }
      }
      corners = std::move(more);
    }
    for (const Change& corner : corners) met[static_cast<std::size_t>(corner.coord)] += corner.by;
  }
  for (std::size_t a = 0; a < grid.axes(); ++a) {
    const Axis& axis = grid.axis(a);
    for (Index rank = axis.rank_stride; rank < grid.ranks(); ++rank) {
      if (axis.coord(rank) == 0) continue;
      met[static_cast<std::size_t>(rank)] += met[static_cast<std::size_t>(rank - axis.rank_stride)];
    }
  }
  return met;
}

/// In how many pieces the ranks of one layout have what those of another hold.
class PeerCounts {
 public:
  PeerCounts(const Layout& mine, const Layout& theirs)
      : mine_(mine), theirs_(theirs), several_(mine.several_boxes() || theirs.several_boxes()) {
    if (mine.is_grid() && !theirs.is_grid() && !several_) met_ = boxes_met(mine, theirs);
  }

  [[nodiscard]] Index of(Index rank) const {
    if (mine_.local_size(rank) == 0) return 0;
    if (!met_.empty()) return met_[static_cast<std::size_t>(rank)];
    if (!theirs_.is_grid() || several_) {
      return static_cast<Index>(peers_of(mine_, theirs_, rank).size());
    }
    Index count = 1;
    for (std::size_t a = 0; a < mine_.axes(); ++a) {
      count *= reach(theirs_.axis(a), mine_.local_indices(rank, a)).peers;
    }
    return count;
  }

 private:
  const Layout& mine_;
  const Layout& theirs_;
  bool several_;            // boxes on a rank
  std::vector<Index> met_;  // by rank, where these are a grid and the others boxes
};

/// The largest piece that a rank with a box has for another.
Index largest_piece(const Layout& boxes, const Layout& theirs, Index rank) {
  if (theirs.is_grid()) {
    Index most = 1;
    for (std::size_t a = 0; a < boxes.axes(); ++a) {
      most *= reach(theirs.axis(a), boxes.local_indices(rank, a)).most;
    }
    return most;
  }
  Index most = 0;
  for (const Peer& peer : peers_of(boxes, theirs, rank)) most = std::max(most, peer.size);
  return most;
}

/// Where ranks have several boxes, whom they meet is listed, once for both sides. Not from a grid:
/// what a box has in common with one is found axis by axis.
Traffic traffic_of_several_boxes(const Layout& from, const Layout& to) {
  struct Counted {
    Index sent = 0;
    Index received = 0;
    Index kept = 0;
    Index largest = 0;
  };
  const Index ranks = std::max(from.ranks(), to.ranks());
  std::vector<Counted> counted(static_cast<std::size_t>(ranks));
  for (Index rank = 0; rank < from.ranks(); ++rank) {
    Counted& mine = counted[static_cast<std::size_t>(rank)];
    for (const Peer& peer : peers_of(from, to, rank)) {
      ++mine.sent;
      ++counted[static_cast<std::size_t>(peer.rank)].received;
      if (peer.rank == rank) mine.kept = peer.size;
      mine.largest = std::max(mine.largest, peer.size);
    }
  }
  Traffic result;
  for (Index rank = 0; rank < ranks; ++rank) {
    const Counted& its = counted[static_cast<std::size_t>(rank)];
    add_ranks(
        {from.local_size(rank), to.local_size(rank), its.kept, its.sent, its.received, its.largest},
        1, result);
  }
  return result;
}

Traffic traffic_of_boxes(const Layout& boxes, const Layout& to) {
  if (boxes.several_boxes() || to.several_boxes()) return traffic_of_several_boxes(boxes, to);
  const PeerCounts sent(boxes, to);
  const PeerCounts received(to, boxes);
  Traffic result;
  for (Index rank = 0; rank < std::max(boxes.ranks(), to.ranks()); ++rank) {
    add_ranks({boxes.local_size(rank), to.local_size(rank), common_size(boxes, rank, to, rank),
               sent.of(rank), received.of(rank), largest_piece(boxes, to, rank)},
              1, result);
  }
  return result;
}

}  // namespace

Traffic traffic(const Layout& from, const Layout& to) {
  if (!from.is_grid()) return traffic_of_boxes(from, to);
  if (to.is_grid()) return traffic_of_grids(from, to);
  Traffic back = traffic_of_boxes(to, from);
  std::swap(back.most_sent, back.most_received);
  std::swap(back.most_messages_sent, back.most_messages_received);
  return back;
}

namespace {

/// Ranks of a node, the last excluded.
struct NodeRanks {
  Index begin = 0;
  Index end = 0;
};

/// What one rank sends or receives, by where its peers are.
struct ByPlace {
  Index within = 0;
  Index messages_within = 0;
  Index between = 0;
  Index messages_between = 0;
};

ByPlace by_place(const Layout& mine, const Layout& theirs, const PeerCounts& counts, Index rank,
                 const NodeRanks& node) {
  ByPlace result;
  if (rank >= mine.ranks()) return result;
  result.between = mine.local_size(rank);
  result.messages_between = counts.of(rank);
  for (Index peer = node.begin; peer < std::min(node.end, theirs.ranks()); ++peer) {
    const Index common = common_size(mine, rank, theirs, peer);
    if (common == 0) continue;
    result.between -= common;
    result.messages_between -= 1;
    if (peer == rank) continue;
    result.within += common;
    result.messages_within += 1;
  }
  return result;
}

void raise_to(const ByPlace& rank, NodeTraffic& most) {
  most.most_within = std::max(most.most_within, rank.within);
  most.most_messages_within = std::max(most.most_messages_within, rank.messages_within);
  most.most_between = std::max(most.most_between, rank.between);
  most.most_messages_between = std::max(most.most_messages_between, rank.messages_between);
}

}  // namespace

NodeTraffic traffic_by_node(const Layout& from, const Layout& to, Index ranks_per_node,
                            Index pairs) {
  NodeTraffic result;
  const Index ranks = std::max(from.ranks(), to.ranks());
  const Index looked_at = std::clamp<Index>(pairs / ranks_per_node, 1, ranks);
  result.sampled = looked_at < ranks;
  const PeerCounts takers(from, to);
  const PeerCounts senders(to, from);
  Index node = 0;
  Index out = 0;  // of the node
  Index in = 0;
  for (Index i = 0; i < looked_at; ++i) {
    const Index rank = result.sampled ? sampled(i, ranks) : i;
    const Index begin = rank / ranks_per_node * ranks_per_node;
    const NodeRanks on_node{begin, std::min(ranks, begin + ranks_per_node)};
    const ByPlace sent = by_place(from, to, takers, rank, on_node);
    const ByPlace received = by_place(to, from, senders, rank, on_node);
    result.elements_within += sent.within;
    result.messages_within += sent.messages_within;
    raise_to(sent, result);
    raise_to(received, result);
    if (begin != node) out = in = 0;
    node = begin;
    out += sent.between;
    in += received.between;
    result.most_of_node = std::max({result.most_of_node, out, in});
  }
  if (result.sampled) {
    result.elements_within = result.elements_within / looked_at * ranks;
    result.messages_within = result.messages_within / looked_at * ranks;
    result.most_of_node = result.most_between * std::min(ranks, ranks_per_node);
  }
  return result;
}

}  // namespace kallima

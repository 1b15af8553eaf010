// SPDX-License-Identifier: BSD-3-Clause
//
// What exchanges move, counted from the axes.
#include <algorithm>
#include <numeric>

#include "kallima/pieces.hpp"
#include "layout/peers.hpp"
#include "layout/rank_classes.hpp"

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
    // Cards, seen from blocks of at least as many: some fall into every block on the way.
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

/// What a rank of one layout has, and in how many pieces the ranks of another have it.
struct Share {
  Index held = 1;
  Reach reach{1, 1};

  void take(const Share& along) {
    held *= along.held;
    reach.peers *= along.reach.peers;
    reach.most *= along.reach.most;
  }
};

/// One side of an exchange between grids, along one axis.
class SideAxis {
 public:
  /// `meets` where what a rank keeps along this axis depends on its coordinates on both sides.
  SideAxis(const Axis& mine, const Axis& theirs, Index ranks, bool meets,
           std::vector<Track>& tracks) {
    Track track = meets ? coord_track(mine, ranks) : size_track(mine, ranks);
    const bool unchanged = same_dealing(mine, theirs);
    for (const Index coord : track.begins) {
      const Progression part = mine.part(coord);
      const Reach reached =
          unchanged ? Reach{part.empty() ? 0 : 1, part.count} : reach(theirs, part);
      shares_.push_back({part.count, reached});
      if (meets) parts_.push_back(part);
    }
    if (shares_.size() == 1) return;
    track_ = static_cast<std::ptrdiff_t>(tracks.size());
    tracks.push_back(std::move(track));
  }

  [[nodiscard]] const Share& share(const std::vector<Index>& places) const {
    return shares_[place(places)];
  }
  /// Where both sides meet.
  [[nodiscard]] const Progression& part(const std::vector<Index>& places) const {
    return parts_[place(places)];
  }

 private:
  [[nodiscard]] std::size_t place(const std::vector<Index>& places) const {
    return track_ < 0 ? 0 : static_cast<std::size_t>(places[static_cast<std::size_t>(track_)]);
  }

  std::ptrdiff_t track_ = -1;  // none where all coordinates have as much
  std::vector<Share> shares_;  // by place
  std::vector<Progression> parts_;
};

/// One side of an exchange between grids.
class Side {
 public:
  Side(const Layout& mine, const Layout& theirs, const std::vector<bool>& meets,
       std::vector<Track>& tracks)
      : present_(tracks.size()) {
    Track present;
    present.end = mine.ranks();
    tracks.push_back(present);
    for (std::size_t a = 0; a < mine.axes(); ++a) {
      axes_.emplace_back(mine.axis(a), theirs.axis(a), mine.ranks(), meets[a], tracks);
    }
  }

  /// False beyond the layout's ranks.
  [[nodiscard]] bool present(const std::vector<Index>& places) const {
    return places[present_] != Track::none;
  }
  [[nodiscard]] const SideAxis& axis(std::size_t a) const { return axes_[a]; }
  [[nodiscard]] Share share(const std::vector<Index>& places) const {
    if (!present(places)) return {0, {}};
    Share result;
    for (const SideAxis& axis : axes_) result.take(axis.share(places));
    return result;
  }

 private:
  std::size_t present_;
  std::vector<SideAxis> axes_;
};

/// Adds what so many ranks have before and after and keep.
void add_ranks(const Share& before, const Share& after, Index kept, Index ranks, Traffic& all) {
  const Index own = kept > 0 ? 1 : 0;
  all.elements += ranks * (before.held - kept);
  all.messages += ranks * (before.reach.peers - own);
  all.most_sent = std::max(all.most_sent, before.held - kept);
  all.most_received = std::max(all.most_received, after.held - kept);
  all.most_messages_sent = std::max(all.most_messages_sent, before.reach.peers - own);
  all.most_messages_received = std::max(all.most_messages_received, after.reach.peers - own);
  all.largest_message = std::max(all.largest_message, before.reach.most);
}

/// Between grids, stretch by stretch of ranks that have as much. Where an axis is dealt in two ways
/// what a rank keeps depends on both its coordinates, and a stretch is one coordinate long.
Traffic traffic_of_grids(const Layout& from, const Layout& to) {
  std::vector<bool> meets;
  for (std::size_t a = 0; a < from.axes(); ++a) {
    const Axis& before = from.axis(a);
    const Axis& after = to.axis(a);
    const bool alike = before.rank_stride == after.rank_stride && same_dealing(before, after);
    meets.push_back(!alike && before.procs > 1 && after.procs > 1);
  }
  std::vector<Track> tracks;
  const Side before(from, to, meets, tracks);
  const Side after(to, from, meets, tracks);
  const auto kept_along = [&](std::size_t a, const std::vector<Index>& places) {
    if (meets[a]) {
      return intersect(before.axis(a).part(places), after.axis(a).part(places)).count;
    }
    // Alike, or whole on one side: all that the other has.
    return std::min(before.axis(a).share(places).held, after.axis(a).share(places).held);
  };
  Traffic result;
  for_each_stretch(tracks, std::max(from.ranks(), to.ranks()),
                   [&](Index begin, Index end, const std::vector<Index>& places) {
                     Index kept = before.present(places) && after.present(places) ? 1 : 0;
                     for (std::size_t a = 0; a < from.axes() && kept > 0; ++a) {
                       kept *= kept_along(a, places);
                     }
                     add_ranks(before.share(places), after.share(places), kept, end - begin,
                               result);
                   });
  return result;
}

}  // namespace

namespace {

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
      for (const Change& along : changes_along(grid.axis(a), boxes.part(rank, a))) {
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
  PeerCounts(const Layout& mine, const Layout& theirs) : mine_(mine), theirs_(theirs) {
    if (mine.is_grid() && !theirs.is_grid()) met_ = boxes_met(mine, theirs);
  }

  [[nodiscard]] Index of(Index rank) const {
    if (mine_.local_size(rank) == 0) return 0;
    if (!met_.empty()) return met_[static_cast<std::size_t>(rank)];
    if (!theirs_.is_grid()) return static_cast<Index>(peers_of(mine_, theirs_, rank).size());
    Index count = 1;
    for (std::size_t a = 0; a < mine_.axes(); ++a) {
      count *= reach(theirs_.axis(a), mine_.part(rank, a)).peers;
    }
    return count;
  }

 private:
  const Layout& mine_;
  const Layout& theirs_;
  std::vector<Index> met_;  // by rank, where these are a grid and the others boxes
};

/// The largest piece that a rank with a box has for another.
Index largest_piece(const Layout& boxes, const Layout& theirs, Index rank) {
  if (theirs.is_grid()) {
    Index largest = 1;
    for (std::size_t a = 0; a < boxes.axes(); ++a) {
      largest *= reach(theirs.axis(a), boxes.part(rank, a)).most;
    }
    return largest;
  }
  Index largest = 0;
  for (const Peer& peer : peers_of(boxes, theirs, rank)) largest = std::max(largest, peer.size);
  return largest;
}

Traffic traffic_of_boxes(const Layout& boxes, const Layout& to) {
  const PeerCounts sent(boxes, to);
  const PeerCounts received(to, boxes);
  Traffic result;
  for (Index rank = 0; rank < std::max(boxes.ranks(), to.ranks()); ++rank) {
    const Share before{boxes.local_size(rank), {sent.of(rank), largest_piece(boxes, to, rank)}};
    const Share after{to.local_size(rank), {received.of(rank), 0}};
    add_ranks(before, after, common_size(boxes, rank, to, rank), 1, result);
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
struct Node {
  Index begin = 0;
  Index end = 0;
};

/// What one rank sends, by where it goes.
struct Sent {
  Index within = 0;
  Index messages_within = 0;
  Index between = 0;
  Index messages_between = 0;
};

Sent sent_by(const Layout& from, const Layout& to, const PeerCounts& counts, Index rank,
             const Node& node) {
  Sent sent;
  if (rank >= from.ranks()) return sent;
  const std::vector<Progression> part = from.part(rank);
  sent.between = from.local_size(rank);
  sent.messages_between = counts.of(rank);
  for (Index peer = node.begin; peer < std::min(node.end, to.ranks()); ++peer) {
    Index common = 1;
    for (std::size_t a = 0; a < part.size() && common > 0; ++a) {
      common *= intersect(part[a], to.part(peer, a)).count;
    }
    if (common == 0) continue;
    sent.between -= common;
    sent.messages_between -= 1;
    if (peer == rank) continue;
    sent.within += common;
    sent.messages_within += 1;
  }
  return sent;
}

}  // namespace

NodeTraffic traffic_by_node(const Layout& from, const Layout& to, Index ranks_per_node,
                            Index pairs) {
  NodeTraffic result;
  const Index ranks = std::max(from.ranks(), to.ranks());
  const Index looked_at = std::clamp<Index>(pairs / ranks_per_node, 1, ranks);
  result.sampled = looked_at < ranks;
  const PeerCounts counts(from, to);
  Index node = 0;
  Index out = 0;  // of the node
  for (Index i = 0; i < looked_at; ++i) {
    const Index rank = result.sampled ? i * (ranks / looked_at) : i;
    const Index begin = rank / ranks_per_node * ranks_per_node;
    const Sent sent =
        sent_by(from, to, counts, rank, {begin, std::min(ranks, begin + ranks_per_node)});
    result.elements_within += sent.within;
    result.messages_within += sent.messages_within;
    result.most_within = std::max(result.most_within, sent.within);
    result.most_messages_within = std::max(result.most_messages_within, sent.messages_within);
    result.most_between = std::max(result.most_between, sent.between);
    result.most_messages_between = std::max(result.most_messages_between, sent.messages_between);
    if (begin != node) out = 0;
    node = begin;
    out += sent.between;
    result.most_out_of_node = std::max(result.most_out_of_node, out);
  }
  if (result.sampled) {
    result.elements_within = result.elements_within / looked_at * ranks;
    result.messages_within = result.messages_within / looked_at * ranks;
    result.most_out_of_node = result.most_between * std::min(ranks, ranks_per_node);
  }
  return result;
}

}  // namespace kallima

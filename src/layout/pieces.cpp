// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/pieces.hpp"

#include <algorithm>

namespace kallima {

namespace {

struct Common {
  Index coord = 0;     // coordinate on the other side
  Progression global;  // common indices
};

/// First and last coordinate of `axis` that can hold some of `part`; all of them where the axis is
/// dealt like cards.
std::pair<Index, Index> candidates(const Axis& axis, const Progression& part) {
  if (part.empty()) return {0, -1};
  return {axis.group_of(part.first) * axis.cycle,
          axis.group_of(part.last()) * axis.cycle + axis.cycle - 1};
}

/// Coordinates of `axis` that hold some of `part`, ascending.
std::vector<Common> in_common(const Axis& axis, const Progression& part) {
  std::vector<Common> result;
  const auto [first, last] = candidates(axis, part);
  for (Index coord = first; coord <= last; ++coord) {
    const Progression common = intersect(part, axis.part(coord));
    if (!common.empty()) result.push_back({coord, common});
  }
  return result;
}

/// How many coordinates of `axis` hold some of `part`, and the most that one of them holds.
struct Reach {
  Index peers = 0;
  Index most = 0;
};

Reach reach(const Axis& axis, const Progression& part) {
  Reach result;
  if (part.empty()) return result;
  const Index first_group = axis.group_of(part.first);
  const Index last_group = axis.group_of(part.last());
  if (part.step == 1 && axis.cycle == 1) {
    // Neighbours, seen from blocks: all blocks between the ends are full, the first is the largest.
    const auto met = [&](Index group) {
      return std::min(part.last() + 1, axis.group_begin(group + 1)) -
             std::max(part.first, axis.group_begin(group));
    };
    result.peers = last_group - first_group + 1;
    result.most = std::max(met(first_group), met(last_group));
    if (last_group - first_group > 1) result.most = std::max(result.most, met(first_group + 1));
    return result;
  }
  if (part.step == 1) {
    // Neighbours, seen from a group: dealt like cards to as many of its coordinates as there are.
    for (Index g = first_group; g <= last_group; ++g) {
      const Index count = std::min(part.last() + 1, axis.group_begin(g + 1)) -
                          std::max(part.first, axis.group_begin(g));
      result.peers += std::min(axis.cycle, count);
      result.most = std::max(result.most, ceil_div(count, axis.cycle));
    }
    return result;
  }
  const Index largest_block = axis.group_begin(1);
  if (axis.cycle == 1 && part.step < largest_block) {
    // Cards, seen from blocks of at least as many: some fall into every block on the way.
    return {last_group - first_group + 1, std::min(part.count, ceil_div(largest_block, part.step))};
  }
  const auto [first, last] = candidates(axis, part);
  for (Index coord = first; coord <= last; ++coord) {
    const Index count = intersect(part, axis.part(coord)).count;
    result.peers += count > 0 ? 1 : 0;
    result.most = std::max(result.most, count);
  }
  return result;
}

std::vector<Progression> places_in(const std::vector<Progression>& part,
                                   const std::vector<Progression>& subset) {
  std::vector<Progression> result(part.size());
  for (std::size_t a = 0; a < part.size(); ++a) result[a] = places(part[a], subset[a]);
  return result;
}

Index product_of_counts(const std::vector<Progression>& part) {
  Index result = 1;
  for (const Progression& p : part) result *= p.count;
  return result;
}

/// Goes through the ranks in order and knows of each its part of `mine`, with how many ranks of
/// `theirs` it shares that, and the largest share. Of grids all this is computed once per
/// coordinate and coordinates are counted up, so that a rank costs a few look-ups and no division:
/// there may be a million of them, and the planner asks for several exchanges.
class Walk {
 public:
  Walk(const Layout& mine, const Layout& theirs) : mine_(mine), theirs_(theirs) {
    if (!mine.is_grid()) return;
    coord_.resize(mine.axes(), 0);
    for (std::size_t a = 0; a < mine.axes(); ++a) {
      if (mine.axis(a).procs > 1) by_stride_.push_back(a);
      tabulate(mine.axis(a), theirs.is_grid() ? &theirs.axis(a) : nullptr);
    }
    std::sort(by_stride_.begin(), by_stride_.end(), [&](std::size_t a, std::size_t b) {
      return mine.axis(a).rank_stride < mine.axis(b).rank_stride;
    });
  }

  /// To the next rank, from rank 0 on.
  void next() {
    ++rank_;
    for (const std::size_t a : by_stride_) {
      if (++coord_[a] < mine_.axis(a).procs) return;
      coord_[a] = 0;
    }
  }

  [[nodiscard]] bool beyond() const { return rank_ >= mine_.ranks(); }

  [[nodiscard]] Progression part(std::size_t a) const {
    if (beyond()) return {};
    return coord_.empty() ? mine_.part(rank_, a) : here(parts_, a);
  }

  [[nodiscard]] Reach reached() const {
    if (beyond()) return {};
    if (!theirs_.is_grid()) return reached_boxes();
    Reach result{1, 1};
    for (std::size_t a = 0; a < mine_.axes(); ++a) {
      const Reach along = coord_.empty() ? reach(theirs_.axis(a), part(a)) : here(reaches_, a);
      result.peers *= along.peers;
      result.most *= along.most;
    }
    return result;
  }

 private:
  template <class Entry>
  using Table = std::vector<std::vector<Entry>>;  // by axis and coordinate

  template <class Entry>
  [[nodiscard]] const Entry& here(const Table<Entry>& table, std::size_t a) const {
    return table[a][static_cast<std::size_t>(coord_[a])];
  }

  void tabulate(const Axis& axis, const Axis* other) {
    const bool unchanged = other != nullptr && same_dealing(axis, *other);
    const auto coords = static_cast<std::size_t>(axis.procs);
    parts_.emplace_back().reserve(coords);
    reaches_.emplace_back().reserve(other != nullptr ? coords : 0);
    for (Index coord = 0; coord < axis.procs; ++coord) {
      const Progression& part = parts_.back().emplace_back(axis.part(coord));
      if (other == nullptr) continue;
      reaches_.back().push_back(unchanged ? Reach{part.empty() ? 0 : 1, part.count}
                                          : reach(*other, part));
    }
  }

  [[nodiscard]] Reach reached_boxes() const {
    Reach result;
    for (Index s = 0; s < theirs_.ranks(); ++s) {
      Index common = 1;
      for (std::size_t a = 0; a < mine_.axes() && common > 0; ++a) {
        common *= intersect(part(a), theirs_.part(s, a)).count;
      }
      result.peers += common > 0 ? 1 : 0;
      result.most = std::max(result.most, common);
    }
    return result;
  }

  const Layout& mine_;
  const Layout& theirs_;
  Index rank_ = 0;
  std::vector<Index> coord_;            // of the rank, by axis; empty for boxes
  std::vector<std::size_t> by_stride_;  // axes that are dealt, fastest over the ranks first
  Table<Progression> parts_;
  Table<Reach> reaches_;  // where both are grids
};

}  // namespace

std::vector<Piece> pieces(const Layout& mine, const Layout& theirs, Index rank) {
  std::vector<Piece> result;
  const std::vector<Progression> part = mine.part(rank);
  if (mine.local_size(rank) == 0) return result;
  if (!theirs.is_grid()) {
    for (Index peer = 0; peer < theirs.ranks(); ++peer) {
      std::vector<Progression> common(part.size());
      for (std::size_t a = 0; a < part.size(); ++a) {
        common[a] = intersect(part[a], theirs.part(peer, a));
      }
      const Index size = product_of_counts(common);
      if (size > 0) result.push_back({peer, places_in(part, common), size});
    }
    return result;
  }

  std::vector<std::vector<Common>> by_axis;
  for (std::size_t a = 0; a < part.size(); ++a) {
    by_axis.push_back(in_common(theirs.axis(a), part[a]));
    if (by_axis.back().empty()) return result;
  }
  std::vector<std::size_t> at(part.size(), 0);
  std::vector<Progression> common(part.size());
  for (;;) {
    Index peer = 0;
    for (std::size_t a = 0; a < part.size(); ++a) {
      const Common& here = by_axis[a][at[a]];
      peer += here.coord * theirs.axis(a).rank_stride;
      common[a] = here.global;
    }
    result.push_back({peer, places_in(part, common), product_of_counts(common)});
    std::size_t a = part.size();
    while (a > 0 && ++at[a - 1] == by_axis[a - 1].size()) at[--a] = 0;
    if (a == 0) break;
  }
  std::sort(result.begin(), result.end(),
            [](const Piece& x, const Piece& y) { return x.peer < y.peer; });
  return result;
}

Traffic traffic(const Layout& from, const Layout& to) {
  Traffic result;
  Walk before(from, to);
  Walk after(to, from);
  const Index ranks = std::max(from.ranks(), to.ranks());
  for (Index r = 0; r < ranks; ++r, before.next(), after.next()) {
    Index held = before.beyond() ? 0 : 1;
    Index wanted = after.beyond() ? 0 : 1;
    Index kept = std::min(held, wanted);
    for (std::size_t a = 0; a < from.axes(); ++a) {
      const Progression had = before.part(a);
      const Progression has = after.part(a);
      held *= had.count;
      wanted *= has.count;
      if (kept > 0) kept *= intersect(had, has).count;
    }
    const Index own = kept > 0 ? 1 : 0;
    const Reach out = held > 0 ? before.reached() : Reach{};
    const Reach in = wanted > 0 ? after.reached() : Reach{};
    result.elements += held - kept;
    result.messages += out.peers - own;
    result.most_sent = std::max(result.most_sent, held - kept);
    result.most_received = std::max(result.most_received, wanted - kept);
    result.most_messages_sent = std::max(result.most_messages_sent, out.peers - own);
    result.most_messages_received = std::max(result.most_messages_received, in.peers - own);
    result.largest_message = std::max(result.largest_message, out.most);
  }
  return result;
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

Sent sent_by(const Layout& from, const Layout& to, Index rank, const Node& node) {
  Sent sent;
  if (rank >= from.ranks()) return sent;
  if (!from.is_grid() || !to.is_grid()) {
    for (const Piece& piece : pieces(from, to, rank)) {
      if (piece.peer == rank) continue;
      const bool here = piece.peer >= node.begin && piece.peer < node.end;
      (here ? sent.within : sent.between) += piece.size;
      (here ? sent.messages_within : sent.messages_between) += 1;
    }
    return sent;
  }
  const std::vector<Progression> part = from.part(rank);
  Index peers = 1;
  for (std::size_t a = 0; a < part.size(); ++a) peers *= reach(to.axis(a), part[a]).peers;
  sent.between = product_of_counts(part);
  sent.messages_between = peers;
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
  Index node = 0;
  Index out = 0;  // of the node
  for (Index i = 0; i < looked_at; ++i) {
    const Index rank = result.sampled ? i * (ranks / looked_at) : i;
    const Index begin = rank / ranks_per_node * ranks_per_node;
    const Sent sent = sent_by(from, to, rank, {begin, std::min(ranks, begin + ranks_per_node)});
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

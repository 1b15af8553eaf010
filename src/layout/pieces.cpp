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
  const auto [first, last] = candidates(axis, part);
  if (axis.whole() && !part.empty()) return {1, part.count};
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

/// Per rank of `mine`: how many ranks of `theirs` share something with it, and the largest share.
/// Computed once per coordinate of a grid axis, once per rank for boxes.
class Partners {
 public:
  Partners(const Layout& mine, const Layout& theirs) : mine_(mine), theirs_(theirs) {
    if (!mine.is_grid() || !theirs.is_grid()) return;
    by_coord_.resize(mine.axes());
    for (std::size_t a = 0; a < mine.axes(); ++a) {
      const Axis& axis = mine.axis(a);
      const bool unchanged = same_dealing(axis, theirs.axis(a));
      for (Index coord = 0; coord < axis.procs; ++coord) {
        const Index size = axis.size(coord);
        by_coord_[a].push_back(unchanged ? Reach{size > 0 ? 1 : 0, size}
                                         : reach(theirs.axis(a), axis.part(coord)));
      }
    }
  }

  [[nodiscard]] Reach of(Index rank) const {
    if (rank >= mine_.ranks()) return {};
    Reach result{1, 1};
    if (!theirs_.is_grid()) {
      result = {0, 0};
      const std::vector<Progression> part = mine_.part(rank);
      for (Index s = 0; s < theirs_.ranks(); ++s) {
        Index common = 1;
        for (std::size_t a = 0; a < part.size() && common > 0; ++a) {
          common *= intersect(part[a], theirs_.part(s, a)).count;
        }
        result.peers += common > 0 ? 1 : 0;
        result.most = std::max(result.most, common);
      }
      return result;
    }
    for (std::size_t a = 0; a < mine_.axes(); ++a) {
      const Reach here = by_coord_.empty()
                             ? reach(theirs_.axis(a), mine_.part(rank, a))
                             : by_coord_[a][static_cast<std::size_t>(mine_.axis(a).coord(rank))];
      result.peers *= here.peers;
      result.most *= here.most;
    }
    return result;
  }

 private:
  const Layout& mine_;
  const Layout& theirs_;
  std::vector<std::vector<Reach>> by_coord_;
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
  const Partners receivers(from, to);
  const Partners senders(to, from);
  const Index ranks = std::max(from.ranks(), to.ranks());
  for (Index r = 0; r < ranks; ++r) {
    Index held = r < from.ranks() ? 1 : 0;
    Index wanted = r < to.ranks() ? 1 : 0;
    Index kept = std::min(held, wanted);
    for (std::size_t a = 0; a < from.axes(); ++a) {
      const Progression before = from.part(r, a);
      const Progression after = to.part(r, a);
      held *= before.count;
      wanted *= after.count;
      if (kept > 0) kept *= intersect(before, after).count;
    }
    const Index own = kept > 0 ? 1 : 0;
    const Reach out = held > 0 ? receivers.of(r) : Reach{};
    const Reach in = wanted > 0 ? senders.of(r) : Reach{};
    result.elements += held - kept;
    result.messages += out.peers - (held > 0 ? own : 0);
    result.most_sent = std::max(result.most_sent, held - kept);
    result.most_received = std::max(result.most_received, wanted - kept);
    result.most_messages_sent = std::max(result.most_messages_sent, out.peers - own);
    result.most_messages_received = std::max(result.most_messages_received, in.peers - own);
    result.largest_message = std::max(result.largest_message, out.most);
  }
  return result;
}

}  // namespace kallima

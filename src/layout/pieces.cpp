// SPDX-License-Identifier: BSD-3-Clause

#include "layout/pieces.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "kallima/error.hpp"
#include "layout/box_table.hpp"
#include "layout/peers.hpp"

namespace kallima {

namespace {

struct Common {
  Index coord = 0;     // coordinate on the other side
  Progression global;  // common indices
};

/// Coordinates of `axis` that hold some of `part`, ascending. O(as many).
std::vector<Common> in_common(const Axis& axis, const Progression& part) {
  std::vector<Common> result;
  // Within a group the members come back to the first one's coordinate behind so many.
  const Index round = axis.cycle / std::gcd(part.step, axis.cycle);
  for (Index met = 0; met < part.count;) {
    const Index group = axis.group_of(part.at(met));
    const Index begin = axis.group_begin(group);
    const Index end = axis.group_begin(group + 1);
    const Index members = std::min(part.count - met, ceil_div(end - part.at(met), part.step));
    const auto first = static_cast<std::ptrdiff_t>(result.size());
    for (Index i = 0; i < std::min(members, round); ++i) {
      const Index index = part.at(met + i);
      result.push_back({group * axis.cycle + (index - begin) % axis.cycle,
                        Progression::make(index, part.step * round, ceil_div(members - i, round))});
    }
    std::sort(result.begin() + first, result.end(),
              [](const Common& x, const Common& y) { return x.coord < y.coord; });
    met += members;
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

/// Calls visit(peer, common indices per axis) for the ranks of a grid that hold some of a part,
/// ascending.
template <class Visit>
void for_each_peer(const std::vector<Progression>& part, const Layout& grid, Visit visit) {
  // With the axis outside that counts slowest over the ranks, they are met in order.
  std::vector<std::size_t> axes(part.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return grid.axis(a).rank_stride * grid.axis(a).procs >
           grid.axis(b).rank_stride * grid.axis(b).procs;
  });
  std::vector<std::vector<Common>> along;
  for (const std::size_t a : axes) {
    along.push_back(in_common(grid.axis(a), part[a]));
    if (along.back().empty()) return;
  }
  std::vector<std::size_t> at(part.size(), 0);
  std::vector<Progression> common(part.size());
  for (;;) {
    Index peer = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const Common& here = along[i][at[i]];
      peer += here.coord * grid.axis(axes[i]).rank_stride;
      common[axes[i]] = here.global;
    }
    visit(peer, static_cast<const std::vector<Progression>&>(common));
    std::size_t i = axes.size();
    while (i > 0 && ++at[i - 1] == along[i - 1].size()) at[--i] = 0;
    if (i == 0) return;
  }
}

/// The same for a rank's part and any layout.
template <class Visit>
void for_each_peer(const Layout& mine, const Layout& theirs, Index rank, Visit visit) {
  if (mine.local_size(rank) == 0) return;
  const std::vector<Progression> part = mine.local_indices(rank);
  if (theirs.is_grid()) return for_each_peer(part, theirs, visit);
  std::vector<Progression> common(part.size());
  for (const Index peer : theirs.box_table()->meeting(part)) {
    bool any = true;  // a cyclic axis can miss a box
    for (std::size_t a = 0; a < part.size() && any; ++a) {
      common[a] = intersect(part[a], theirs.local_indices(peer, a));
      any = !common[a].empty();
    }
    if (any) visit(peer, static_cast<const std::vector<Progression>&>(common));
  }
}

/// Calls visit(peer, number of the peer's part, common indices per axis) for what one part of a
/// rank has in common with any layout.
template <class Visit>
void for_each_part_met(const std::vector<Progression>& part, const Layout& theirs, Visit visit) {
  if (theirs.is_grid()) {
    for_each_peer(part, theirs, [&](Index peer, const std::vector<Progression>& common) {
      visit(peer, std::size_t{0}, common);
    });
    return;
  }
  const BoxTable& table = *theirs.box_table();
  std::vector<Progression> common(part.size());
  for (const Index number : table.meeting(part)) {
    const Box& box = table.boxes()[static_cast<std::size_t>(number)];
    bool any = true;
    for (std::size_t a = 0; a < part.size() && any; ++a) {
      common[a] = intersect(part[a], Progression::make(box.low[a], 1, box.high[a] - box.low[a]));
      any = !common[a].empty();
    }
    const Index owner = table.owner(number);
    const auto of_owner = static_cast<std::size_t>(number - table.of_rank(owner).first);
    if (any) visit(owner, of_owner, static_cast<const std::vector<Progression>&>(common));
  }
}

bool have_several_boxes(const Layout& a, const Layout& b) {
  return a.several_boxes() || b.several_boxes();
}

}  // namespace

std::vector<BoxPiece> box_pieces(const Layout& mine, const Layout& theirs, Index rank,
                                 bool sending) {
  std::vector<BoxPiece> result;
  const std::vector<LocalPart> parts = mine.parts(rank);
  for (std::size_t number = 0; number < parts.size(); ++number) {
    for_each_part_met(
        parts[number].indices, theirs,
        [&](Index peer, std::size_t of_peer, const std::vector<Progression>& common) {
          result.push_back({peer, number, of_peer, common, product_of_counts(common)});
        });
  }
  std::sort(result.begin(), result.end(), [&](const BoxPiece& a, const BoxPiece& b) {
    if (a.peer != b.peer) return a.peer < b.peer;
    const auto key = [&](const BoxPiece& piece) {
      return sending ? std::pair(piece.mine, piece.theirs) : std::pair(piece.theirs, piece.mine);
    };
    return key(a) < key(b);
  });
  return result;
}

std::vector<Piece> pieces(const Layout& mine, const Layout& theirs, Index rank) {
  if (have_several_boxes(mine, theirs)) {
    throw InternalError("pieces of ranks that have several boxes");
  }
  std::vector<Piece> result;
  const std::vector<Progression> part = mine.local_indices(rank);
  for_each_peer(mine, theirs, rank, [&](Index peer, const std::vector<Progression>& common) {
    result.push_back({peer, places_in(part, common), product_of_counts(common)});
  });
  return result;
}

std::vector<Peer> peers_of(const Layout& mine, const Layout& theirs, Index rank) {
  std::vector<Peer> result;
  if (have_several_boxes(mine, theirs)) {
    for (const LocalPart& part : mine.parts(rank)) {
      for_each_part_met(part.indices, theirs,
                        [&](Index peer, std::size_t, const std::vector<Progression>& common) {
                          result.push_back({peer, product_of_counts(common)});
                        });
    }
    const auto before = [](const Peer& a, const Peer& b) { return a.rank < b.rank; };
    if (!std::is_sorted(result.begin(), result.end(), before)) {
      std::sort(result.begin(), result.end(), before);
    }
    std::size_t kept = 0;
    for (std::size_t i = 1; i < result.size(); ++i) {
      if (result[i].rank == result[kept].rank) {
        result[kept].size += result[i].size;
      } else {
        result[++kept] = result[i];
      }
    }
    if (!result.empty()) result.resize(kept + 1);
    return result;
  }
  for_each_peer(mine, theirs, rank, [&](Index peer, const std::vector<Progression>& common) {
    result.push_back({peer, product_of_counts(common)});
  });
  return result;
}

std::vector<Index> coords_of(const Axis& axis, const Progression& part) {
  std::vector<Index> result;
  for (const Common& common : in_common(axis, part)) result.push_back(common.coord);
  return result;
}

Index common_size(const Layout& mine, Index rank, const Layout& theirs, Index peer) {
  if (have_several_boxes(mine, theirs)) {
    Index sum = 0;
    for (const LocalPart& here : mine.parts(rank)) {
      for (const LocalPart& there : theirs.parts(peer)) {
        Index common = 1;
        for (std::size_t a = 0; a < mine.axes() && common > 0; ++a) {
          common *= intersect(here.indices[a], there.indices[a]).count;
        }
        sum += common;
      }
    }
    return sum;
  }
  Index size = rank < mine.ranks() && peer < theirs.ranks() ? 1 : 0;
  for (std::size_t a = 0; a < mine.axes() && size > 0; ++a) {
    size *= intersect(mine.local_indices(rank, a), theirs.local_indices(peer, a)).count;
  }
  return size;
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kallima/layout.hpp"
#include "layout/pieces.hpp"

namespace kallima {

/// A rank that another one has something in common with.
struct Peer {
  Index rank = 0;
  Index size = 0;  ///< elements, at least 1
};

/// What pieces() lists, without the places: for those who only count.
std::vector<Peer> peers_of(const Layout& mine, const Layout& theirs, Index rank);

/// Coordinates of an axis that hold some of a part, ascending. O(as many).
std::vector<Index> coords_of(const Axis& axis, const Progression& part);

/// Elements that `rank`, holding its part of `mine`, has in common with `peer` in `theirs`.
/// O(axes).
Index common_size(const Layout& mine, Index rank, const Layout& theirs, Index peer);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Which elements the margins of a rank's array stand for, and who holds them. Pure: no MPI.
//
// Beside a rank's own part lie margins. Along each axis they go on where the part ends, and round
// the end of the array where the axis is periodic. So what a margin stands for is a product of
// ranges of indices, corners included, and what of it one rank holds is such a product again:
// however wide margins are, however many ranks they reach over.
#pragma once

#include <vector>

#include "kallima/layout.hpp"

namespace kallima {

/// A box of elements in a rank's array.
struct HaloBox {
  Shape low;    ///< place of its first element along each axis, from the rank's first own element
                ///< on; negative in margins below
  Shape count;  ///< elements along each axis

  friend bool operator==(const HaloBox&, const HaloBox&) = default;
};

/// Boxes that one rank sends to another, or receives from it, in the order in which both have them.
struct HaloPeer {
  Index rank = 0;
  Index elements = 0;
  std::vector<HaloBox> boxes;

  friend bool operator==(const HaloPeer&, const HaloPeer&) = default;
};

/// What one rank does to have its margins right.
struct HaloPieces {
  /// What it has itself: copied.
  struct Kept {
    HaloBox from;
    HaloBox to;
  };
  std::vector<Kept> kept;
  std::vector<HaloPeer> sends;     ///< by ascending rank
  std::vector<HaloPeer> receives;  ///< likewise
};

/// InvalidLayout where an axis is not distributed in blocks, or margins are narrower than the
/// widths; InvalidOption for another number of widths or periodic axes than there are axes.
void validate_halo(const Layout& layout, const std::vector<Margin>& widths,
                   const std::vector<bool>& periodic);

/// Of one rank. What lies outside of an axis that is not periodic is left alone. O(P 3^d).
HaloPieces halo_pieces(const Layout& layout, const std::vector<Margin>& widths,
                       const std::vector<bool>& periodic, Index rank);

}  // namespace kallima

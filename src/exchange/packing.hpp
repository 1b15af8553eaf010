// SPDX-License-Identifier: BSD-3-Clause
//
// In which order the elements of a piece lie in a message, or in memory that ranks share: that in
// which the sweep behind the exchange takes them, so that it reads memory in order. Rows that lie a
// power of two apart, as they do in an array, meet in few sets of the caches, and nothing that is
// fetched ahead stays there; measured, such a sweep takes twice as long. The sweep before writes
// runs that are as long as a tile is wide, past the caches, which costs it little.
#pragma once

#include <vector>

#include "exchange/hermitian.hpp"
#include "exchange/site.hpp"

namespace kallima {

/// Digits, slowest first. Where `panel` is not 0, the last one is cut into panels of so many
/// places, which are slower than the one before it.
struct Packing {
  std::vector<int> order;
  Index panel = 0;
};

/// Of the pieces of an exchange that is not that of k with n - k. Where it goes in chunks, and
/// where ranks have several boxes, elements lie as in the layout behind it.
Packing packing_at(const Site& site);

/// How a piece with these places lies in its message: in one part, or, where panels do not divide
/// it, in two.
std::vector<CutPart> packed_parts(const std::vector<Progression>& places, const Packing& packing);

}  // namespace kallima

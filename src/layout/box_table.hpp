// SPDX-License-Identifier: BSD-3-Clause
//
// A table of boxes, one per rank or several, that finds those which meet a part without looking at
// all: a tree of boxes around boxes, halved at the middle of its longest side. Copies of a layout
// share it.
//
// Rejected: sorting along one axis. Boxes of pencils all lie alike along the axis that is whole.
#pragma once

#include <utility>
#include <vector>

#include "kallima/layout.hpp"

namespace kallima {

class BoxTable {
 public:
  /// Boxes of as many axes each, one per rank. O(P log P).
  explicit BoxTable(std::vector<Box> boxes);
  /// The same, where box i belongs to rank owners[i], ascending; some ranks below `ranks` may have
  /// none.
  BoxTable(std::vector<Box> boxes, std::vector<Index> owners, Index ranks);

  [[nodiscard]] const std::vector<Box>& boxes() const { return boxes_; }
  /// True where there is not one box per rank.
  [[nodiscard]] bool several() const { return !owners_.empty(); }
  /// Whose a box is.
  [[nodiscard]] Index owner(Index number) const {
    return several() ? owners_[static_cast<std::size_t>(number)] : number;
  }
  /// Numbers of the boxes of a rank: [begin, end).
  [[nodiscard]] std::pair<Index, Index> of_rank(Index rank) const {
    if (!several()) return {rank, rank + 1};
    const auto r = static_cast<std::size_t>(rank);
    return {first_of_rank_[r], first_of_rank_[r + 1]};
  }

  /// Numbers of the boxes that have an index between the first and the last of a part along every
  /// axis, ascending. O(log P) and as many as are found, for boxes that are not all long and thin.
  [[nodiscard]] std::vector<Index> meeting(const std::vector<Progression>& part) const;

 private:
  /// Numbers [begin, end) of numbers_, inside a box.
  struct Node {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t left = 0;   // node of the first half; 0 for a leaf
    std::size_t right = 0;  // and of the second
    Box around;
  };

  [[nodiscard]] const Box& box(Index number) const {
    return boxes_[static_cast<std::size_t>(number)];
  }
  void make_tree();
  /// Makes the node of numbers [begin, end) and those below it.
  std::size_t add(std::size_t begin, std::size_t end);

  std::vector<Box> boxes_;
  std::vector<Index> owners_;         // of boxes; empty: one per rank
  std::vector<Index> first_of_rank_;  // number of a rank's first box, and the end
  std::vector<Index> numbers_;        // of boxes that are not empty
  std::vector<Node> nodes_;
};

}  // namespace kallima

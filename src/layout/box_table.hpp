// SPDX-License-Identifier: BSD-3-Clause
//
// A table of boxes, one per rank, that finds those which meet a part without looking at all: a tree
// of boxes around boxes, halved at the middle of its longest side. Copies of a layout share it.
//
// Rejected: sorting along one axis. Boxes of pencils all lie alike along the axis that is whole.
#pragma once

#include <vector>

#include "kallima/layout.hpp"

namespace kallima {

class BoxTable {
 public:
  /// Boxes of as many axes each. O(P log P).
  explicit BoxTable(std::vector<Box> boxes);

  [[nodiscard]] const std::vector<Box>& boxes() const { return boxes_; }

  /// Ranks whose boxes have an index between the first and the last of a part along every axis,
  /// ascending. O(log P) and as many as are found, for boxes that are not all long and thin.
  [[nodiscard]] std::vector<Index> meeting(const std::vector<Progression>& part) const;

 private:
  /// Ranks [begin, end) of ranks_, inside a box.
  struct Node {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t left = 0;   // node of the first half; 0 for a leaf
    std::size_t right = 0;  // and of the second
    Box around;
  };

  [[nodiscard]] const Box& box(Index rank) const { return boxes_[static_cast<std::size_t>(rank)]; }
  /// Makes the node of ranks [begin, end) and those below it.
  std::size_t add(std::size_t begin, std::size_t end);

  std::vector<Box> boxes_;
  std::vector<Index> ranks_;  // whose boxes are not empty
  std::vector<Node> nodes_;
};

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays cut into boxes at random.
#pragma once

#include <vector>

#include "kallima/layout.hpp"
#include "support/random.hpp"

namespace kallima::test {

inline bool is_empty(const Box& box) {
  for (std::size_t a = 0; a < box.low.size(); ++a) {
    if (box.low[a] == box.high[a]) return true;
  }
  return false;
}

/// So many boxes by cutting one in two, again and again; some may be empty.
inline void cut(Random& random, const Box& box, Index count, std::vector<Box>& boxes) {
  if (count == 1) {
    boxes.push_back(box);
    return;
  }
  const auto axis =
      static_cast<std::size_t>(random.between(0, static_cast<Index>(box.low.size()) - 1));
  const Index share = random.between(1, count - 1);
  Box lower = box;
  Box upper = box;
  lower.high[axis] = upper.low[axis] = random.between(box.low[axis], box.high[axis]);
  cut(random, lower, share, boxes);
  cut(random, upper, count - share, boxes);
}

/// So many boxes that tile an array.
inline std::vector<Box> random_boxes(Random& random, const Shape& shape, Index count) {
  std::vector<Box> boxes;
  cut(random, {Shape(shape.size(), 0), shape}, count, boxes);
  return boxes;
}

/// Boxes dealt to ranks at random: some get several, some none. Empty ones are left out.
inline std::vector<std::vector<Box>> dealt(Random& random, const std::vector<Box>& boxes,
                                           Index ranks) {
  std::vector<std::vector<Box>> of_ranks(static_cast<std::size_t>(ranks));
  for (const Box& box : boxes) {
    if (is_empty(box)) continue;
    of_ranks[static_cast<std::size_t>(random.between(0, ranks - 1))].push_back(box);
  }
  return of_ranks;
}

}  // namespace kallima::test

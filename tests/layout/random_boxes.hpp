// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kallima/layout.hpp"
#include "support/random.hpp"

namespace kallima::test {

/// Boxes by cutting one in two, again and again, so many times in a row at most. None is empty.
inline void cut_into(Random& random, const Box& box, int depth, std::vector<Box>& boxes) {
  const auto axis =
      static_cast<std::size_t>(random.between(0, static_cast<Index>(box.low.size()) - 1));
  if (depth == 0 || box.high[axis] - box.low[axis] < 2) {
    boxes.push_back(box);
    return;
  }
  Box lower = box;
  Box upper = box;
  lower.high[axis] = upper.low[axis] = random.between(box.low[axis] + 1, box.high[axis] - 1);
  cut_into(random, lower, depth - 1, boxes);
  cut_into(random, upper, depth - 1, boxes);
}

inline std::vector<Box> random_boxes(Random& random, const Shape& shape, int depth) {
  std::vector<Box> boxes;
  cut_into(random, {Shape(shape.size(), 0), shape}, depth, boxes);
  return boxes;
}

}  // namespace kallima::test

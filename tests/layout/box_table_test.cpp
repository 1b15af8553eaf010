// SPDX-License-Identifier: BSD-3-Clause
#include "layout/box_table.hpp"

#include <gtest/gtest.h>

#include "layout/pieces.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;

Progression random_part(Dice& dice, Index n) {
  const Index first = dice.roll(0, n - 1);
  const Index step = dice.roll(1, 3);
  return Progression::make(first, step, dice.roll(0, (n - 1 - first) / step + 1));
}

TEST(BoxTable, finds_the_boxes_that_meet_a_part_and_no_others) {
  Dice dice(31);
  for (int i = 0; i < 40; ++i) {
    const Shape shape{dice.roll(1, 40), dice.roll(1, 40), dice.roll(1, 40)};
    const BoxTable table(samples::random_boxes(dice, shape, dice.roll(0, 300), dice.roll(0, 3)));
    for (int j = 0; j < 50; ++j) {
      std::vector<Progression> part;
      for (const Index n : shape) part.push_back(random_part(dice, n));
      std::vector<Index> wanted;
      for (std::size_t rank = 0; rank < table.boxes().size(); ++rank) {
        const Box& box = table.boxes()[rank];
        bool meets = true;
        for (std::size_t a = 0; a < 3; ++a) {
          meets = meets && box.low[a] < box.high[a] && !part[a].empty() &&
                  part[a].first < box.high[a] && part[a].last() >= box.low[a];
        }
        if (meets) wanted.push_back(static_cast<Index>(rank));
      }
      ASSERT_EQ(table.meeting(part), wanted);
    }
  }
}

TEST(BoxTable, is_shared_by_copies_of_a_layout_and_equal_where_its_boxes_are) {
  Dice dice(32);
  const Shape shape{9, 8, 7};
  const std::vector<Box> boxes = samples::random_boxes(dice, shape, 20, 1);
  const Layout layout = Layout::boxes(shape, boxes);
  const Layout copy = layout.with_order({2, 0, 1});
  EXPECT_EQ(copy.box_table(), layout.box_table());
  EXPECT_NE(copy, layout);
  EXPECT_EQ(copy.with_order({0, 1, 2}), layout);
  EXPECT_EQ(Layout::boxes(shape, boxes), layout);
  EXPECT_NE(Layout::boxes(shape, samples::random_boxes(dice, shape, 20, 1)), layout);
  EXPECT_EQ(Layout::block(shape, {1, 1, 1}).box_table(), nullptr);
  EXPECT_TRUE(Layout::block(shape, {1, 1, 1}).table().empty());
}

/// The boxes of a grid in blocks.
Layout as_boxes(const Layout& grid) {
  std::vector<Box> boxes;
  for (Index rank = 0; rank < grid.ranks(); ++rank) {
    Box box;
    for (std::size_t a = 0; a < grid.axes(); ++a) {
      const Progression part = grid.local_indices(rank, a);
      box.low.push_back(part.first);
      box.high.push_back(part.first + part.count);
    }
    boxes.push_back(box);
  }
  return Layout::boxes(grid.shape(), boxes);
}

TEST(BoxTable, counts_what_the_same_grid_counts) {
  const Shape shape{40, 37, 20};
  const Layout grid = Layout::pencil(shape, 2, 16, 16);
  const Layout boxes = as_boxes(grid);
  for (const Layout& other :
       {Layout::slab(shape, 37, 1), Layout::parse("z:all y:block/16@1 x:cyclic/16@16", shape),
        Layout::parse("z:cycle4/8 y:all x:block/20", shape), Layout::cyclic(shape, {4, 8, 8})}) {
    EXPECT_EQ(traffic(boxes, other), traffic(grid, other)) << other.to_text();
    EXPECT_EQ(traffic(other, boxes), traffic(other, grid)) << other.to_text();
    for (const Index per_node : {1, 6, 64}) {
      EXPECT_EQ(traffic_by_node(boxes, other, per_node), traffic_by_node(grid, other, per_node));
      EXPECT_EQ(traffic_by_node(other, boxes, per_node), traffic_by_node(other, grid, per_node));
    }
  }
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of boxes: what is refused and why. The library decides by adding up signed corners; here
// every element is counted.
#include <gtest/gtest.h>

#include <algorithm>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "layout/samples.hpp"
#include "support/text.hpp"

namespace kallima {
namespace {

using samples::Dice;
using samples::for_each_index;
using test::mentions;

std::string refusal(const Shape& shape, const std::vector<Box>& boxes,
                    const std::vector<int>& order = {}) {
  try {
    Layout::boxes(shape, boxes, order);
  } catch (const InvalidLayout& error) {
    return error.what();
  }
  return {};
}

struct Cover {
  Index gaps = 0;
  Index overlaps = 0;
};

Cover count_cover(const Shape& shape, const std::vector<Box>& boxes) {
  Cover cover;
  for_each_index(shape, [&](const std::vector<Index>& index) {
    Index holders = 0;
    for (const Box& box : boxes) {
      bool inside = true;
      for (std::size_t a = 0; a < shape.size(); ++a) {
        inside = inside && box.low[a] <= index[a] && index[a] < box.high[a];
      }
      holders += inside ? 1 : 0;
    }
    cover.gaps += holders == 0 ? 1 : 0;
    cover.overlaps += holders > 1 ? 1 : 0;
  });
  return cover;
}

TEST(Boxes, heffte_pr56_overlapping_or_gapped_boxes_are_refused) {
  // The same number of elements as the array, but one plane twice and one never.
  const std::string both = refusal({4, 4}, {{{0, 0}, {2, 4}}, {{1, 0}, {3, 4}}});
  EXPECT_TRUE(mentions(both, "boxes of ranks 0 (0:2 0:4) and 1 (1:3 0:4) overlap")) << both;
  const std::string gap = refusal({4, 4}, {{{0, 0}, {2, 4}}, {{3, 0}, {4, 4}}});
  EXPECT_TRUE(mentions(gap, "leave 4 of the 16 elements of 4x4 to nobody")) << gap;
  const std::string twice = refusal({4}, {{{0}, {4}}, {{0}, {4}}});
  EXPECT_TRUE(mentions(twice, "overlap")) << twice;
  const std::string nobody = refusal({4}, {{{0}, {0}}});
  EXPECT_TRUE(mentions(nobody, "leave 4 of the 4 elements")) << nobody;
}

TEST(Boxes, hypre_1599_a_rank_without_rows_is_allowed) {
  const Layout layout =
      Layout::boxes({6, 5}, {{{0, 0}, {3, 5}}, {{3, 0}, {3, 5}}, {{3, 0}, {6, 5}}});
  EXPECT_EQ(layout.ranks(), 3);
  EXPECT_EQ(layout.active_ranks(), 2);
  EXPECT_EQ(layout.local_size(1), 0);
  EXPECT_TRUE(layout.local_indices(1, 0).empty());
  EXPECT_EQ(layout.owner({3, 0}), 2);
  EXPECT_TRUE(layout.whole(1));
}

TEST(Boxes, empty_boxes_are_equal_wherever_they_are) {
  const Layout here = Layout::boxes({4}, {{{0}, {4}}, {{2}, {2}}});
  const Layout there = Layout::boxes({4}, {{{0}, {4}}, {{4}, {4}}});
  EXPECT_EQ(here, there);
}

TEST(Boxes, tables_that_do_not_fit_the_shape_are_refused) {
  EXPECT_TRUE(mentions(refusal({4}, {}), "needs one box per rank"));
  EXPECT_TRUE(mentions(refusal({4, 4}, {{{0}, {4}}}), "1 and 1 edges for 2 axes"));
  EXPECT_TRUE(mentions(refusal({4}, {{{0}, {4, 4}}}), "1 and 2 edges for 1 axes"));
  EXPECT_TRUE(mentions(refusal({4}, {{{-1}, {4}}}), "rank 0 (-1:4) does not lie inside 4"));
  EXPECT_TRUE(mentions(refusal({4}, {{{0}, {5}}}), "does not lie inside 4"));
  EXPECT_TRUE(mentions(refusal({4}, {{{3}, {2}}, {{0}, {4}}}), "rank 0 (3:2)"));
  EXPECT_TRUE(mentions(refusal({4}, {{{0}, {4}}}, {1}), "memory order [1]"));
  const Shape seven(7, 1);
  EXPECT_TRUE(mentions(refusal(seven, {{Shape(7, 0), seven}}), "at most 6 axes"));
}

TEST(Boxes, an_axis_without_indices_is_refused_as_in_a_grid) {
  EXPECT_TRUE(mentions(refusal({0}, {{{0}, {0}}}), "extent 0"));
  EXPECT_TRUE(mentions(refusal({4, 0}, {{{0, 0}, {4, 0}}}), "extent 0"));
}

TEST(Boxes, the_corner_sum_refuses_exactly_what_counting_refuses) {
  Dice dice(77);
  Index good = 0;
  Index gapped = 0;
  Index overlapping = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Shape shape;
    const Index axes = dice.roll(1, 4);
    for (Index a = 0; a < axes; ++a) shape.push_back(dice.roll(1, axes > 2 ? 3 : 6));
    std::vector<Box> boxes = samples::random_boxes(dice, shape, dice.roll(0, 6), dice.roll(0, 1));
    // Spoil some: move an edge, shift a box, repeat one, drop one; sometimes two of these, which
    // may fix each other.
    for (Index spoils = dice.roll(0, 2); spoils > 0; --spoils) {
      const auto at = static_cast<std::size_t>(dice.roll(0, static_cast<Index>(boxes.size()) - 1));
      const auto a = static_cast<std::size_t>(dice.roll(0, axes - 1));
      Box& box = boxes[at];
      switch (dice.roll(0, 3)) {
        case 0:
          box.low[a] = dice.roll(0, box.high[a]);
          break;
        case 1:
          box.high[a] = dice.roll(box.low[a], shape[a]);
          break;
        case 2: {
          const Index size = box.high[a] - box.low[a];
          box.low[a] = dice.roll(0, shape[a] - size);
          box.high[a] = box.low[a] + size;
          break;
        }
        default:
          if (boxes.size() > 1) boxes[at] = boxes[(at + 1) % boxes.size()];
      }
    }
    const Cover cover = count_cover(shape, boxes);
    const std::string why = refusal(shape, boxes);
    ASSERT_EQ(why.empty(), cover.gaps == 0 && cover.overlaps == 0) << why;
    if (cover.overlaps > 0) {
      ASSERT_TRUE(mentions(why, "overlap")) << why;
      ++overlapping;
    } else if (cover.gaps > 0) {
      ASSERT_TRUE(mentions(why, "leave " + std::to_string(cover.gaps) + " of the")) << why;
      ++gapped;
    } else {
      ++good;
    }
  }
  // The test is only one while all three happen often.
  EXPECT_GT(good, 1000);
  EXPECT_GT(gapped, 1000);
  EXPECT_GT(overlapping, 1000);
}

TEST(Boxes, many_boxes_are_checked_without_comparing_pairs) {
  const Index side = 256;
  std::vector<Box> boxes;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) boxes.push_back({{i, 4 * j, 0}, {i + 1, 4 * j + 4, 1000}});
  }
  const Layout layout = Layout::boxes({side, 4 * side, 1000}, boxes);
  EXPECT_EQ(layout.ranks(), side * side);
  EXPECT_EQ(layout.largest_local_size(), 4000);
}

}  // namespace
}  // namespace kallima

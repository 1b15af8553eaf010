// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures are for people, so they are compared literally: whoever changes one looks at it.
#include <gtest/gtest.h>

#include "kallima/layout.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

/// On lines of its own, as the literals below are.
std::string picture_of(const Layout& layout) {
  std::string result(1, '\n');
  result += layout.picture();
  return result;
}

std::string picture_of(const char* text, const Shape& shape) {
  return picture_of(Layout::parse(text, shape));
}

TEST(Picture, blocks_down_and_cards_across) {
  EXPECT_EQ(picture_of("y:block/2 x:cyclic/3", {4, 6}), R"(
  x=  0 1 2 3 4 5
 y=0  0 1 2 0 1 2
 y=1  0 1 2 0 1 2
 y=2  3 4 5 3 4 5
 y=3  3 4 5 3 4 5
)");
}

TEST(Picture, one_axis_is_one_line_of_ranks) {
  EXPECT_EQ(picture_of("x:cycle2/4", {12}), R"(
  x=   0  1  2  3  4  5  6  7  8  9 10 11
rank   0  1  0  1  0  1  2  3  2  3  2  3
)");
}

TEST(Picture, of_three_axes_the_cut_ones_are_shown) {
  EXPECT_EQ(picture_of("z:block/4 y:all x:block/3", {4, 100, 6}), R"(
  x=   0  1  2  3  4  5
 z=0   0  0  1  1  2  2
 z=1   3  3  4  4  5  5
 z=2   6  6  7  7  8  8
 z=3   9  9 10 10 11 11
)");
}

TEST(Picture, long_blocks_are_sampled_evenly) {
  EXPECT_EQ(picture_of("z:block/16@1 y:block/12@16 x:all", {200, 200, 200}), R"(
   y=    0  12  25  37  50  62  75  87 100 112 125 137 150 162 175 187
  z=0    0   0  16  32  32  48  64  80  80  96 112 128 128 144 160 176
 z=25    1   1  17  33  33  49  65  81  81  97 113 129 129 145 161 177
 z=50    3   3  19  35  35  51  67  83  83  99 115 131 131 147 163 179
 z=75    5   5  21  37  37  53  69  85  85 101 117 133 133 149 165 181
z=100    7   7  23  39  39  55  71  87  87 103 119 135 135 151 167 183
z=125    9   9  25  41  41  57  73  89  89 105 121 137 137 153 169 185
z=150   11  11  27  43  43  59  75  91  91 107 123 139 139 155 171 187
z=175   13  13  29  45  45  61  77  93  93 109 125 141 141 157 173 189
)");
}

TEST(Picture, long_cards_show_their_beginning_and_say_that_more_follow) {
  EXPECT_EQ(picture_of("y:cyclic/2 x:cyclic/3", {9, 20}), R"(
  x=   0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 ...
 y=0   0  1  2  0  1  2  0  1  2  0  1  2  0  1  2  0 ...
 y=1   3  4  5  3  4  5  3  4  5  3  4  5  3  4  5  3 ...
 y=2   0  1  2  0  1  2  0  1  2  0  1  2  0  1  2  0 ...
 y=3   3  4  5  3  4  5  3  4  5  3  4  5  3  4  5  3 ...
 y=4   0  1  2  0  1  2  0  1  2  0  1  2  0  1  2  0 ...
 y=5   3  4  5  3  4  5  3  4  5  3  4  5  3  4  5  3 ...
 y=6   0  1  2  0  1  2  0  1  2  0  1  2  0  1  2  0 ...
 y=7   3  4  5  3  4  5  3  4  5  3  4  5  3  4  5  3 ...
 ...
)");
}

TEST(Picture, boxes_are_shown_like_grids) {
  EXPECT_EQ(picture_of("boxes y x | 0:2 0:4 | 2:4 0:2 | 2:4 2:4", {4, 4}), R"(
  x=  0 1 2 3
 y=0  0 0 0 0
 y=1  0 0 0 0
 y=2  1 1 2 2
 y=3  1 1 2 2
)");
}

TEST(Picture, every_layout_has_one_even_a_very_long_one) {
  samples::Dice dice(3);
  for (const Shape& shape : {Shape{1}, Shape{40}, Shape{3, 50}, Shape{2, 3, 4, 5}}) {
    for (const Layout& layout : samples::assorted(dice, shape, 10, 5)) {
      EXPECT_FALSE(layout.picture().empty());
    }
  }
  EXPECT_FALSE(Layout::block({max_elements}, {96}).picture().empty());
  EXPECT_EQ(Layout().picture(), "");
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;

TEST(LayoutText, parsing_restores_an_equal_layout) {
  Dice dice(1);
  const std::vector<Shape> shapes = {{1},       {12},         {5, 1},          {6, 7},
                                     {4, 5, 6}, {3, 2, 3, 2}, {2, 2, 3, 2, 2}, {2, 2, 2, 2, 2, 2}};
  for (const Shape& shape : shapes) {
    for (const Layout& layout : samples::assorted(dice, shape, 60, 20)) {
      const std::string text = layout.to_text();
      const Layout back = Layout::parse(text, shape);
      ASSERT_EQ(back, layout) << text;
      ASSERT_EQ(back.to_text(), text);
    }
  }
}

TEST(LayoutText, every_word_means_what_the_header_says) {
  const Shape shape{8, 8, 8};
  constexpr Rule even = Rule::balanced;
  struct Case {
    const char* text;
    Layout layout;
  };
  const std::vector<Case> cases = {
      {"z:block/4 y:all x:cyclic/2", Layout::group_cyclic(shape, {4, 1, 2}, {1, 1, 2})},
      {"z:block/4:ceil y:all x:all", Layout::slab(shape, 4, 0, Rule::ceil)},
      {"z:block/4:balanced y:all x:all", Layout::slab(shape, 4)},
      {"z:all y:all x:cycle2/8", Layout::group_cyclic(shape, {1, 1, 8}, {1, 1, 2})},
      {"z:block/4@1 y:block/2@4 x:all",
       Layout::grid({{8, 4, 1, 1, even}, {8, 2, 1, 4, even}, {8, 1, 1, 1, even}})},
      {"x:all z:block/2 y:all", Layout::slab(shape, 2).with_order({2, 0, 1})},
      {"  z:block/2\ty:all   x:all \n", Layout::slab(shape, 2)},
      {"boxes z y x | 0:4 0:8 0:8 | 4:8 0:8 0:8",
       Layout::boxes(shape, {{{0, 0, 0}, {4, 8, 8}}, {{4, 0, 0}, {8, 8, 8}}})},
      {"boxes x y z | 0:8 0:8 0:4 | 0:8 0:8 4:8",
       Layout::boxes(shape, {{{0, 0, 0}, {4, 8, 8}}, {{4, 0, 0}, {8, 8, 8}}}, {2, 1, 0})},
  };
  for (const Case& good : cases) EXPECT_EQ(Layout::parse(good.text, shape), good.layout);
}

TEST(LayoutText, strides_are_written_only_where_ranks_are_numbered_unusually) {
  constexpr Rule even = Rule::balanced;
  EXPECT_EQ(Layout::block({8, 8}, {2, 4}).to_text(), "y:block/2 x:block/4");
  EXPECT_EQ(Layout::grid({{8, 2, 1, 1, even}, {8, 4, 1, 2, even}}).to_text(),
            "y:block/2@1 x:block/4@2");
  EXPECT_EQ(Layout::grid({{8, 2, 1, 1, even}, {8, 1, 1, 9, even}, {8, 4, 1, 2, even}}).to_text(),
            "z:block/2@1 y:all x:block/4@2");
}

TEST(LayoutText, axes_can_have_other_names) {
  const std::vector<std::string> names = {"kz", "y"};
  const Layout layout = Layout::slab({8, 8}, 2).with_order({1, 0});
  EXPECT_EQ(layout.to_text(names), "y:all kz:block/2");
  EXPECT_EQ(Layout::parse("y:all kz:block/2", {8, 8}, names), layout);
  EXPECT_THROW(Layout::parse("y:all z:block/2", {8, 8}, names), ParseError);
}

TEST(LayoutText, bad_texts_are_refused_with_the_fix) {
  struct Case {
    const char* text;
    ErrorCode code;
    const char* fragment;
  };
  constexpr ErrorCode parse = ErrorCode::parse_error;
  constexpr ErrorCode layout = ErrorCode::invalid_layout;
  const std::vector<Case> cases = {
      {"", parse, "a layout text is empty; write for instance z:block/4"},
      {" \t\n", parse, "a layout text is empty"},
      {"z:block/4,y:all,x:all", parse, "separate axes by blanks and not by ','"},
      {"z:block/4; y:all; x:all", parse, "separate axes by blanks and not by ';'"},
      {"boxes z y x | 0:8,0:8,0:8", parse, "separate axes by blanks"},
      {"z", parse, "'z' should read AXIS:KIND, as in z:block/4"},
      {"z:all y:all", parse, "names 2 of the 3 axes z y x; give each, whole axes as NAME:all"},
      {"z:all y:all x:all x:all", parse, "axis x is given twice"},
      {"z:all y:all w:all", parse, "no axis is called 'w' here; the axes are z y x"},
      {"z:all y:all kx:all", parse, "no axis is called 'kx'"},
      {"Z:all y:all x:all", parse, "no axis is called 'Z'"},
      {":all y:all x:all", parse, "no axis is called ''"},
      {"z:block y:all x:all", parse, "say over how many processors, as in block/4"},
      {"z: y:all x:all", parse, "say over how many processors"},
      {"z:blok/4 y:all x:all", parse,
       "unknown kind 'blok'; use all, block/P, cyclic/P or cycleC/P"},
      {"z:/4 y:all x:all", parse, "unknown kind ''"},
      {"z:block/ y:all x:all", parse, "expected a non-negative integer, found ''"},
      {"z:block/-4 y:all x:all", parse, "expected a non-negative integer, found '-4'"},
      {"z:block/4.0 y:all x:all", parse, "expected a non-negative integer, found '4.0'"},
      {"z:block/99999999999999999999 y:all x:all", parse, "does not fit 64 bits"},
      {"z:block/0 y:all x:all", layout, "distributed to 0 processors; give at least 1"},
      {"z:cyclic/0 y:all x:all", layout, "distributed to 0 processors"},
      {"z:block/4294967296 y:all x:all", layout, "no more than 2^31 - 1"},
      {"z:cycle/4 y:all x:all", parse, "cycle of 'cycle/4'"},
      {"z:cycle0/4 y:all x:all", layout, "cycle 0 does not divide its 4 processors"},
      {"z:cycle3/4 y:all x:all", layout, "cycle 3 does not divide its 4 processors"},
      {"z:block/4:floor y:all x:all", parse, "unknown rule 'floor'; use balanced or ceil"},
      {"z:block/4: y:all x:all", parse, "unknown rule ''"},
      {"z:block/4@ y:all x:all", parse, "rank stride of 'block/4@'"},
      {"z:block/4@x y:all x:all", parse, "rank stride of 'block/4@x'"},
      {"z:block/4@2 y:all x:all", layout, "omit the strides to have ranks numbered row by row"},
      {"z:block/4@1 y:block/2 x:all", layout, "leaves a gap or an overlap"},
      {"z:block/4@1 y:block/2@2 x:all", layout, "leaves a gap or an overlap"},
      {"boxes", parse, "should name the 3 axes z y x"},
      {"boxes z y | 0:8 0:8", parse, "should name the 3 axes z y x"},
      {"boxes z y w | 0:8 0:8 0:8", parse, "no axis is called 'w'"},
      {"boxes z y y | 0:8 0:8 0:8", layout, "does not name each of the 3 axes once"},
      {"boxes z y x", layout, "needs one box per rank"},
      {"boxes z y x | 0:8 0:8", parse, "box '0:8 0:8' has 2 edges for 3 axes"},
      {"boxes z y x |", parse, "has 0 edges for 3 axes"},
      {"boxes z y x | 0:8 0:8 8", parse, "box edge '8' should read low:high"},
      {"boxes z y x | 0:8 0:8 0:8:8", parse, "box edge '0:8:8' should read low:high"},
      {"boxes z y x | 0:8 0:8 :8", parse, "lower edge: expected"},
      {"boxes z y x | 0:8 0:8 0:b", parse, "upper edge: expected"},
      {"boxes z y x | 0:8 0:8 0:9", layout, "does not lie inside 8x8x8"},
      {"boxes z y x | 0:8 0:8 5:4", layout, "does not lie inside 8x8x8"},
      {"boxes z y x | 0:8 0:8 0:4", layout, "leave 256 of the 512 elements"},
      {"boxes z y x | 0:8 0:8 0:5 | 0:8 0:8 4:8", layout, "ranks 0 (0:8 0:8 0:5) and 1"},
  };
  for (const Case& bad : cases) {
    try {
      Layout::parse(bad.text, {8, 8, 8});
      ADD_FAILURE() << "accepted: '" << bad.text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), bad.code) << bad.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.fragment), std::string::npos)
          << "'" << bad.fragment << "' is not in: " << error.what();
    }
  }
}

TEST(LayoutText, garbage_never_escapes_as_anything_but_our_errors) {
  Dice dice(99);
  const std::string letters = "zyxkbox aslcyei/@:|0123456789-.";
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text = trial % 2 == 0 ? "z:block/2@1 y:cycle2/4@2 x:all"
                                      : "boxes z y x | 0:4 0:8 0:8 | 4:8 0:8 0:8";
    for (Index changes = dice.roll(1, 4); changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(dice.roll(0, static_cast<Index>(text.size()) - 1));
      const char letter =
          letters[static_cast<std::size_t>(dice.roll(0, static_cast<Index>(letters.size()) - 1))];
      if (dice.roll(0, 2) == 0) {
        text.erase(at, 1);
      } else {
        text[at] = letter;
      }
    }
    try {
      const Layout layout = Layout::parse(text, {8, 8, 8});
      ASSERT_EQ(Layout::parse(layout.to_text(), {8, 8, 8}), layout) << text;
    } catch (const Error&) {  // refused: good
    }
  }
}

TEST(LayoutText, of_many_boxes_is_short_for_people) {
  const Shape shape = {4, 20};
  std::vector<Box> one_each;
  for (Index i = 0; i < 20; ++i) one_each.push_back({{0, i}, {4, i + 1}});
  const std::vector<Box> eight = {{{0, 0}, {4, 1}}, {{0, 1}, {4, 2}}, {{0, 2}, {4, 3}},
                                  {{0, 3}, {4, 4}}, {{0, 4}, {4, 5}}, {{0, 5}, {4, 6}},
                                  {{0, 6}, {4, 7}}, {{0, 7}, {4, 20}}};
  EXPECT_EQ(Layout::boxes(shape, one_each).summary(),
            "boxes y x | 0:4 0:1 | 0:4 1:2 | 0:4 2:3 | 0:4 3:4 | and 16 more");
  const Layout on_two = Layout::boxes_of_ranks(
      shape, {{one_each.begin(), one_each.begin() + 18}, {one_each.begin() + 18, one_each.end()}});
  EXPECT_EQ(on_two.summary(),
            "boxes y x | 0:4 0:1 & 0:4 1:2 & 0:4 2:3 & 0:4 3:4 & 14 more | 0:4 18:19 & 0:4 19:20");
  // What is parsed stays whole.
  EXPECT_EQ(Layout::parse(on_two.to_text(), shape), on_two);
  EXPECT_THROW((void)Layout::parse(on_two.summary(), shape), ParseError);
  EXPECT_EQ(Layout::boxes(shape, eight).summary(), Layout::boxes(shape, eight).to_text());
  EXPECT_EQ(Layout::slab(shape, 4).summary(), Layout::slab(shape, 4).to_text());
}

}  // namespace
}  // namespace kallima

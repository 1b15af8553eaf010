// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that lie inside of larger arrays.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"

namespace kallima {
namespace {

TEST(Margins, every_element_has_a_place_of_its_own_inside_of_them) {
  const Shape shape = {5, 4, 3};
  const std::vector<Margin> margins = {{1, 2}, {0, 3}, {2, 0}};
  for (const Layout& owners :
       {Layout::block(shape, {2, 2, 1}), Layout::cyclic(shape, {1, 2, 3}),
        Layout::slab(shape, 3).with_order({2, 0, 1}),
        Layout::boxes(shape, {{{0, 0, 0}, {5, 4, 1}}, {{0, 0, 1}, {5, 4, 3}}})}) {
    const Layout layout = owners.with_margins(margins);
    EXPECT_EQ(Layout::parse(layout.to_text(), shape), layout) << layout.to_text();
    EXPECT_EQ(layout.dense(), owners);
    EXPECT_NE(layout, owners);
    for (Index rank = 0; rank < layout.ranks(); ++rank) {
      const Shape held = layout.local_shape(rank);
      Index room = layout.local_size(rank) == 0 ? 0 : 1;
      for (std::size_t a = 0; a < 3; ++a) room *= held[a] + margins[a].below + margins[a].above;
      EXPECT_EQ(layout.allocated_size(rank), room);
    }
    std::set<std::pair<Index, Index>> places;
    for (Index z = 0; z < 5; ++z) {
      for (Index y = 0; y < 4; ++y) {
        for (Index x = 0; x < 3; ++x) {
          const Index rank = layout.owner({z, y, x});
          const Index offset = layout.offset({z, y, x});
          EXPECT_GE(offset, layout.first_offset(rank));
          EXPECT_LT(offset, layout.allocated_size(rank));
          EXPECT_TRUE(places.emplace(rank, offset).second);
        }
      }
    }
  }
}

TEST(Margins, have_a_text) {
  const Shape shape = {8, 6};
  const Layout layout = Layout::slab(shape, 2).with_margins({{2, 2}, {0, 1}});
  EXPECT_EQ(layout.to_text(), "y:block/2~2 x:all~0~1");
  EXPECT_EQ(Layout::parse("y:block/2~2 x:all~0~1", shape), layout);
  EXPECT_EQ(Layout::slab(shape, 2).with_margins(1).to_text(), "y:block/2~1 x:all~1");
  EXPECT_EQ(Layout::parse("y:block/2@1~1 x:all~1+2", shape),
            Layout::slab(shape, 2).with_margins(1).with_padding(2));
  EXPECT_EQ(Layout::slab(shape, 2).with_margins(0), Layout::slab(shape, 2));
  for (const char* const bad :
       {"y:block/2~ x:all", "y:block/2~-1 x:all", "y:block/2~1~2~3 x:all"}) {
    EXPECT_THROW((void)Layout::parse(bad, shape), ParseError) << bad;
  }
}

TEST(Margins, that_cannot_be_are_refused) {
  const Layout layout = Layout::slab({8, 6}, 2);
  EXPECT_THROW((void)layout.with_margins({{1, 1}}), InvalidLayout);
  EXPECT_THROW((void)layout.with_margins({{-1, 1}, {0, 0}}), InvalidLayout);
  EXPECT_THROW((void)layout.with_margins({{std::numeric_limits<Index>::max(), 1}, {0, 0}}),
               Overflow);
  EXPECT_THROW((void)layout.with_margins(-1), InvalidLayout);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "kallima/error.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;
using samples::for_each_index;

const std::vector<Shape>& small_shapes() {
  static const std::vector<Shape> shapes = {
      {1},    {2},    {5},    {9},       {1, 1},    {1, 6},
      {7, 1}, {4, 6}, {5, 5}, {3, 1, 4}, {4, 3, 5}, {2, 3, 2, 3},
  };
  return shapes;
}

template <class Check>
void for_many_layouts(const Check& check) {
  Dice dice(20240607);
  for (const Shape& shape : small_shapes()) {
    for (const Layout& layout : samples::assorted(dice, shape, 40, 20)) {
      SCOPED_TRACE(layout.to_text());
      check(layout);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class Type, class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const Type& error) {
    return error.what();
  } catch (const Error& error) {
    return "another type of error: " + std::string(error.what());
  }
  return "nothing was thrown";
}

TEST(Layout, every_element_has_one_owner_and_one_place) {
  for_many_layouts([](const Layout& layout) {
    const std::vector<Index> owner = samples::owners(layout);
    std::vector<std::set<Index>> places(static_cast<std::size_t>(layout.ranks()));
    std::size_t at = 0;
    for_each_index(layout.shape(), [&](const std::vector<Index>& index) {
      const Index rank = layout.owner(index);
      ASSERT_EQ(rank, owner[at++]);
      const Index place = layout.offset(index);
      ASSERT_GE(place, 0);
      ASSERT_LT(place, layout.local_size(rank));
      ASSERT_TRUE(places[static_cast<std::size_t>(rank)].insert(place).second);
    });
    Index sum = 0;
    for (Index r = 0; r < layout.ranks(); ++r) sum += layout.local_size(r);
    ASSERT_EQ(sum, volume(layout.shape()));
  });
}

TEST(Layout, memory_order_is_slowest_axis_first) {
  for_many_layouts([](const Layout& layout) {
    for (Index r = 0; r < layout.ranks(); ++r) {
      if (layout.local_size(r) == 0) continue;
      // Walk the local array in memory order: offsets must count up by one.
      Shape extents;
      for (const int a : layout.order()) {
        extents.push_back(layout.local_shape(r)[static_cast<std::size_t>(a)]);
      }
      Index next = 0;
      for_each_index(extents, [&](const std::vector<Index>& walk) {
        std::vector<Index> index(layout.axes());
        Index by_strides = 0;
        for (std::size_t i = 0; i < walk.size(); ++i) {
          const auto a = static_cast<std::size_t>(layout.order()[i]);
          index[a] = layout.local_indices(r, a).at(walk[i]);
          by_strides += walk[i] * layout.local_strides(r)[a];
        }
        ASSERT_EQ(layout.offset(index), next);
        ASSERT_EQ(by_strides, next);
        ++next;
      });
      ASSERT_EQ(next, layout.local_size(r));
    }
  });
}

TEST(Layout, summary_figures_are_those_of_counting) {
  for_many_layouts([](const Layout& layout) {
    std::vector<Index> held(static_cast<std::size_t>(layout.ranks()), 0);
    for (const Index r : samples::owners(layout)) ++held[static_cast<std::size_t>(r)];
    for (Index r = 0; r < layout.ranks(); ++r) {
      ASSERT_EQ(layout.local_size(r), held[static_cast<std::size_t>(r)]);
      ASSERT_EQ(volume(layout.local_shape(r)), layout.local_size(r));
      for (std::size_t a = 0; a < layout.axes(); ++a) {
        ASSERT_EQ(layout.local_indices(r)[a], layout.local_indices(r, a));
        ASSERT_EQ(layout.local_shape(r)[a], layout.local_indices(r, a).count);
      }
    }
    ASSERT_EQ(layout.largest_local_size(), *std::max_element(held.begin(), held.end()));
    ASSERT_EQ(layout.active_ranks(), layout.ranks() - std::count(held.begin(), held.end(), 0));
  });
}

TEST(Layout, an_axis_is_whole_where_nobody_who_holds_data_lacks_a_part_of_it) {
  for_many_layouts([](const Layout& layout) {
    for (std::size_t a = 0; a < layout.axes(); ++a) {
      bool whole = true;
      for (Index r = 0; r < layout.ranks(); ++r) {
        if (layout.local_size(r) > 0) {
          whole = whole && layout.local_shape(r)[a] == layout.shape()[a];
        }
      }
      ASSERT_EQ(layout.whole(a), whole) << "axis " << a;
    }
  });
}

TEST(Layout, ranks_beyond_the_layout_hold_nothing) {
  const Layout grid = Layout::slab({6, 4}, 3);
  const Layout table = Layout::boxes({2}, {{{0}, {2}}});
  for (const Layout& layout : {grid, table}) {
    const Index beyond = layout.ranks();
    EXPECT_EQ(layout.local_size(beyond), 0);
    for (std::size_t a = 0; a < layout.axes(); ++a)
      EXPECT_TRUE(layout.local_indices(beyond, a).empty());
  }
}

TEST(Layout, same_owners_compares_every_element) {
  Dice dice(5);
  for (const Shape& shape : small_shapes()) {
    const std::vector<Layout> all = samples::assorted(dice, shape, 20, 10);
    for (const Layout& a : all) {
      const std::vector<Index> owners_a = samples::owners(a);
      for (const Layout& b : all) {
        ASSERT_EQ(same_owners(a, b), owners_a == samples::owners(b))
            << a.to_text() << " and " << b.to_text();
      }
    }
  }
}

TEST(Layout, same_owners_knows_grids_and_tables_that_agree) {
  const Layout grid = Layout::slab({6, 4}, 3);
  const Layout table =
      Layout::boxes({6, 4}, {{{0, 0}, {2, 4}}, {{2, 0}, {4, 4}}, {{4, 0}, {6, 4}}});
  const Layout idle = Layout::boxes(
      {6, 4}, {{{0, 0}, {2, 4}}, {{2, 0}, {4, 4}}, {{4, 0}, {6, 4}}, {{0, 0}, {0, 0}}});
  EXPECT_TRUE(same_owners(grid, table));
  EXPECT_TRUE(same_owners(table, grid));
  EXPECT_TRUE(same_owners(grid, idle));
  EXPECT_TRUE(same_owners(grid, grid.with_order({1, 0})));
  EXPECT_FALSE(grid == grid.with_order({1, 0}));
  EXPECT_FALSE(same_owners(grid, Layout::slab({6, 4}, 3, 1)));
  EXPECT_FALSE(same_owners(grid, Layout::slab({6, 5}, 3)));
}

TEST(Layout, slabs_cut_one_axis) {
  const Layout layout = Layout::slab({10, 4, 3}, 4);
  EXPECT_EQ(layout.to_text(), "z:block/4 y:all x:all");
  EXPECT_EQ(layout.ranks(), 4);
  EXPECT_EQ(layout.local_shape(0), (Shape{3, 4, 3}));
  EXPECT_EQ(layout.local_shape(3), (Shape{2, 4, 3}));
  const Layout fftw = Layout::slab({10, 4, 3}, 4, 0, Rule::ceil);
  EXPECT_EQ(fftw.to_text(), "z:block/4:ceil y:all x:all");
  EXPECT_EQ(fftw.local_shape(3), (Shape{1, 4, 3}));
  EXPECT_EQ(Layout::slab({10, 4, 3}, 2, 2).to_text(), "z:all y:all x:block/2");
  EXPECT_NE(refusal<InvalidLayout>([] {
              Layout::slab({4, 4}, 2, 2);
            }).find("there are 2 axes"),
            std::string::npos);
}

TEST(Layout, pencils_leave_one_axis_whole) {
  EXPECT_EQ(Layout::pencil({8, 8, 8}, 2, 2, 4).to_text(), "z:block/2 y:block/4 x:all");
  EXPECT_EQ(Layout::pencil({8, 8, 8}, 1, 2, 4).to_text(), "z:block/2 y:all x:block/4");
  EXPECT_EQ(Layout::pencil({8, 8, 8}, 0, 2, 4).to_text(), "z:all y:block/2 x:block/4");
  EXPECT_EQ(Layout::pencil({8, 8, 8, 8}, 0, 2, 4).to_text(), "w:all z:block/2 y:block/4 x:all");
  EXPECT_EQ(Layout::pencil({8, 8, 8}, 2, 2, 4).ranks(), 8);
  EXPECT_NE(refusal<InvalidLayout>([] {
              Layout::pencil({8, 8}, 0, 1, 1);
            }).find("three axes"),
            std::string::npos);
  EXPECT_NE(refusal<InvalidLayout>([] {
              Layout::pencil({8, 8, 8}, 3, 1, 1);
            }).find("whole is 3"),
            std::string::npos);
}

TEST(Layout, bricks_cut_every_axis_and_the_last_coordinate_runs_fastest) {
  const Layout layout = Layout::block({4, 6, 8}, {2, 3, 4});
  EXPECT_EQ(layout.to_text(), "z:block/2 y:block/3 x:block/4");
  EXPECT_EQ(layout.ranks(), 24);
  for (Index r = 0; r < 24; ++r) {
    EXPECT_EQ(layout.local_shape(r), (Shape{2, 2, 2}));
    EXPECT_EQ(layout.local_indices(r, 0).first, r / 12 * 2);
    EXPECT_EQ(layout.local_indices(r, 1).first, r / 4 % 3 * 2);
    EXPECT_EQ(layout.local_indices(r, 2).first, r % 4 * 2);
  }
}

TEST(Layout, cyclic_and_group_cyclic_layouts_say_their_cycles) {
  EXPECT_EQ(Layout::cyclic({4, 6}, {2, 3}).to_text(), "y:cyclic/2 x:cyclic/3");
  EXPECT_EQ(Layout::group_cyclic({8, 8}, {4, 4}, {2, 1}, Rule::ceil).to_text(),
            "y:cycle2/4:ceil x:block/4:ceil");
  EXPECT_NE(refusal<InvalidLayout>([] {
              Layout::block({4, 4}, {2});
            }).find("needs 2 numbers"),
            std::string::npos);
  EXPECT_NE(refusal<InvalidLayout>([] {
              Layout::group_cyclic({4, 4}, {2, 2}, {1});
            }).find("2 axes needs 2"),
            std::string::npos);
}

TEST(Layout, axes_over_one_processor_have_one_form) {
  const Layout plain = Layout::block({4, 4}, {1, 2});
  const Layout odd = Layout::grid({{4, 1, 1, 17, Rule::ceil}, {4, 2, 1, 1, Rule::balanced}});
  EXPECT_EQ(plain, odd);
}

TEST(Layout, grids_that_contradict_themselves_are_refused) {
  constexpr Rule even = Rule::balanced;
  struct Case {
    std::vector<Axis> axes;
    std::vector<int> order;
    const char* fragment;
  };
  const std::vector<Case> cases = {
      {{{0, 1, 1, 1, even}}, {}, "axis 0 has extent 0"},
      {{{4, 1, 1, 1, even}, {-3, 1, 1, 1, even}}, {}, "axis 1 has extent -3"},
      {{{4, 0, 1, 1, even}}, {}, "distributed to 0 processors; give at least 1"},
      {{{4, -2, 1, 1, even}}, {}, "distributed to -2 processors"},
      {{{4, Index{1} << 31, 1, 1, even}}, {}, "no more than 2^31 - 1"},
      {{{4, 4, 3, 1, even}}, {}, "cycle 3 does not divide its 4 processors"},
      {{{4, 4, 0, 1, even}}, {}, "cycle 0 does not divide"},
      {{{4, 4, -1, 1, even}}, {}, "cycle -1 does not divide"},
      {{{4, 2, 1, 2, even}}, {}, "1 is next"},
      {{{4, 2, 1, 0, even}}, {}, "1 is next"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 1, even}}, {}, "2 is next"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 4, even}}, {}, "2 is next"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 2, even}}, {0}, "each of the 2 axes once"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 2, even}}, {0, 0}, "each of the 2 axes once"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 2, even}}, {1, 2}, "each of the 2 axes once"},
      {{{4, 2, 1, 1, even}, {4, 2, 1, 2, even}}, {0, 1, 2}, "each of the 2 axes once"},
  };
  for (const Case& bad : cases) {
    const std::string text = refusal<InvalidLayout>([&] { Layout::grid(bad.axes, bad.order); });
    EXPECT_NE(text.find(bad.fragment), std::string::npos) << bad.fragment << " not in: " << text;
  }
}

TEST(Layout, a_grid_of_more_ranks_than_fit_64_bits_is_an_overflow) {
  const Index most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THROW(Layout::block({4, 4, 4}, {most, most, most}), Overflow);
  EXPECT_EQ(Layout::block({4, 4}, {most, most}).ranks(), most * most);
}

TEST(Layout, shapes_are_one_to_six_axes_of_at_least_one) {
  EXPECT_NO_THROW(validate_shape({1}));
  EXPECT_NO_THROW(validate_shape({1, 2, 3, 4, 5, 6}));
  EXPECT_NO_THROW(validate_shape({max_elements}));
  EXPECT_NO_THROW(validate_shape({Index{1} << 31, Index{1} << 31}));
  EXPECT_THROW(validate_shape({}), InvalidShape);
  EXPECT_THROW(validate_shape({1, 1, 1, 1, 1, 1, 1}), InvalidShape);
  EXPECT_THROW(validate_shape({4, 0}), InvalidShape);
  EXPECT_THROW(validate_shape({-1}), InvalidShape);
  EXPECT_THROW(validate_shape({max_elements + 1}), Overflow);
  EXPECT_THROW(validate_shape({Index{1} << 31, Index{1} << 32}), Overflow);
}

TEST(Layout, volumes_are_products_or_overflows) {
  EXPECT_EQ(volume({}), 1);
  EXPECT_EQ(volume({2048, 1024, 1024}), Index{1} << 31);
  EXPECT_THROW(volume({Index{1} << 40, Index{1} << 40}), Overflow);
}

TEST(Layout, axes_are_called_x_from_the_last_on) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(axis_names(1), (Names{"x"}));
  EXPECT_EQ(axis_names(3), (Names{"z", "y", "x"}));
  EXPECT_EQ(axis_names(6), (Names{"u", "v", "w", "z", "y", "x"}));
  EXPECT_EQ(axis_names(7)[0], "a0");
  EXPECT_EQ(axis_names(7)[6], "a6");
  EXPECT_TRUE(axis_names(0).empty());
}

TEST(Layout, figures_of_a_million_ranks_need_no_list) {
  const Index side = 32768;
  const Layout layout = Layout::pencil({side, side, side}, 2, 1024, 1024);
  EXPECT_EQ(layout.ranks(), Index{1} << 20);
  EXPECT_EQ(layout.active_ranks(), Index{1} << 20);
  EXPECT_EQ(layout.largest_local_size(), Index{32} * 32 * side);
  EXPECT_EQ(layout.owner({side - 1, side - 1, 0}), (Index{1} << 20) - 1);
}

}  // namespace
}  // namespace kallima

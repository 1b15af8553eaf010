// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "kallima/array.hpp"
#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

TEST(Padding, lies_behind_runs_along_the_fastest_axis) {
  const Layout tight = Layout::parse("y:block/2 z:all x:all", {3, 4, 5});
  const Layout padded = tight.with_padding(2);
  EXPECT_EQ(padded.to_text(), "y:block/2 z:all x:all+2");
  EXPECT_EQ(padded.padding(), 2);
  EXPECT_EQ(padded.local_size(1), 30);
  EXPECT_EQ(padded.allocated_size(1), 42);
  EXPECT_EQ(padded.largest_allocated_size(), 42);
  EXPECT_EQ(padded.allocated_size(2), 0);
  EXPECT_EQ(padded.local_strides(0), (std::vector<Index>{7, 21, 1}));
  EXPECT_EQ(padded.offset({2, 3, 4}), 4 + 7 * 2 + 21);
  EXPECT_TRUE(same_owners(tight, padded));
  EXPECT_NE(tight, padded);
  EXPECT_EQ(padded.with_padding(0), tight);
  EXPECT_EQ(padded.with_extent(2, 3), tight.with_extent(2, 3));
}

TEST(Padding, every_layout_can_be_padded_and_read_again) {
  samples::Dice dice(11);
  for (const Shape& shape : {Shape{1}, Shape{40}, Shape{3, 50}, Shape{2, 3, 4, 5}}) {
    for (const Layout& layout : samples::assorted(dice, shape, 20, 5)) {
      for (const Index elements : {1, 2, 9}) {
        const Layout padded = layout.with_padding(elements);
        EXPECT_EQ(Layout::parse(padded.to_text(), shape), padded) << padded.to_text();
        Index most = 0;
        for (Index rank = 0; rank < padded.ranks(); ++rank) {
          const Index size = layout.local_size(rank);
          const Index run =
              layout.local_indices(rank, static_cast<std::size_t>(layout.order().back())).count;
          EXPECT_EQ(padded.allocated_size(rank), size == 0 ? 0 : size / run * (run + elements));
          EXPECT_EQ(layout.allocated_size(rank), size);
          most = std::max(most, padded.allocated_size(rank));
        }
        EXPECT_EQ(padded.largest_allocated_size(), most);
      }
    }
  }
}

TEST(Padding, bad_ones_are_refused) {
  EXPECT_THROW((void)Layout::slab({4, 4}, 2).with_padding(-1), InvalidLayout);
  EXPECT_THROW((void)Layout::slab({4, 4}, 2).with_padding(std::numeric_limits<Index>::max()),
               Overflow);
  EXPECT_THROW((void)Layout().with_padding(1), InvalidLayout);
  for (const char* const text : {"y:all+2 x:all", "y:all x:all+", "y:all x:all+-1", "y:all x:all+z",
                                 "boxes y+1 x | 0:4 0:4"}) {
    EXPECT_THROW((void)Layout::parse(text, {4, 4}), ParseError) << text;
  }
  EXPECT_EQ(Layout::parse("boxes y x+3 | 0:4 0:4", {4, 4}).padding(), 3);
}

TEST(Padding, walks_step_over_it) {
  const Layout layout = Layout::parse("y:block/2 x:all+3", {5, 4});
  std::vector<double> memory(static_cast<std::size_t>(layout.allocated_size(0)), -1.0);
  const RealView<double> view(memory, layout, 0);
  EXPECT_EQ(view.size(), 21U);
  Index met = 0;
  for (auto [index, value] : view.indexed()) {
    value = static_cast<double>(10 * index[0] + index[1]);
    ++met;
  }
  EXPECT_EQ(met, 12);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t row = i / 7;
    const std::size_t column = i % 7;
    EXPECT_EQ(memory[i], column < 4 ? static_cast<double>(10 * row + column) : -1.0);
  }
  std::vector<double> too_small(20);
  EXPECT_THROW((RealView<double>(too_small, layout, 0)), InvalidBuffer);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "steps/tile.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kallima {
namespace {

TEST(Tile, rows_begin_an_odd_number_of_cache_lines_apart_and_hold_what_they_should) {
  for (const Index bytes : {8, 16}) {
    for (Index n = 1; n <= 600; ++n) {
      const Index row = padded_row(n, bytes);
      ASSERT_GE(row, n);
      ASSERT_EQ(row * bytes % cache_line, 0);
      ASSERT_EQ(row * bytes / cache_line % 2, 1);
      ASSERT_LE(row * bytes, n * bytes + 2 * cache_line);
    }
  }
}

/// Elements of so many lines lie apart from each other, and inside the size.
void expect_apart(const Strides& strides, Index lines, Index length, Index size) {
  std::set<Index> places;
  for (Index line = 0; line < lines; ++line) {
    for (Index i = 0; i < length; ++i) {
      places.insert(line * strides.line + i * strides.element);
    }
  }
  EXPECT_EQ(static_cast<Index>(places.size()), lines * length);
  EXPECT_LT(*places.rbegin(), size);
}

TEST(Tile, both_of_its_halves_hold_all_lines_and_begin_on_cache_lines) {
  for (const Index bytes : {8, 16}) {
    for (const Index length : {1, 2, 5, 64, 100}) {
      for (const Index lines : {1, 3, 8, 16, 32}) {
        for (const TileForm form : {TileForm::lines, TileForm::interleaved}) {
          Sweep sweep;
          sweep.kernel = Kernel::fourier;
          sweep.lines = lines;
          sweep.form = form;
          const TileShape shape = tile_shape(sweep, Direction::forward, length, bytes);
          EXPECT_EQ(shape.lines % shape.chunk, 0);
          EXPECT_EQ(shape.gathered_size * bytes % cache_line, 0);
          EXPECT_EQ(shape.size() * bytes % cache_line, 0);
          expect_apart(shape.gathered.strides, lines, length, shape.gathered_size);
          ASSERT_FALSE(shape.in_place());
          expect_apart(shape.done.strides, lines, length, shape.done_size);
          EXPECT_EQ(shape.done.strides.line * bytes % cache_line, 0);
        }
      }
    }
  }
}

TEST(Tile, reals_take_half_the_room_and_leave_half_the_frequencies) {
  for (const Index length : {1, 2, 7, 100}) {
    for (const TileForm form : {TileForm::lines, TileForm::interleaved}) {
      Sweep sweep;
      sweep.kernel = Kernel::real;
      sweep.lines = 16;
      sweep.form = form;
      const TileShape there = tile_shape(sweep, Direction::forward, length, 16);
      EXPECT_EQ(there.gathered.length, length);
      EXPECT_EQ(there.gathered.bytes, 8);
      EXPECT_EQ(there.done.length, length / 2 + 1);
      expect_apart(there.gathered.strides, 16, length, 2 * there.gathered_size);
      expect_apart(there.done.strides, 16, length / 2 + 1, there.done_size);
      const TileShape back = tile_shape(sweep, Direction::backward, length, 16);
      EXPECT_EQ(back.gathered.length, length / 2 + 1);
      EXPECT_EQ(back.done.bytes, 8);
      expect_apart(back.gathered.strides, 16, length / 2 + 1, back.gathered_size);
      expect_apart(back.done.strides, 16, length, 2 * back.done_size);
    }
  }
}

TEST(Tile, a_line_beyond_the_caches_stays_where_it_is) {
  Sweep sweep;
  sweep.kernel = Kernel::fourier;
  const TileShape shape = tile_shape(sweep, Direction::forward, Index{1} << 20, 16);
  EXPECT_TRUE(shape.in_place());
  EXPECT_EQ(shape.gathered.strides, shape.done.strides);
  EXPECT_LE(shape.size(), (Index{1} << 20) + 8);
}

TEST(Tile, a_plane_has_room_aside_for_chunks_of_rows_and_of_columns) {
  for (const Index rows : {1, 7, 8, 100}) {
    for (const Index columns : {1, 5, 8, 130}) {
      Sweep fast;
      Sweep slow;
      fast.lines = std::min<Index>(rows, 8);
      slow.lines = std::min<Index>(columns, 8);
      const PlaneShape shape = plane_shape(fast, columns, slow, rows, 16);
      EXPECT_EQ(shape.size() * 16 % cache_line, 0);
      expect_apart({1, shape.row}, rows, columns, shape.plane_size());
      expect_apart({1, columns}, shape.row_chunk, columns, shape.aside);
      expect_apart({1, shape.column}, shape.wide, rows, shape.aside);
      EXPECT_TRUE(shape.wide == columns || shape.wide % shape.column_chunk == 0);
    }
  }
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/packing.hpp"

#include <gtest/gtest.h>

#include <set>

#include "exchange/blocks.hpp"

namespace kallima {
namespace {

/// Where each element of a piece lies in its message, by the order that a packing promises.
std::vector<Index> promised(const std::vector<Index>& extents, const Packing& packing) {
  std::vector<std::pair<std::vector<Index>, Index>> keys;
  Index size = 1;
  for (const Index extent : extents) size *= extent;
  for (Index number = 0; number < size; ++number) {
    std::vector<Index> at(extents.size());
    Index left = number;
    for (std::size_t d = extents.size(); d-- > 0; left /= extents[d]) at[d] = left % extents[d];
    std::vector<Index> key;
    const auto fast = static_cast<std::size_t>(packing.order.back());
    for (std::size_t i = 0; i < packing.order.size(); ++i) {
      const bool before_last = i + 2 == packing.order.size();
      if (before_last && packing.panel > 0) key.push_back(at[fast] / packing.panel);
      key.push_back(at[static_cast<std::size_t>(packing.order[i])]);
    }
    keys.emplace_back(std::move(key), number);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Index> offsets(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    offsets[static_cast<std::size_t>(keys[i].second)] = static_cast<Index>(i);
  }
  return offsets;
}

void expect_promised(const std::vector<Progression>& places, const Packing& packing) {
  std::vector<Index> extents;
  for (const Progression& along : places) extents.push_back(along.count);
  const std::vector<Index> offsets = promised(extents, packing);
  std::set<Index> seen;
  for (const CutPart& part : packed_parts(places, packing)) {
    StridedBlock block;
    block.offset = part.in_message.offset;
    block.places = part.places;
    block.strides = part.in_message.strides;
    block.panels = part.in_message.panels;
    Index count = 1;
    for (const Progression& along : part.places) count *= along.count;
    for (Index number = 0; number < count; ++number) {
      Index left = number;
      Index at = block.offset;
      Index in_piece = 0;
      Index weight = 1;
      for (std::size_t d = extents.size(); d-- > 0;) {
        const Index i = left % part.places[d].count;
        left /= part.places[d].count;
        at += block.distance(d, i);
        in_piece += places[d].place(part.places[d].at(i)) * weight;
        weight *= extents[d];
      }
      EXPECT_EQ(at, offsets[static_cast<std::size_t>(in_piece)]);
      EXPECT_TRUE(seen.insert(at).second);
    }
  }
  EXPECT_EQ(seen.size(), offsets.size());
}

TEST(Packing, every_element_has_its_place_in_any_order_and_panels) {
  for (const Index panel : {0, 1, 2, 3, 4, 7}) {
    for (const std::vector<int>& order :
         {std::vector<int>{0, 1, 2}, std::vector<int>{1, 0, 2}, std::vector<int>{2, 0, 1}}) {
      for (const Index n : {1, 2, 5, 6}) {
        expect_promised({Progression::make(0, 1, 3), Progression::make(4, 2, n),
                         Progression::make(1, 3, 7 - n)},
                        {order, panel});
      }
    }
  }
}

TEST(Packing, a_block_that_begins_inside_of_a_panel_knows_where_panels_end) {
  StridedBlock block;
  block.places = {Progression::make(0, 1, 10)};
  block.strides = {1};
  block.panels = {0, 4, 100, 3};
  EXPECT_EQ(block.distance(0, 0), 3);
  EXPECT_EQ(block.distance(0, 1), 100);
  EXPECT_EQ(block.distance(0, 5), 200);
  EXPECT_EQ(block.together(0, 0, 10), 1);
  EXPECT_EQ(block.together(0, 1, 10), 4);
  EXPECT_EQ(block.together(0, 3, 1), 1);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Random tilings of arrays of two and three axes into boxes: some empty, some ranks with several.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "layout/samples.hpp"
#include "support/random_boxes.hpp"
#include "support/text.hpp"

namespace kallima {
namespace {

using samples::for_each_index;
using test::mentions;
using test::Random;

constexpr int tilings = 2000;

using OfRanks = std::vector<std::vector<Box>>;

struct Tiling {
  Shape shape;
  OfRanks of_ranks;
};

Tiling random_tiling(Random& random) {
  Tiling tiling;
  const Index axes = random.between(2, 3);
  for (Index a = 0; a < axes; ++a) tiling.shape.push_back(random.between(1, axes == 2 ? 12 : 7));
  const Index ranks = random.between(1, 9);
  if (random.chance(50)) {  // one each, some empty
    for (const Box& box : test::random_boxes(random, tiling.shape, ranks)) {
      tiling.of_ranks.push_back({box});
    }
  } else {
    tiling.of_ranks =
        test::dealt(random, test::random_boxes(random, tiling.shape, 3 * ranks), ranks);
    if (random.chance(20)) {
      tiling.of_ranks.front().push_back({Shape(tiling.shape.size(), 1), tiling.shape});
      tiling.of_ranks.front().back().high[0] = 1;
    }
  }
  return tiling;
}

std::vector<int> random_order(Random& random, std::size_t axes) {
  std::vector<int> order = {0, 1, 2};
  order.resize(axes);
  for (std::size_t i = axes; i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
  }
  return order;
}

bool contains(const Box& box, const std::vector<Index>& index) {
  for (std::size_t a = 0; a < index.size(); ++a) {
    if (index[a] < box.low[a] || index[a] >= box.high[a]) return false;
  }
  return true;
}

TEST(Tilings, every_element_has_one_owner_and_one_place) {
  Random random(11);
  int with_several = 0;
  int with_nothing = 0;
  for (int number = 0; number < tilings; ++number) {
    const Tiling tiling = random_tiling(random);
    Layout layout = Layout::boxes_of_ranks(tiling.shape, tiling.of_ranks,
                                           random_order(random, tiling.shape.size()));
    if (random.chance(30)) layout = layout.with_margins(random.between(1, 2));
    const auto ranks = static_cast<Index>(tiling.of_ranks.size());
    ASSERT_EQ(layout.ranks(), ranks);
    ASSERT_EQ(Layout::parse(layout.to_text(), tiling.shape), layout) << layout.to_text();
    std::vector<std::vector<bool>> taken;
    std::vector<Index> held(tiling.of_ranks.size(), 0);
    for (Index rank = 0; rank < ranks; ++rank) {
      taken.emplace_back(static_cast<std::size_t>(layout.allocated_size(rank)), false);
      with_nothing += layout.local_size(rank) == 0 ? 1 : 0;
    }
    with_several += layout.several_boxes() ? 1 : 0;
    for_each_index(tiling.shape, [&](const std::vector<Index>& index) {
      const Index owner = layout.owner(index);
      const auto r = static_cast<std::size_t>(owner);
      const std::vector<Box>& its = tiling.of_ranks[r];
      EXPECT_TRUE(std::any_of(its.begin(), its.end(),
                              [&](const Box& box) { return contains(box, index); }));
      const auto place = static_cast<std::size_t>(layout.offset(index));
      ASSERT_LT(place, taken[r].size()) << layout.to_text();
      EXPECT_FALSE(taken[r][place]) << layout.to_text();
      taken[r][place] = true;
      ++held[r];
    });
    // The parts that a rank is told are the same elements in the same places.
    for (Index rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      ASSERT_EQ(layout.local_size(rank), held[r]);
      Index in_parts = 0;
      for (const LocalPart& part : layout.parts(rank)) {
        in_parts += part.size();
        Shape counts;
        for (const Progression& along : part.indices) counts.push_back(along.count);
        if (part.size() == 0) continue;
        for_each_index(counts, [&](const std::vector<Index>& at) {
          std::vector<Index> index;
          Index place = part.offset;
          for (std::size_t a = 0; a < at.size(); ++a) {
            index.push_back(part.indices[a].first + at[a] * part.indices[a].step);
            place += at[a] * part.strides[a];
          }
          EXPECT_EQ(layout.owner(index), rank);
          EXPECT_EQ(layout.offset(index), place);
        });
      }
      EXPECT_EQ(in_parts, held[r]);
    }
  }
  // The test is only one while both happen often.
  EXPECT_GT(with_several, tilings / 4);
  EXPECT_GT(with_nothing, tilings / 4);
}

/// A box that holds something.
struct Place {
  std::size_t rank = 0;
  std::size_t number = 0;
};

std::optional<Place> random_place(Random& random, const OfRanks& of_ranks) {
  std::vector<Place> places;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    for (std::size_t i = 0; i < of_ranks[r].size(); ++i) {
      if (!test::is_empty(of_ranks[r][i])) places.push_back({r, i});
    }
  }
  if (places.empty()) return {};
  return random.pick(places);
}

std::string refusal(const Tiling& tiling) {
  try {
    (void)Layout::boxes_of_ranks(tiling.shape, tiling.of_ranks);
  } catch (const InvalidLayout& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Tilings, every_gap_overlap_outside_and_other_shape_is_found_and_names_the_ranks) {
  Random random(12);
  for (int number = 0; number < tilings; ++number) {
    const Tiling good = random_tiling(random);
    ASSERT_EQ(refusal(good), "nothing");
    const std::optional<Place> at = random_place(random, good.of_ranks);
    ASSERT_TRUE(at);
    const Box box = good.of_ranks[at->rank][at->number];
    const std::string rank = std::to_string(at->rank);
    const auto a =
        static_cast<std::size_t>(random.between(0, static_cast<Index>(good.shape.size()) - 1));
    const auto spoiled = [&](const auto& spoil) {
      Tiling bad = good;
      spoil(bad.of_ranks[at->rank][at->number]);
      return refusal(bad);
    };

    const Index cut = random.between(1, box.high[a] - box.low[a]);
    const bool from_below = random.chance(50);
    const std::string gap = spoiled([&](Box& b) {
      if (from_below) {
        b.low[a] += cut;
      } else {
        b.high[a] -= cut;
      }
    });
    EXPECT_TRUE(mentions(gap, "to nobody")) << gap;
    const bool alone = cut == volume(good.shape) || cut == box.high[a] - box.low[a];
    if (!alone) {
      EXPECT_TRUE(mentions(gap, "beside the box")) << gap;
    }

    // What one more index along an axis takes is somebody's.
    if (box.high[a] < good.shape[a] || box.low[a] > 0) {
      std::vector<Index> index = box.low;
      index[a] = box.high[a] < good.shape[a] ? box.high[a] : box.low[a] - 1;
      const Index other = Layout::boxes_of_ranks(good.shape, good.of_ranks).owner(index);
      // Of the first pair that overlaps one is it; there may be others beside.
      const std::string overlap = spoiled([&](Box& b) {
        b.low[a] = std::min(b.low[a], index[a]);
        b.high[a] = std::max(b.high[a], index[a] + 1);
      });
      EXPECT_TRUE(mentions(overlap, "boxes of ranks ")) << overlap;
      EXPECT_TRUE(mentions(overlap, "ranks " + rank + " (") ||
                  mentions(overlap, "and " + rank + " ("))
          << overlap << " is of rank " << rank << " and maybe " << other;
    }

    const std::string outside = spoiled([&](Box& b) {
      const Index shift = random.between(1, 3);
      if (random.chance(50)) {
        b.low[a] = -shift;
      } else {
        b.high[a] = good.shape[a] + shift;
      }
    });
    EXPECT_TRUE(mentions(outside, "the box of rank " + rank + " (")) << outside;
    EXPECT_TRUE(mentions(outside, "does not lie inside")) << outside;

    const std::string other_shape = spoiled([&](Box& b) {
      if (random.chance(50)) b.low.push_back(0);
      b.high.push_back(1);
      if (random.chance(30)) b.high.resize(1);
    });
    EXPECT_TRUE(mentions(other_shape, "the box of rank " + rank + " has ")) << other_shape;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace kallima

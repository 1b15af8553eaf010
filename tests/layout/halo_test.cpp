// SPDX-License-Identifier: BSD-3-Clause
//
// Margins of all ranks, filled in one process from what their pieces say.
#include "layout/halo.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kallima/error.hpp"
#include "support/random_boxes.hpp"

namespace kallima {
namespace {

constexpr Index untouched = -1;

/// One rank's array: own elements hold their row-major number, margins nothing yet.
class Part {
 public:
  Part(const Layout& layout, Index rank)
      : layout_(layout),
        rank_(rank),
        strides_(layout.local_strides(rank)),
        memory_(static_cast<std::size_t>(layout.allocated_size(rank)), untouched) {
    const std::vector<Progression> held = layout.local_indices(rank);
    for_each_place(HaloBox{Shape(layout.axes(), 0), layout.local_shape(rank)},
                   [&](const Shape& place) {
                     Index flat = 0;
                     for (std::size_t a = 0; a < place.size(); ++a) {
                       flat = flat * layout.shape()[a] + held[a].at(place[a]);
                     }
                     at(place) = flat;
                   });
  }

  Index& at(const Shape& place) {
    Index offset = layout_.first_offset(rank_);
    for (std::size_t a = 0; a < place.size(); ++a) offset += place[a] * strides_[a];
    return memory_[static_cast<std::size_t>(offset)];
  }
  std::vector<Index> read(const HaloBox& box) {
    std::vector<Index> values;
    for_each_place(box, [&](const Shape& place) { values.push_back(at(place)); });
    return values;
  }
  void write(const HaloBox& box, const std::vector<Index>& values) {
    std::size_t next = 0;
    for_each_place(box, [&](const Shape& place) {
      EXPECT_EQ(at(place), untouched) << "written twice";
      at(place) = values[next++];
    });
    EXPECT_EQ(next, values.size());
  }

  template <class Visit>
  static void for_each_place(const HaloBox& box, const Visit& visit) {
    if (volume(box.count) == 0) return;
    Shape place = box.low;
    for (;;) {
      visit(static_cast<const Shape&>(place));
      std::size_t a = place.size();
      while (a > 0 && ++place[a - 1] == box.low[a - 1] + box.count[a - 1]) {
        place[a - 1] = box.low[a - 1];
        --a;
      }
      if (a == 0) return;
    }
  }

 private:
  const Layout& layout_;
  Index rank_;
  std::vector<Index> strides_;
  std::vector<Index> memory_;
};

/// Blocks, cyclic axes, or boxes of which some may be empty.
Layout random_owners(test::Random& random, const Shape& shape) {
  if (random.chance(40)) {
    return Layout::boxes(shape, test::random_boxes(random, shape, random.between(1, 8)));
  }
  std::vector<Index> procs;
  for (std::size_t a = 0; a < shape.size(); ++a) procs.push_back(random.between(1, 3));
  const Rule rule = random.chance(30) ? Rule::ceil : Rule::balanced;
  return random.chance(20) ? Layout::cyclic(shape, procs) : Layout::block(shape, procs, rule);
}

void check(const Layout& layout, const std::vector<Margin>& widths,
           const std::vector<bool>& periodic) {
  SCOPED_TRACE(layout.to_text());
  std::vector<Part> parts;
  std::vector<HaloPieces> pieces;
  for (Index rank = 0; rank < layout.ranks(); ++rank) {
    parts.emplace_back(layout, rank);
    pieces.push_back(halo_pieces(layout, widths, periodic, rank));
  }
  std::map<std::pair<Index, Index>, std::vector<std::vector<Index>>> messages;
  for (Index rank = 0; rank < layout.ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    for (const HaloPeer& peer : pieces[r].sends) {
      for (const HaloBox& box : peer.boxes) {
        messages[{rank, peer.rank}].push_back(parts[r].read(box));
      }
    }
  }
  for (Index rank = 0; rank < layout.ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    for (const HaloPieces::Kept& kept : pieces[r].kept) {
      parts[r].write(kept.to, parts[r].read(kept.from));
    }
    for (const HaloPeer& peer : pieces[r].receives) {
      const auto& sent = messages[{peer.rank, rank}];
      ASSERT_EQ(sent.size(), peer.boxes.size());
      Index elements = 0;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        parts[r].write(peer.boxes[i], sent[i]);
        elements += static_cast<Index>(sent[i].size());
      }
      EXPECT_EQ(elements, peer.elements);
      messages.erase({peer.rank, rank});
    }
  }
  EXPECT_TRUE(messages.empty()) << "sent, and not received";
  for (Index rank = 0; rank < layout.ranks(); ++rank) {
    const Shape own = layout.local_shape(rank);
    if (volume(own) == 0) continue;
    HaloBox all;
    for (std::size_t a = 0; a < own.size(); ++a) {
      all.low.push_back(-layout.margin(a).below);
      all.count.push_back(layout.margin(a).below + own[a] + layout.margin(a).above);
    }
    Part::for_each_place(all, [&](const Shape& place) {
      Index flat = 0;
      bool wanted = true;
      for (std::size_t a = 0; a < place.size(); ++a) {
        const Index n = layout.shape()[a];
        const Index index = layout.local_indices(rank, a).first + place[a];
        const bool beside = place[a] < -widths[a].below || place[a] >= own[a] + widths[a].above;
        const bool outside = index < 0 || index >= n;
        wanted = wanted && !beside && (periodic[a] || !outside);
        flat = flat * n + ((index % n) + n) % n;
      }
      EXPECT_EQ(parts[static_cast<std::size_t>(rank)].at(place), wanted ? flat : untouched);
    });
  }
}

TEST(Halo, margins_hold_what_lies_beside_a_part_corners_included) {
  test::Random random(5);
  int checked = 0;
  for (int number = 0; number < 400; ++number) {
    Shape shape;
    const Index axes = random.between(1, 3);
    for (Index a = 0; a < axes; ++a) shape.push_back(random.between(1, 7));
    const Layout owners = random_owners(random, shape);
    std::vector<Margin> margins;
    std::vector<Margin> widths;
    std::vector<bool> periodic;
    bool in_blocks = true;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      margins.push_back({random.between(0, 9), random.between(0, 9)});
      widths.push_back({random.between(0, margins[a].below), random.between(0, margins[a].above)});
      periodic.push_back(random.chance(50));
      in_blocks = in_blocks && (!owners.is_grid() || owners.axis(a).cycle == 1);
    }
    const Layout layout = owners.with_margins(margins);
    if (!in_blocks) {
      EXPECT_THROW(validate_halo(layout, widths, periodic), InvalidLayout);
      continue;
    }
    EXPECT_NO_THROW(validate_halo(layout, widths, periodic));
    check(layout, widths, periodic);
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

TEST(Halo, that_cannot_be_is_refused) {
  const Layout layout = Layout::slab({8, 6}, 2).with_margins(2);
  EXPECT_THROW(validate_halo(layout, {{2, 2}}, {true, true}), InvalidOption);
  EXPECT_THROW(validate_halo(layout, {{2, 2}, {1, 1}}, {true}), InvalidOption);
  EXPECT_THROW(validate_halo(layout, {{3, 2}, {1, 1}}, {true, true}), InvalidLayout);
  EXPECT_THROW(validate_halo(layout, {{2, 2}, {-1, 1}}, {true, true}), InvalidLayout);
  const Layout two = Layout::boxes_of_ranks({4, 4}, {{{{0, 0}, {4, 2}}, {{0, 2}, {4, 4}}}});
  EXPECT_THROW(validate_halo(two.with_margins(1), {{1, 1}, {1, 1}}, {true, true}), InvalidLayout);
}

}  // namespace
}  // namespace kallima

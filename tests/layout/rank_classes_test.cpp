// SPDX-License-Identifier: BSD-3-Clause
//
// Classes of ranks against the slow way: every rank looked at.
#include "layout/rank_classes.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kallima/error.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;

TEST(RankClasses, a_track_changes_where_the_next_coordinate_holds_another_size) {
  for (Index n = 1; n <= 14; ++n) {
    for (Index procs = 1; procs <= 17; ++procs) {
      for (const Index cycle : samples::divisors(procs)) {
        for (const Rule rule : {Rule::balanced, Rule::ceil}) {
          const Axis axis{n, procs, cycle, 1, rule};
          const Track track = size_track(axis, procs);
          std::vector<Index> begins = {0};
          for (Index coord = 1; coord < procs; ++coord) {
            if (axis.size(coord) != axis.size(coord - 1)) begins.push_back(coord);
          }
          ASSERT_EQ(track.begins, begins)
              << n << " over " << procs << ", cycle " << cycle << ", rule " << int(rule);
        }
      }
    }
  }
}

/// Local shapes of a rank in all layouts.
std::vector<Shape> shapes_of(const std::vector<Layout>& layouts, Index rank) {
  std::vector<Shape> result;
  for (const Layout& layout : layouts) result.push_back(layout.local_shape(rank));
  return result;
}

TEST(RankClasses, hold_all_ranks_of_the_same_shapes_and_no_others) {
  Dice dice(19);
  for (int i = 0; i < 400; ++i) {
    const Shape shape{dice.roll(1, 9), dice.roll(1, 9), dice.roll(1, 5)};
    std::vector<Layout> layouts;
    Index ranks = dice.roll(1, 20);
    for (Index count = dice.roll(1, 3); count > 0; --count) {
      layouts.push_back(dice.roll(0, 3) == 0 ? samples::random_table(dice, shape)
                                             : samples::random_grid(dice, shape, 5));
      ranks = std::max(ranks, layouts.back().ranks());
    }
    std::map<std::vector<Shape>, Index> wanted;
    for (Index rank = 0; rank < ranks; ++rank) ++wanted[shapes_of(layouts, rank)];
    std::map<std::vector<Shape>, Index> found;
    for (const RankClass& ranks_alike : rank_classes({layouts.begin(), layouts.end()}, ranks)) {
      found[shapes_of(layouts, ranks_alike.first)] += ranks_alike.ranks;
    }
    ASSERT_EQ(found, wanted);
  }
}

/// A grid and another to which it transposes: along each axis distributed alike, or whole on one
/// side.
std::pair<Layout, Layout> random_transpose(Dice& dice, const Shape& shape) {
  for (;;) {
    const Layout from = samples::random_grid(dice, shape, 4);
    const Layout to = samples::random_grid(dice, shape, 4);
    std::vector<Axis> before;
    std::vector<Axis> after;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      before.push_back(from.axis(a));
      after.push_back(to.axis(a));
      const Index kind = dice.roll(0, 2);
      if (kind == 0) before.back() = Axis{shape[a]};
      if (kind == 1) after.back() = Axis{shape[a]};
      if (kind == 2) after.back() = before.back();
    }
    // Most have gaps in the numbers of their ranks.
    try {
      return {Layout::grid(before), Layout::grid(after)};
    } catch (const Error&) {
    }
  }
}

TEST(RankClasses, of_peers_count_every_rank_that_one_has_pieces_for_or_from) {
  Dice dice(20);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape{dice.roll(1, 7), dice.roll(1, 7), dice.roll(1, 7), dice.roll(1, 3)};
    const auto [from, to] = random_transpose(dice, shape);
    ASSERT_TRUE(transposes(from, to));
    const PeerClasses classes(from, to);
    for (Index rank = 0; rank < std::max(from.ranks(), to.ranks()); ++rank) {
      using Sizes = std::pair<Index, Index>;  // sent and received
      std::map<Index, Sizes> by_peer;
      for (const Piece& piece : pieces(from, to, rank)) by_peer[piece.peer].first = piece.size;
      for (const Piece& piece : pieces(to, from, rank)) by_peer[piece.peer].second = piece.size;
      std::map<Sizes, Index> wanted;
      for (const auto& entry : by_peer) ++wanted[entry.second];
      std::map<Sizes, Index> found;
      for (const RankClass& peers : classes.of(rank)) {
        const Sizes sizes{common_size(from, rank, to, peers.first),
                          common_size(from, peers.first, to, rank)};
        if (sizes != Sizes{0, 0}) found[sizes] += peers.ranks;
      }
      ASSERT_EQ(found, wanted) << from.to_text() << " to " << to.to_text() << ", rank " << rank;
    }
  }
}

TEST(RankClasses, are_found_in_few_stretches_of_a_million_ranks) {
  const Index side = 1024;
  const Shape shape{1500, 1700, 1900};
  const Layout from = Layout::pencil(shape, 2, side, side);
  const Layout to = Layout::parse("z:block/1024@1024 y:all x:block/1024@1", shape);
  EXPECT_EQ(rank_classes({from, to}, side * side).size(), 6U);
  std::vector<Track> tracks;
  for (const Layout& layout : {from, to}) {
    for (std::size_t a = 0; a < 3; ++a) tracks.push_back(size_track(layout.axis(a), side * side));
  }
  Index stretches = 0;
  for (const TrackGroup& group : independent_groups(tracks, {})) {
    for_each_stretch(group.tracks, group.ranks,
                     [&](Index, Index, const std::vector<Index>&) { ++stretches; });
  }
  EXPECT_LE(stretches, 8);
}

}  // namespace
}  // namespace kallima

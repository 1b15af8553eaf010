// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/chunks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "kallima/error.hpp"
#include "plan/samples.hpp"
#include "schedule/schedule.hpp"

namespace kallima {
namespace {

/// z y x in slabs: planes of z are sent, rows of y taken.
Plan slab_plan(const Shape& shape, Index ranks) {
  const std::string problem = "c2c:" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) +
                              "x" + std::to_string(shape[2]);
  return samples::forward(problem, ranks, Layout::slab(shape, ranks),
                          {samples::sweep(2, 1), samples::sweep(1, 1),
                           samples::exchange(Layout::slab(shape, ranks, 1)), samples::sweep(0, 1)});
}

constexpr std::size_t exchange_step = 2;

TEST(Chunks, parts_are_sent_ahead_as_computed_and_then_chunk_by_chunk) {
  const Chunks chunks{0, 2, 1, 4};
  std::string order;
  for (const Part& part : parts_of(chunks)) {
    order +=
        std::to_string(part.first) + std::to_string(part.end) + std::to_string(part.taken) + " ";
  }
  EXPECT_EQ(order, "010 011 120 121 022 023 ");
  EXPECT_EQ(chunks.parts(), 6);
  EXPECT_EQ(Chunks{}.parts(), 1);
}

TEST(Chunks, what_can_be_cut_is_what_no_sweep_beside_runs_along) {
  const Plan plan = slab_plan({8, 6, 4}, 2);
  const auto text = [&](bool sending) {
    std::string result;
    for (const CutDigit& cut : cut_digits(plan, exchange_step, sending)) {
      result += "zyx"[cut.digit] + std::to_string(cut.most) + " ";
    }
    return result;
  };
  // The sweep before runs along y; of z each rank has 4, and all ranks want all of x.
  EXPECT_EQ(text(true), "z4 x4 ");
  // The sweep behind runs along z; of y each rank takes 3.
  EXPECT_EQ(text(false), "y3 x4 ");
}

TEST(Chunks, end_on_tiles) {
  // 4 lines of x a tile, 6 lines in a plane: tiles end with every second plane.
  const Shape shape{8, 6, 4};
  const Plan plan = samples::forward(
      "c2c:8x6x4", 2, Layout::slab(shape, 2),
      {samples::sweep(2, 4), samples::exchange(Layout::slab(shape, 2, 1)), samples::sweep(0, 1)});
  const std::vector<CutDigit> cuts = cut_digits(plan, 1, true);
  ASSERT_FALSE(cuts.empty());
  EXPECT_EQ(cuts.front().digit, 0);
  EXPECT_EQ(cuts.front().most, 2);
  const Plan cut = plan.with_chunks(1, {0, 2, 2, 2});
  EXPECT_EQ(Cutting(cut, 1).sent(0, 0, 1).end, 2);
  // More than two cannot be, nor chunks of what is swept, nor the same digit twice but alike.
  EXPECT_THROW((void)plan.with_chunks(1, {0, 3, 2, 2}), InternalError);
  EXPECT_THROW((void)plan.with_chunks(1, {2, 2, 1, 2}), InternalError);
  EXPECT_THROW((void)slab_plan(shape, 2).with_chunks(2, {2, 2, 2, 4}), InternalError);
  EXPECT_EQ(slab_plan(shape, 2).with_chunks(2, {2, 2, 2, 2}).exchange_at(2)->chunks.parts(), 2);
  for (const ExchangeMethod method : {ExchangeMethod::alltoallv, ExchangeMethod::shared_memory}) {
    EXPECT_THROW((void)plan.with_method(method).with_chunks(1, {0, 2, 2, 2}), InternalError);
    EXPECT_THROW((void)plan.with_method(method).with_chunks(1, {0, 2, 2, 1}), InternalError);
  }
}

TEST(Chunks, multiply_messages_and_nothing_else) {
  const Plan plan = slab_plan({8, 6, 4}, 2);
  const Plan cut = plan.with_chunks(exchange_step, {0, 4, 1, 3});
  EXPECT_EQ(cut.total_volume().bytes, plan.total_volume().bytes);
  EXPECT_EQ(cut.total_volume().messages, 9 * plan.total_volume().messages);
  EXPECT_EQ(cut.with_chunks(exchange_step, {}), plan);
  EXPECT_EQ(cut.with_method(ExchangeMethod::point_to_point), plan);
  EXPECT_EQ(Plan::parse(cut.to_text()), cut);
  EXPECT_EQ(cut.reversed().reversed(), cut);
  EXPECT_EQ(Plan::parse(cut.reversed().to_text()), cut.reversed());
  EXPECT_NE(cut.to_text().find("by point-to-point, 4 chunks of z sent, 3 of ky taken"),
            std::string::npos)
      << cut.to_text();
}

TEST(Chunks, cost_one_part_of_memory_and_no_pass) {
  const Plan plan = slab_plan({8, 8, 4}, 2);
  const Plan cut = plan.with_chunks(exchange_step, {0, 4, 1, 4});
  const Workspace before = largest_workspace(plan, schedule(plan, false));
  const Workspace after = largest_workspace(cut, schedule(cut, false));
  EXPECT_EQ(before.arrays(), 128);
  EXPECT_EQ(after.arrays(), 128 + 128 / 4 + 1);
  EXPECT_EQ(schedule(cut, false).passes(), schedule(plan, false).passes());
  // In place, parts that take each other's places save the copy that comes first otherwise.
  EXPECT_LE(schedule(cut, true).passes(), schedule(plan, true).passes());
}

/// Sends over a pair of buffers in the order of parts, a bit at a time and as late as can be:
/// nothing arrives where something has still to leave, and everything gets through.
void check_pair(const PeerBuffer& here, const PeerBuffer& there) {
  ASSERT_EQ(here.out, there.in);
  ASSERT_EQ(there.out, here.in);
  std::array<Index, 2> sent{};
  const std::array<Index, 2> all{here.out.back(), there.out.back()};
  const auto may_come = [&](std::size_t to) {
    const PeerBuffer& buffer = to == 0 ? here : there;
    const Index arrives = sent[1 - to] + 1;
    return sent[to] == all[to] || sent[to] >= arrives - buffer.send_offset;
  };
  while (sent != all) {
    const bool first = sent[0] < all[0] && may_come(1);
    const bool second = sent[1] < all[1] && may_come(0);
    ASSERT_TRUE(first || second) << "both wait for each other";
    ++sent[first ? 0 : 1];
  }
}

void check_buffers(const Plan& plan, std::size_t step) {
  std::map<std::pair<Index, Index>, PeerBuffer> all;
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    Index held = 0;
    for (const PeerBuffer& buffer : peer_buffers(plan, step, rank)) {
      all[{rank, buffer.peer}] = buffer;
      held += buffer.allocated_size();
    }
    const Schedule stages = schedule(plan, false);
    const Workspace need = workspace(plan, stages, rank);
    EXPECT_LE(held, need.main + need.spill + output_capacity(plan, false, rank));
  }
  for (const auto& [pair, buffer] : all) {
    if (pair.first < pair.second) check_pair(buffer, all[{pair.second, pair.first}]);
    if (pair.first != pair.second) {
      EXPECT_GE(buffer.allocated_size(), buffer.in.back());
      EXPECT_GE(buffer.allocated_size(), buffer.send_offset + buffer.out.back());
    }
  }
}

TEST(Lanes, take_each_others_places_without_overwriting_what_has_not_left) {
  for (const Shape& shape : {Shape{8, 8, 4}, Shape{7, 9, 3}, Shape{12, 5, 2}, Shape{9, 16, 1}}) {
    for (Index ranks = 1; ranks <= 4; ++ranks) {
      const Plan plan = slab_plan(shape, ranks);
      for (const Chunks& chunks : {Chunks{0, 2, 1, 2}, Chunks{0, 2, 2, 1}, Chunks{0, 1, 2, 2},
                                   Chunks{0, 3, 1, 4}, Chunks{2, 2, 1, 1}}) {
        try {
          const Plan cut = plan.with_chunks(exchange_step, chunks);
          check_buffers(cut, exchange_step);
          check_buffers(cut.reversed(), cut.steps().size() - 1 - exchange_step);
        } catch (const InternalError&) {
          // Some of these shapes have too little along a digit.
        }
      }
    }
  }
}

/// What peer_buffers() has room for, one buffer after the other.
PeerBufferSize listed_room(const Plan& plan, std::size_t step, Index rank) {
  PeerBufferSize result;
  for (const PeerBuffer& buffer : peer_buffers(plan, step, rank)) {
    result.all += buffer.allocated_size();
    result.largest = std::max(result.largest, buffer.allocated_size());
  }
  return result;
}

void check_rooms(const Plan& plan, std::size_t step) {
  const PeerBufferSizes rooms(plan, step);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    ASSERT_EQ(rooms.of(rank), listed_room(plan, step, rank)) << plan.to_text() << "rank " << rank;
  }
}

/// Every workspace of a plan in chunks, and of the way back, is that of some rank.
void check_largest(const Plan& plan) {
  for (const Plan& way : {plan, plan.reversed()}) {
    for (const bool in_place : {false, true}) {
      const Schedule stages = schedule(way, in_place);
      Workspace most;
      for (Index rank = 0; rank < way.ranks(); ++rank) {
        const Workspace here = workspace(way, stages, rank);
        most.main = std::max(most.main, here.main);
        most.spill = std::max(most.spill, here.spill);
        most.tile = std::max(most.tile, here.tile);
      }
      const Workspace stated = largest_workspace(way, stages);
      ASSERT_EQ(stated.main, most.main) << way.to_text();
      ASSERT_EQ(stated.spill, most.spill) << way.to_text();
      ASSERT_EQ(stated.tile, most.tile) << way.to_text();
    }
  }
}

/// An exchange between two sweeps, in every way that a few chunks can cut it.
int check_all_cuts(const Plan& plan, std::size_t step) {
  int checked = 0;
  std::vector<CutDigit> sent = cut_digits(plan, step, true);
  std::vector<CutDigit> taken = cut_digits(plan, step, false);
  sent.push_back({0, 1});
  taken.push_back({0, 1});
  for (const CutDigit& before : sent) {
    for (const CutDigit& behind : taken) {
      if (before.most > 1 && behind.most > 1 && before.digit == behind.digit) continue;
      for (Index k = before.most > 1 ? 2 : 1; k <= std::min<Index>(before.most, 3); ++k) {
        for (Index m = behind.most > 1 ? 2 : 1; m <= std::min<Index>(behind.most, 4); ++m) {
          const Chunks chunks{before.digit, k, behind.digit, m};
          if (chunks.parts() == 1) continue;
          const Plan cut = plan.with_chunks(step, chunks);
          check_rooms(cut, step);
          check_rooms(cut.reversed(), cut.steps().size() - 1 - step);
          check_largest(cut);
          ++checked;
        }
      }
    }
  }
  return checked;
}

TEST(PeerBufferSizes, are_what_a_list_of_all_lanes_takes_in_slabs_and_with_idle_ranks) {
  int checked = 0;
  for (Index z = 1; z <= 7; ++z) {
    for (Index y = 1; y <= 7; y += 2) {
      for (Index ranks = 1; ranks <= 5; ++ranks) {
        const Shape shape{z, y, 4};
        for (const Index lines : {1, 3}) {
          for (const Index idle : {0, 2}) {
            const Plan plan =
                samples::forward("c2c:" + std::to_string(z) + "x" + std::to_string(y) + "x4",
                                 ranks + idle, Layout::slab(shape, ranks),
                                 {samples::sweep(2, lines),
                                  samples::exchange(Layout::slab(shape, std::min(y, ranks), 1)),
                                  samples::sweep(0, lines)});
            checked += check_all_cuts(plan, 1);
            ASSERT_FALSE(HasFatalFailure());
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 2000);
}

TEST(PeerBufferSizes, are_what_a_list_of_all_lanes_takes_where_some_axes_stay_as_they_are) {
  int checked = 0;
  const std::vector<std::pair<const char*, const char*>> ways = {
      {"w:all z:block/3@1 y:block/2@3 x:all", "w:all z:block/3@1 y:all x:block/2@3"},
      {"w:all z:block/3@2 y:block/2@1 x:all", "w:all z:block/3@2 y:all x:block/2@1"},
      {"w:block/2@1 z:block/3@2 y:block/2@6 x:all", "w:block/2@1 z:block/3@2 y:all x:block/2@6"},
      {"w:block/2@6 z:block/3@2 y:block/2@1 x:all", "w:block/2@6 z:block/3@2 y:all x:block/2@1"},
      {"w:block/2@1 z:block/3@2 y:block/2@6 x:all", "w:all z:block/3@2 y:all x:block/2@1"},
      {"w:block/2@6 z:block/3@2 y:cyclic/2@1 x:all", "w:all z:block/3@2 y:all x:block/2@1"},
      {"w:all z:block/3@1 y:block/4@3 x:all", "w:all z:block/3@1 y:all x:cyclic/3@3"}};
  for (const Shape& shape : {Shape{3, 7, 6, 5}, Shape{5, 13, 9, 7}, Shape{7, 3, 3, 2}}) {
    const std::string problem = "c2c:" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) +
                                "x" + std::to_string(shape[2]) + "x" + std::to_string(shape[3]);
    for (const auto& [from, to] : ways) {
      const Layout before = Layout::parse(from, shape);
      const Layout behind = Layout::parse(to, shape);
      for (const Index lines : {1, 2}) {
        const Plan plan = samples::forward(
            problem, std::max(before.ranks(), behind.ranks()) + 1, before,
            {samples::sweep(3, lines), samples::exchange(behind), samples::sweep(2, lines)});
        checked += check_all_cuts(plan, 1);
      }
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace kallima

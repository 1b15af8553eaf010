// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/node_layout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"
#include "schedule/schedule.hpp"

namespace kallima {
namespace {

std::vector<Plan> plans_by_nodes(const std::string& problem, Index ranks, Index per_node) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.placement.ranks_per_node = per_node;
  request.method = ExchangeMethod::point_to_point;
  std::vector<Plan> result;
  for (const NamedPlan& named : all_plans(request)) {
    const Plan plan = named.plan.with_method(ExchangeMethod::node_aggregated);
    if (!plan.goes_by(ExchangeMethod::node_aggregated)) continue;
    result.push_back(plan);
    if (const auto cut = pipelined(plan, built_in_machine(), 3)) result.push_back(*cut);
  }
  return result;
}

TEST(NodeMap, deals_peers_to_the_ranks_of_a_node) {
  const NodeMap map{10, 4};  // 0-3, 4-7, 8 and 9
  EXPECT_EQ(map.nodes(), 3);
  EXPECT_EQ(map.end(2), 10);
  EXPECT_EQ(map.owner(0, 1), 0);
  EXPECT_EQ(map.owner(0, 2), 1);
  EXPECT_EQ(map.owner(1, 2), 4);
  EXPECT_EQ(map.owner(1, 0), 5);
  EXPECT_EQ(map.owner(2, 0), 8);
  EXPECT_EQ(map.owner(2, 1), 9);
  // As many or one more.
  const NodeMap many{7 * 3, 3};
  std::map<Index, int> buffers;
  for (Index node = 0; node < 7; ++node) {
    for (Index peer = 0; peer < 7; ++peer) {
      if (peer == node) continue;
      const Index owner = many.owner(node, peer);
      EXPECT_EQ(many.node_of(owner), node);
      ++buffers[owner];
    }
  }
  for (const auto& entry : buffers) EXPECT_EQ(entry.second, 2);
}

TEST(Nodes, one_message_goes_between_each_two_that_have_something_for_each_other) {
  for (const Index per_node : {1, 2, 3, 4}) {
    for (const Plan& plan : plans_by_nodes("c2c:12x8x6", 6, per_node)) {
      for (std::size_t i = 0; i < plan.steps().size(); ++i) {
        const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
        if (exchange == nullptr) continue;
        std::set<std::pair<Index, Index>> pairs;
        Index elements = 0;
        for (Index rank = 0; rank < 6; ++rank) {
          for (const Piece& piece : pieces(plan.states()[i].layout, exchange->to, rank)) {
            if (rank / per_node == piece.peer / per_node) continue;
            pairs.insert({rank / per_node, piece.peer / per_node});
            elements += piece.size;
          }
        }
        EXPECT_EQ(exchange->traffic.messages, static_cast<Index>(pairs.size()));
        EXPECT_EQ(exchange->traffic.elements, elements);
        EXPECT_EQ(exchange->message_traffic().messages,
                  static_cast<Index>(pairs.size()) * exchange->chunks.parts());
      }
    }
  }
}

/// Memory [begin, end) of a segment.
void occupy(std::map<Index, std::vector<bool>>& segments, Index segment, Index begin, Index size) {
  std::vector<bool>& used = segments[segment];
  if (static_cast<Index>(used.size()) < begin + size) {
    used.resize(static_cast<std::size_t>(begin + size));
  }
  for (Index i = begin; i < begin + size; ++i) {
    EXPECT_FALSE(used[static_cast<std::size_t>(i)]) << "two pieces in one place";
    used[static_cast<std::size_t>(i)] = true;
  }
}

TEST(Nodes, pieces_have_places_of_their_own_and_both_ends_agree) {
  int checked = 0;
  for (const char* const problem : {"c2c:12x8x6", "c2c:7x9x5", "c2c:64", "c2c:10x9"}) {
    for (const Plan& plan : plans_by_nodes(problem, 6, 2)) {
      const NodeMap map = node_map(plan);
      for (std::size_t i = 0; i < plan.steps().size(); ++i) {
        if (!std::holds_alternative<Exchange>(plan.steps()[i])) continue;
        ++checked;
        const PartBegins parts(plan, i);
        const auto size_of = [&](const NodePlace& place) {
          const auto& to = std::get<Exchange>(plan.steps()[i]).to;
          for (const Piece& piece : pieces(plan.states()[i].layout, to, place.sender)) {
            if (piece.peer == place.taker) return piece.size;
          }
          return Index{0};
        };
        std::map<std::pair<Index, Index>, std::vector<Index>> sent;   // within buffers
        std::map<std::pair<Index, Index>, std::vector<Index>> taken;  // by sender and taker
        for (Index node = 0; node < map.nodes(); ++node) {
          const NodeLayout layout = node_layout(plan, i, node);
          for (const bool sending : {true, false}) {
            std::map<Index, std::vector<bool>> segments;
            for (const NodePlace& place : sending ? layout.out : layout.in) {
              const Index size = size_of(place);
              ASSERT_GT(size, 0);
              std::vector<Index> sizes = {size};
              if (map.node_of(place.sender) != map.node_of(place.taker)) {
                sizes = parts.sizes(place.sender, place.taker, size);
              }
              ASSERT_EQ(sizes.size(), place.begins.size());
              for (std::size_t p = 0; p < sizes.size(); ++p) {
                occupy(segments, place.segment, place.begins[p], sizes[p]);
              }
            }
            for (const auto& [segment, used] : segments) {
              EXPECT_LE(static_cast<Index>(used.size()),
                        layout.segments[static_cast<std::size_t>(segment - map.first(node))]);
            }
            for (const NodeBuffer& buffer : layout.buffers) {
              EXPECT_EQ(map.node_of(buffer.owner), node);
              const Index other = map.node_of(buffer.buffer.peer);
              for (const NodePlace& place : sending ? layout.out : layout.in) {
                if (map.node_of(sending ? place.taker : place.sender) != other) continue;
                auto& where = (sending ? sent : taken)[{place.sender, place.taker}];
                for (const Index begin : place.begins) {
                  where.push_back(begin - buffer.begin - (sending ? buffer.buffer.send_offset : 0));
                }
              }
            }
          }
        }
        EXPECT_EQ(sent, taken) << plan.to_text();
      }
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Nodes, segments_are_announced_as_large_as_the_largest_of_any_rank) {
  for (const char* const problem : {"c2c:12x8x6", "c2c:7x9x5", "c2c:64", "c2c:10x9"}) {
    for (const Index per_node : {1, 2, 4}) {
      for (const Plan& plan : plans_by_nodes(problem, 6, per_node)) {
        if (uniform(plan)) continue;  // a bound
        for (const bool in_place : {false, true}) {
          const Schedule stages = schedule(plan, in_place);
          Workspace most;
          for (Index rank = 0; rank < plan.ranks(); ++rank) {
            const Workspace here = workspace(plan, stages, rank);
            most.segment = std::max(most.segment, here.segment);
            most.other_segment = std::max(most.other_segment, here.other_segment);
          }
          EXPECT_EQ(largest_workspace(plan, stages).segment, most.segment) << plan.to_text();
          EXPECT_EQ(largest_workspace(plan, stages).other_segment, most.other_segment);
        }
      }
    }
  }
}

TEST(Nodes, plans_are_read_as_they_are_written) {
  for (const Plan& plan : plans_by_nodes("c2c:12x8x6", 6, 2)) {
    EXPECT_EQ(Plan::parse(plan.to_text()), plan);
    EXPECT_EQ(plan.reversed().reversed(), plan);
    EXPECT_EQ(plan.with_method(ExchangeMethod::point_to_point)
                  .with_method(ExchangeMethod::node_aggregated),
              plan.with_method(ExchangeMethod::node_aggregated));
  }
}

TEST(Nodes, what_cannot_go_by_nodes_goes_by_messages) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8x8");
  request.ranks = 4;
  request.method = ExchangeMethod::point_to_point;
  // It is not known who shares a node.
  EXPECT_FALSE(make_plan(request)
                   .with_method(ExchangeMethod::node_aggregated)
                   .goes_by(ExchangeMethod::node_aggregated));
  request.placement.ranks_per_node = 2;
  EXPECT_TRUE(make_plan(request)
                  .with_method(ExchangeMethod::node_aggregated)
                  .goes_by(ExchangeMethod::node_aggregated));
  // The exchange of k with n - k.
  request.problem = Problem::parse("r2c:64");
  EXPECT_FALSE(make_plan(request)
                   .with_method(ExchangeMethod::node_aggregated)
                   .goes_by(ExchangeMethod::node_aggregated));
  request.method = ExchangeMethod::node_aggregated;
  EXPECT_FALSE(make_plan(request).goes_by(ExchangeMethod::node_aggregated));
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What planning takes, counted: machines are too noisy to be timed. What goes over ranks and
// pieces, src/layout and src/plan, is compiled for this program with a call at every block of code
// (-fsanitize-coverage=trace-pc), and the calls are counted.
//
// Limits are about three times what the slowest of their kind takes today. Listing pieces rank by
// rank took thirty times as much for most of these, and for some several hundred times.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "kallima/planner.hpp"

namespace {
std::uint64_t blocks = 0;
}

extern "C" void __sanitizer_cov_trace_pc() { ++blocks; }  // NOLINT: the compiler's name

namespace kallima {
namespace {

PlanRequest request_of(const char* problem, Index ranks, Index ranks_per_node = 0) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.placement.ranks_per_node = ranks_per_node;
  return request;
}

/// Millions of blocks that a plan takes, with its text, which says what memory it needs.
double work_of(const PlanRequest& request) {
  const std::uint64_t before = blocks;
  EXPECT_FALSE(make_plan(request).to_text().empty());
  return static_cast<double>(blocks - before) * 1e-6;
}

constexpr double most_work = 250.;

void expect_little_work(const PlanRequest& request, double most = most_work) {
  const double work = work_of(request);
  const std::string what =
      request.problem.to_text() + " on " + std::to_string(request.ranks) + " ranks";
  std::cout << what << ": " << work << " million blocks\n";
  EXPECT_LE(work, most) << what;
}

TEST(PlanningWork, is_little_for_problems_that_took_minutes_when_pieces_were_listed) {
  expect_little_work(request_of("c2c:1000x900x700", 1001));
  expect_little_work(request_of("c2c:1000x900x700", 1000));
  expect_little_work(request_of("r2c:4096x4096x4096", 4096));
  expect_little_work(request_of("r2c:4096x4096x4096", 12288));
  expect_little_work(request_of("r2c:1536x1536x1536", 1536));
  expect_little_work(request_of("c2c:1536x1536x1536", 4608));
  expect_little_work(request_of("c2c:512x512x512", 768));
  expect_little_work(request_of("c2c:4096x4096x4096", 4096));
  expect_little_work(request_of("c2c:65536x65536", 65536));
  expect_little_work(request_of("r2c:8192x16384x16384", 18387));
  expect_little_work(request_of("c2c:4096x4096x2048", 5316));
  expect_little_work(request_of("r2c:256x256x180", 262144));
  expect_little_work(request_of("r2c:256x512x128x256", 1048576));
  expect_little_work(request_of("c2c:16384x1", 1048576, 64));
}

TEST(PlanningWork, is_little_where_ranks_share_nodes) {
  constexpr double by_nodes = 900.;  // up to 128 ranks, what nodes send together is listed
  expect_little_work(request_of("c2c:512x442x512", 48, 4), by_nodes);
  expect_little_work(request_of("c2c:128x128x128", 128, 64), by_nodes);
  expect_little_work(request_of("c2c:127x131x137", 128, 16), by_nodes);
  expect_little_work(request_of("c2c:1000x1000x1000", 256, 32));
  expect_little_work(request_of("c2c:32768x32768x32768", 1048576, 56));
}

TEST(PlanningWork, is_little_between_grids_that_have_nothing_to_do_with_each_other) {
  PlanRequest request = request_of("c2c:1000x1001x1003", 1001000);
  request.in = Layout::block(request.problem.shape, {100, 91, 110});
  request.out = Layout::block(request.problem.shape, {91, 110, 100});
  expect_little_work(request, 3000.);  // every rank is looked at, for each exchange once
}

/// The blocks of a grid, as boxes.
Layout as_boxes(const Layout& grid) {
  std::vector<Box> boxes;
  for (Index rank = 0; rank < grid.ranks(); ++rank) {
    Box box;
    for (std::size_t a = 0; a < grid.axes(); ++a) {
      box.low.push_back(grid.local_indices(rank, a).first);
      box.high.push_back(grid.local_indices(rank, a).last() + 1);
    }
    boxes.push_back(box);
  }
  return Layout::boxes(grid.shape(), boxes);
}

/// Blocks of z and y over a square of ranks, as boxes.
Layout square_of_boxes(const Shape& shape, Index side) {
  return as_boxes(Layout::pencil(shape, 2, side, side));
}

TEST(PlanningWork, grows_with_boxes_and_not_with_their_pairs) {
  PlanRequest request = request_of("c2c:512x512x512", 1024);
  request.in = square_of_boxes(request.problem.shape, 32);
  const double few = work_of(request);
  request.ranks = 4096;
  request.in = square_of_boxes(request.problem.shape, 64);
  const double many = work_of(request);
  std::cout << "1,024 boxes: " << few << " million blocks, 4,096: " << many << "\n";
  EXPECT_LE(many, 6. * few);
  EXPECT_LE(many, most_work);
}

/// Each block of a grid in two halves along the first axis.
Layout as_two_boxes(const Layout& grid) {
  std::vector<std::vector<Box>> of_ranks;
  const Layout blocks = as_boxes(grid);
  for (const Box& box : blocks.table()) {
    of_ranks.push_back({box, box});
    of_ranks.back()[0].high[0] = of_ranks.back()[1].low[0] = (box.low[0] + box.high[0]) / 2;
  }
  return Layout::boxes_of_ranks(grid.shape(), of_ranks);
}

void expect_work_of_cubes_grows_with_ranks(Layout (*layout_of)(const Layout&), double most) {
  const auto work_between_cubes = [&](Index side) {
    PlanRequest request = request_of("c2c:256x256x256", side * side * side);
    request.in = request.out = layout_of(Layout::block(request.problem.shape, {side, side, side}));
    return work_of(request);
  };
  const double few = work_between_cubes(8);
  const double many = work_between_cubes(16);
  std::cout << "512 ranks: " << few << " million blocks, 4,096: " << many << "\n";
  EXPECT_LE(many, 16. * few);
  EXPECT_LE(many, most);
}

TEST(PlanningWork, grows_with_boxes_at_both_ends_and_not_with_their_pairs) {
  expect_work_of_cubes_grows_with_ranks(as_boxes, most_work);
}

TEST(PlanningWork, grows_with_several_boxes_on_each_rank_and_not_with_their_pairs) {
  // Whom ranks meet is listed. 2,100 where the standard library checks indices, 1,200 elsewhere.
  expect_work_of_cubes_grows_with_ranks(as_two_boxes, 3000.);
}

}  // namespace
}  // namespace kallima

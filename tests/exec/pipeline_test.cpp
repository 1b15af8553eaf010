// SPDX-License-Identifier: BSD-3-Clause
//
// Plans in chunks and by nodes, all ranks in one process: the same bits as by messages in one
// piece, and as many messages as the plan announces.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "exchange/bruck_rounds.hpp"
#include "exchange/chunks.hpp"
#include "exec/loopback.hpp"
#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"
#include "planner/radix.hpp"
#include "support/reference.hpp"

namespace kallima {
namespace {

using test::flat_part;
using test::sample;

template <class T>
using Arrays = std::vector<std::vector<std::complex<T>>>;

/// Every rank's output; of complex data.
template <class T>
Arrays<T> output_of(const Plan& plan, bool in_place) {
  const auto ranks = static_cast<std::size_t>(plan.ranks());
  Arrays<T> in(ranks);
  Arrays<T> out(ranks);
  std::vector<const std::complex<T>*> sources;
  std::vector<std::complex<T>*> targets;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<Index>(r);
    for (const Index flat : flat_part(plan.input(), rank)) in[r].push_back(sample<T>(3, flat));
    out[r].resize(static_cast<std::size_t>(plan.output().local_size(rank)));
    in[r].resize(std::max(in[r].size(), out[r].size()));
    sources.push_back(in[r].data());
    targets.push_back(in_place ? in[r].data() : out[r].data());
  }
  exec::Loopback<T> loopback(plan, in_place);
  loopback.run(sources, targets, T{1});
  Index messages = 0;
  for (Index r = 0; r < plan.ranks(); ++r) messages += loopback.counters(r).messages_sent;
  EXPECT_EQ(messages, plan.total_volume().messages);
  if (in_place) {
    for (std::size_t r = 0; r < ranks; ++r) in[r].resize(out[r].size());
    return in;
  }
  return out;
}

template <class T>
bool same_bits(const Arrays<T>& a, const Arrays<T>& b) {
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (a[r].size() != b[r].size()) return false;
    if (!a[r].empty() &&
        std::memcmp(a[r].data(), b[r].data(), a[r].size() * sizeof(std::complex<T>)) != 0) {
      return false;
    }
  }
  return true;
}

/// Cuts the plans of a problem in all ways and returns how many could be.
template <class T>
int check_all(const PlanRequest& request) {
  int cut_plans = 0;
  for (const NamedPlan& named : all_plans(request)) {
    const Plan bulk = named.plan.with_method(ExchangeMethod::point_to_point);
    for (const bool in_place : {false, true}) {
      const Arrays<T> forward = output_of<T>(bulk, in_place);
      const Arrays<T> backward = output_of<T>(bulk.reversed(), in_place);
      for (const Index chunks : {2, 3, 4, 16}) {
        const std::optional<Plan> cut = pipelined(bulk, built_in_machine(), chunks);
        if (!cut) continue;
        ++cut_plans;
        EXPECT_TRUE(same_bits(output_of<T>(*cut, in_place), forward)) << cut->to_text();
        EXPECT_TRUE(same_bits(output_of<T>(cut->reversed(), in_place), backward))
            << cut->reversed().to_text();
      }
    }
  }
  return cut_plans;
}

PlanRequest small_tiles(const std::string& problem, Index ranks, Index tile_bytes) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.tile_bytes = tile_bytes;
  request.method = ExchangeMethod::point_to_point;
  return request;
}

TEST(Pipeline, gives_the_same_bits_in_any_number_of_chunks) {
  int cut_plans = 0;
  for (const char* const problem :
       {"c2c:16x12x8", "c2c:9x10x7", "c2c:16x16", "c2c:15x14", "c2c:4x6x5x8", "c2c:256"}) {
    for (const Index ranks : {2, 3, 4}) {
      for (const Index tile : {64, 4096}) {
        cut_plans += check_all<double>(small_tiles(problem, ranks, tile));
      }
    }
    cut_plans += check_all<float>(small_tiles(std::string(problem) + ":f32", 4, 256));
  }
  EXPECT_GT(cut_plans, 400);
}

/// Cuts both sides of each exchange alike, in all ways, and returns how many there were.
int check_alike(const PlanRequest& request) {
  int cut_plans = 0;
  for (const NamedPlan& named : all_plans(request)) {
    const Plan bulk = named.plan.with_method(ExchangeMethod::point_to_point);
    for (std::size_t step = 0; step < bulk.steps().size(); ++step) {
      if (bulk.exchange_at(step) == nullptr) continue;
      for (const CutDigit& cut : cut_digits_alike(bulk, step)) {
        for (const Index chunks : {Index{2}, Index{3}, cut.most}) {
          if (chunks > cut.most) continue;
          const Plan plan = bulk.with_chunks(step, {cut.digit, chunks, cut.digit, chunks});
          EXPECT_EQ(plan.exchange_at(step)->chunks.parts(), chunks);
          EXPECT_EQ(Plan::parse(plan.to_text()), plan);
          ++cut_plans;
          for (const bool in_place : {false, true}) {
            EXPECT_TRUE(
                same_bits(output_of<double>(plan, in_place), output_of<double>(bulk, in_place)))
                << plan.to_text();
            EXPECT_TRUE(same_bits(output_of<double>(plan.reversed(), in_place),
                                  output_of<double>(bulk.reversed(), in_place)))
                << plan.reversed().to_text();
          }
        }
      }
    }
  }
  return cut_plans;
}

TEST(Pipeline, gives_the_same_bits_where_both_sides_are_cut_alike) {
  int cut_plans = 0;
  for (const char* const problem :
       {"c2c:16x12*5", "c2c:9x10x7*3", "c2c:8x16x16", "c2c:256*4", "c2c/x=batch:16x12x6",
        "c2c/y=none:9x5x8", "c2c:16x16x16*2", "c2c:16x16x8x8"}) {
    for (const Index ranks : {2, 4}) {
      for (const Index tile : {64, 4096})
        cut_plans += check_alike(small_tiles(problem, ranks, tile));
    }
  }
  EXPECT_GT(cut_plans, 60);
}

TEST(Pipeline, gives_the_same_bits_on_many_ranks_that_hold_different_sizes) {
  for (const auto& [problem, way] : {std::pair{"c2c:68x16x8x68", Decomposition::slab},
                                     std::pair{"c2c:68x135x32", Decomposition::pencil}}) {
    PlanRequest request = small_tiles(problem, 67, 64);
    request.decomposition = way;
    request.chunks = 1;
    const Plan bulk = make_plan(request);
    const std::optional<Plan> cut = pipelined(bulk, built_in_machine(), 8);
    ASSERT_TRUE(cut) << bulk.to_text();
    for (const bool in_place : {false, true}) {
      EXPECT_TRUE(same_bits(output_of<double>(*cut, in_place), output_of<double>(bulk, in_place)))
          << cut->to_text();
    }
  }
}

/// Plans of a problem by nodes of so many ranks, in one piece and in chunks; returns how many.
template <class T>
int check_nodes(PlanRequest request, Index per_node) {
  request.placement.ranks_per_node = per_node;
  int checked = 0;
  for (const NamedPlan& named : all_plans(request)) {
    const Plan bulk = named.plan.with_method(ExchangeMethod::point_to_point);
    const Plan nodes = bulk.with_method(ExchangeMethod::node_aggregated);
    if (!nodes.goes_by(ExchangeMethod::node_aggregated)) continue;
    for (const bool in_place : {false, true}) {
      const Arrays<T> forward = output_of<T>(bulk, in_place);
      const Arrays<T> backward = output_of<T>(bulk.reversed(), in_place);
      for (const Index chunks : {1, 2, 3, 8}) {
        const std::optional<Plan> cut = pipelined(nodes, built_in_machine(), chunks);
        if (chunks > 1 && !cut) continue;
        const Plan& plan = cut ? *cut : nodes;
        ++checked;
        EXPECT_TRUE(same_bits(output_of<T>(plan, in_place), forward)) << plan.to_text();
        EXPECT_TRUE(same_bits(output_of<T>(plan.reversed(), in_place), backward))
            << plan.reversed().to_text();
      }
    }
  }
  return checked;
}

TEST(Nodes, give_the_same_bits_in_any_number_of_chunks) {
  int checked = 0;
  for (const char* const problem :
       {"c2c:16x12x8", "c2c:9x10x7", "c2c:16x16", "c2c:4x6x5x8", "c2c:256"}) {
    checked += check_nodes<double>(small_tiles(problem, 5, 4096), 2);
  }
  checked += check_nodes<float>(small_tiles("c2c:9x10x7:f32", 6, 256), 3);
  checked += check_nodes<double>(small_tiles("c2c:16x12x8", 3, 64), 4);
  PlanRequest request = small_tiles("c2c:8x12x10", 4, 512);
  request.in = Layout::block(request.problem.shape, {2, 2, 1});
  request.out = request.in;
  checked += check_nodes<double>(request, 2);
  EXPECT_GT(checked, 100);
}

TEST(Bruck, give_the_same_bits_with_any_radix) {
  int checked = 0;
  for (const char* const problem : {"c2c:9x10x7", "c2c:16x16", "c2c:4x6x5x8", "c2c:256"}) {
    for (const Index ranks : {7, 8}) {
      for (const NamedPlan& named : all_plans(small_tiles(problem, ranks, 4096))) {
        const Plan bulk = named.plan.with_method(ExchangeMethod::point_to_point);
        for (const bool in_place : {false, true}) {
          const Arrays<double> forward = output_of<double>(bulk, in_place);
          const Arrays<double> backward = output_of<double>(bulk.reversed(), in_place);
          for (const Index radix : {2, 3}) {
            const Plan plan = by_bruck(bulk, radix);
            if (!plan.goes_by(ExchangeMethod::bruck)) continue;
            ++checked;
            EXPECT_TRUE(same_bits(output_of<double>(plan, in_place), forward)) << plan.to_text();
            EXPECT_TRUE(same_bits(output_of<double>(plan.reversed(), in_place), backward))
                << plan.reversed().to_text();
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(Pipeline, goes_between_layouts_that_users_have) {
  PlanRequest request = small_tiles("c2c:8x12x10", 4, 512);
  request.in = Layout::block(request.problem.shape, {2, 2, 1});
  request.out = request.in;
  EXPECT_GT(check_all<double>(request), 0);
  request.in = Layout::cyclic(request.problem.shape, {2, 1, 2});
  request.out = Layout::slab(request.problem.shape, 4);
  EXPECT_GT(check_all<double>(request), 0);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/planner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "kallima/error.hpp"
#include "layout/samples.hpp"
#include "machine/figures.hpp"
#include "machine/samples.hpp"
#include "plan/invariants.hpp"
#include "support/methods.hpp"
#include "support/text.hpp"

namespace kallima {
namespace {

using samples::Dice;
using test::mentions;

PlanRequest request(const std::string& problem, Index ranks) {
  PlanRequest result;
  result.problem = Problem::parse(problem);
  result.ranks = ranks;
  result.machine = samples::far_apart();
  return result;
}

PlanRequest request(const Shape& shape, Index ranks) {
  PlanRequest result;
  result.problem.shape = shape;
  result.ranks = ranks;
  result.machine = samples::far_apart();
  return result;
}

/// What must hold for the answer to any request.
void check_answer(const PlanRequest& asked, const Plan& plan) {
  ASSERT_EQ(plan.problem(), asked.problem);
  ASSERT_EQ(plan.ranks(), asked.ranks);
  ASSERT_EQ(plan.placement(), asked.placement);
  ASSERT_EQ(plan.direction(), Direction::forward);
  if (asked.in) {
    ASSERT_EQ(plan.input(), *asked.in);
  }
  if (asked.out) {
    ASSERT_EQ(plan.output(), *asked.out);
  }
  Shape swept(asked.problem.shape.size(), 1);  // product of the radices of an axis' digits
  bool exchanged = true;  // exchanges stand between sweeps, which pack and unpack
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const Step& step = plan.steps()[i];
    if (std::holds_alternative<Regroup>(step)) {
      ASSERT_TRUE(i == 0 || !exchanged) << "pieces that were not unpacked are regrouped";
      exchanged = true;
      continue;
    }
    const auto* const sweep = std::get_if<Sweep>(&step);
    if (sweep == nullptr) {
      ASSERT_FALSE(exchanged) << "an exchange without a sweep before it";
      const bool not_for_hermitian =
          asked.method == ExchangeMethod::node_aggregated || asked.method == ExchangeMethod::bruck;
      const bool by_messages = asked.method == ExchangeMethod::any ||
                               (not_for_hermitian && std::get<Exchange>(step).hermitian());
      ASSERT_EQ(std::get<Exchange>(step).method,
                by_messages ? ExchangeMethod::point_to_point : asked.method);
      exchanged = true;
      continue;
    }
    exchanged = false;
    ASSERT_GE(sweep->lines, 1);
    if (sweep->kernel == Kernel::none || plan.convolves()) continue;
    const auto digit = static_cast<std::size_t>(sweep->digit);
    const State& before = plan.states()[i];
    swept[static_cast<std::size_t>(before.digits[digit].axis)] *= before.layout.shape()[digit];
  }
  if (!plan.steps().empty()) {
    ASSERT_FALSE(std::holds_alternative<Exchange>(plan.steps().back()))
        << "an exchange without a sweep behind it";
  }
  ASSERT_EQ(swept, plan.convolves() ? Shape{1} : asked.problem.shape);
}

/// The most workspace in units of the largest local array, and where it was seen.
struct Worst {
  double ratio = 0;
  std::string where;

  void see(const Plan& plan, bool in_place) {
    const Workspace need = largest_workspace(plan, schedule(plan, in_place));
    const Index largest = plan.largest_local_size();
    if (plan.goes_by(ExchangeMethod::node_aggregated))
      return;  // segments hold what others of the node send and take
    if (plan.goes_by(ExchangeMethod::bruck)) return;  // what others send goes by this rank
    ASSERT_LE(need.arrays(), 2 * largest) << plan.to_text();
    const double here = static_cast<double>(need.arrays()) / static_cast<double>(largest);
    if (here <= ratio) return;
    ratio = here;
    where = plan.problem().to_text() + " on " + std::to_string(plan.ranks()) + " ranks";
    for (const State& state : plan.states()) {
      if (&state == &plan.states().front() || state.layout != (&state - 1)->layout) {
        where += (&state == &plan.states().front() ? ": " : " -> ") + state.to_text();
      }
    }
  }
};

struct Ratios {
  Worst out_of_place;
  Worst in_place;

  void see(const Plan& plan) {
    out_of_place.see(plan, false);
    in_place.see(plan, true);
  }
  void print(const char* what) const {
    std::cout << "most workspace of " << what << "\n  out of place " << out_of_place.ratio << ": "
              << out_of_place.where << "\n  in place     " << in_place.ratio << ": "
              << in_place.where << "\n";
  }
};

Plan checked_plan(const PlanRequest& asked) {
  Plan plan = make_plan(asked);
  check_answer(asked, plan);
  samples::check_plan(plan);
  samples::check_reversal(plan);
  samples::check_round_trip(plan);
  samples::check_round_trip(plan.reversed());
  if (::testing::Test::HasFatalFailure()) ADD_FAILURE() << plan.to_text();
  return plan;
}

/// Calls `visit` with all shapes of up to four axes with these extents.
template <class Visit>
void for_all_small_shapes(std::size_t most_axes, const Visit& visit) {
  const std::vector<Index> extents = {1, 2, 3, 5, 8};
  for (std::size_t axes = 1; axes <= most_axes; ++axes) {
    samples::for_each_index(Shape(axes, 5), [&](const std::vector<Index>& choice) {
      Shape shape;
      for (const Index c : choice) shape.push_back(extents[static_cast<std::size_t>(c)]);
      visit(shape);
    });
  }
}

TEST(Planner, every_small_problem_has_a_right_plan) {
  Ratios there;
  Ratios back;
  for_all_small_shapes(4, [&](const Shape& shape) {
    // Of four axes, which are most of the shapes, each on three numbers of ranks.
    const Index step = shape.size() < 4 ? 1 : 3;
    const Index first = 1 + volume(shape) % step;
    for (Index ranks = first; ranks <= 9 && !HasFatalFailure(); ranks += step) {
      const Plan plan = checked_plan(request(shape, ranks));
      there.see(plan);
      back.see(plan.reversed());
    }
  });
  there.print("forward plans to any layout");
  back.print("their reverse");
}

TEST(Planner, every_small_problem_finds_the_way_back_to_its_input) {
  Ratios round;
  for_all_small_shapes(3, [&](const Shape& shape) {
    for (Index ranks = 1; ranks <= 9 && !HasFatalFailure(); ++ranks) {
      PlanRequest asked = request(shape, ranks);
      asked.in = make_plan(asked).input();
      asked.out = asked.in;
      round.see(checked_plan(asked));
    }
  });
  round.print("plans back to their first layout");
}

TEST(Planner, any_layout_leads_to_any_other) {
  Dice dice(8);
  Ratios ratios;
  for (const Shape& shape : {Shape{7}, Shape{12}, Shape{6, 5}, Shape{1, 9}, Shape{4, 3, 5},
                             Shape{8, 8, 8}, Shape{3, 2, 4, 3}}) {
    const std::vector<Layout> all = samples::assorted(dice, shape, 4, 3);
    for (const Layout& in : all) {
      for (const Layout& out : all) {
        PlanRequest asked = request(shape, std::max(in.ranks(), out.ranks()) + dice.roll(0, 2));
        asked.in = in;
        asked.out = out;
        asked.method = test::all_methods[static_cast<std::size_t>(
            dice.roll(0, static_cast<Index>(test::all_methods.size()) - 1))];
        asked.placement.ranks_per_node = 2;
        ratios.see(checked_plan(asked));
        ASSERT_FALSE(HasFatalFailure()) << in.to_text() << " to " << out.to_text();
      }
    }
  }
  ratios.print("plans between any two layouts");
}

TEST(Planner, axes_of_extent_1_cost_nothing) {
  for (const Index ranks : {2, 4, 8, 16, 24, 64}) {
    const Plan plain = make_plan(request(Shape{16, 16, 16}, ranks));
    for (const Shape& shape : {Shape{1, 16, 16, 16}, Shape{16, 16, 16, 1}, Shape{16, 1, 16, 1, 16},
                               Shape{1, 16, 16, 16, 1}, Shape{1, 1, 16, 16, 16, 1}}) {
      const Plan plan = make_plan(request(shape, ranks));
      EXPECT_EQ(plan.exchanges(), plain.exchanges()) << plan.to_text();
      EXPECT_EQ(plan.steps().size(), plain.steps().size()) << plan.to_text();
      EXPECT_EQ(plan.total_volume(), plain.total_volume()) << plan.to_text();
    }
    const Plan flat = make_plan(request(Shape{1, 64, 64, 1}, ranks));
    EXPECT_EQ(flat.exchanges(), 1) << flat.to_text();
  }
}

TEST(Planner, the_same_request_gives_the_same_plan) {
  const PlanRequest asked = request("c2c:60x50x40", 12);
  EXPECT_EQ(make_plan(asked), make_plan(asked));
  EXPECT_EQ(make_plan(asked).hash(), make_plan(asked).hash());
}

TEST(Planner, slabs_need_one_exchange_to_any_layout_and_one_more_back) {
  PlanRequest asked = request("c2c:64x64x64", 8);
  const Plan any = make_plan(asked);
  EXPECT_EQ(any.input(), Layout::slab({64, 64, 64}, 8));
  EXPECT_EQ(any.exchanges(), 1);
  asked.out = any.input();
  EXPECT_EQ(make_plan(asked).exchanges(), 2);
}

TEST(Planner, pencils_need_two_exchanges_to_any_layout_and_more_back) {
  PlanRequest asked = request("c2c:8x8x8", 64);
  const Plan any = make_plan(asked);
  EXPECT_EQ(any.input(), Layout::pencil({8, 8, 8}, 2, 8, 8));
  EXPECT_EQ(any.exchanges(), 2);
  asked.out = any.input();
  EXPECT_GT(make_plan(asked).exchanges(), 2);
  EXPECT_LE(make_plan(asked).exchanges(), 4);
}

TEST(Planner, pencil_exchanges_stay_in_rows_and_columns) {
  const Plan plan = make_plan(request("c2c:32x32x32", 64));
  EXPECT_EQ(plan.exchanges(), 2);
  for (const Step& step : plan.steps()) {
    if (const auto* const exchange = std::get_if<Exchange>(&step)) {
      EXPECT_EQ(exchange->traffic.most_messages_sent, 7);
      EXPECT_EQ(exchange->traffic.most_messages_received, 7);
    }
  }
}

TEST(Planner, one_rank_exchanges_nothing) {
  const Plan plan = make_plan(request("c2c:8x8x8", 1));
  EXPECT_EQ(plan.exchanges(), 0);
  EXPECT_EQ(plan.steps().size(), 3U);
}

TEST(Planner, idle_ranks_are_said_in_the_text) {
  const Plan plan = make_plan(request("c2c:3x3", 8));
  EXPECT_LT(plan.input().active_ranks(), 8);
  EXPECT_TRUE(mentions(plan.to_text(), " of 8 ranks hold data")) << plan.to_text();
  EXPECT_FALSE(mentions(make_plan(request("c2c:8x8", 8)).to_text(), "hold data"));
}

TEST(Planner, one_axis_that_cannot_be_split_falls_back_to_one_rank_and_says_so) {
  const Plan plan = make_plan(request("c2c:997", 4));
  EXPECT_EQ(plan.exchanges(), 0);
  EXPECT_EQ(plan.input().ranks(), 1);
  EXPECT_TRUE(mentions(plan.to_text(), "1 of 4 ranks hold data")) << plan.to_text();
  PlanRequest asked = request("c2c:997", 4);
  asked.in = Layout::block({997}, {4});
  asked.out = Layout::cyclic({997}, {4});
  const Plan through = make_plan(asked);
  EXPECT_EQ(through.exchanges(), 2);
  EXPECT_TRUE(mentions(through.to_text(), "1 of 4 ranks hold data")) << through.to_text();
}

TEST(Planner, uneven_axes_are_remarked_with_what_divides_them) {
  PlanRequest asked = request("c2c:1280x1280x1280", 96);
  asked.in = Layout::slab({1280, 1280, 1280}, 96);
  const Plan plan = make_plan(asked);
  EXPECT_TRUE(mentions(
      plan.to_text(),
      "1280 indices of z over 96 ranks: 32 ranks hold 14, 64 hold 13; 80 or 128 ranks divide it"))
      << plan.to_text();
}

TEST(Planner, 2decomp_fft_431_2048x1024x1024_sizes_are_positive) {
  // 2^31 elements: one more than an int can count.
  for (const Index ranks : {1, 2, 3, 8, 96, 1024, 4096}) {
    for (const char* precision : {"f32", "f64"}) {
      PlanRequest asked = request(std::string("c2c:2048x1024x1024:") + precision, ranks);
      for (int back = 0; back < 2; ++back) {
        const Plan plan = make_plan(asked);
        asked.out = plan.input();
        const Index elements = Index{1} << 31;
        EXPECT_EQ(plan.problem().elements(), elements);
        const Index largest = plan.largest_local_size();
        EXPECT_GE(largest, elements / ranks);
        EXPECT_LE(largest, 2 * elements / ranks);
        for (std::size_t i = 0; i < plan.steps().size(); ++i) {
          const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
          if (exchange == nullptr) continue;
          const Traffic& moved = exchange->traffic;
          EXPECT_GT(moved.elements, elements / 4);
          EXPECT_LT(moved.elements, elements);
          EXPECT_GT(moved.most_sent, 0);
          EXPECT_LE(moved.most_sent, largest);
          EXPECT_GT(moved.most_received, 0);
          EXPECT_LE(moved.most_received, largest);
          EXPECT_GT(moved.messages, 0);
          EXPECT_GT(moved.largest_message, 0);
          EXPECT_LE(moved.largest_message, largest);
        }
        for (const bool in_place : {false, true}) {
          const Schedule stages = schedule(plan, in_place);
          const Workspace need = largest_workspace(plan, stages);
          EXPECT_GT(need.tile, 0);
          if (ranks > 1) {
            EXPECT_GE(need.arrays(), elements / ranks);
          }
          EXPECT_GE(need.spill, 0);
          EXPECT_LE(need.arrays(), 2 * largest);
        }
        EXPECT_FALSE(mentions(plan.to_text(), " -")) << plan.to_text();
      }
    }
  }
}

TEST(Planner, figures_of_2048x1024x1024_on_two_ranks_are_exact) {
  PlanRequest asked = request("c2c:2048x1024x1024", 2);
  asked.chunks = 1;
  const Plan plan = make_plan(asked);
  ASSERT_EQ(plan.exchanges(), 1);
  const CommVolume moved = plan.total_volume();
  EXPECT_EQ(moved.bytes, Index{1} << 34);
  EXPECT_EQ(moved.most_bytes_sent, Index{1} << 33);
  EXPECT_EQ(moved.messages, 2);
  EXPECT_EQ(plan.largest_local_size(), Index{1} << 30);
  EXPECT_TRUE(mentions(plan.to_text(), "17,179,869,184 bytes in 2 messages")) << plan.to_text();
  EXPECT_TRUE(mentions(plan.to_text(), "workspace 17,179,869,184 bytes (1.00 of"))
      << plan.to_text();
}

TEST(Planner, a_million_ranks_are_planned_as_pencils) {
  const auto start = std::chrono::steady_clock::now();
  PlanRequest asked = request("c2c:32768x32768x32768", Index{1} << 20);
  asked.chunks = 1;
  // Where ranks share nodes, nodes a switch, or starts of messages the time of bytes, other grids
  // are cheaper.
  MachineFigures figures = built_in_machine().figures();
  figures.topology.wiring = Wiring::full;
  figures.between_nodes.busy = 1.;
  asked.machine = std::make_shared<const Machine>(figures);
  asked.placement.ranks_per_node = 1;
  const Plan plan = make_plan(asked);
  const std::string text = plan.to_text();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "planned and printed in " << took.count() << " s\n";
  EXPECT_EQ(plan.exchanges(), 2);
  EXPECT_EQ(plan.input(), Layout::pencil({32768, 32768, 32768}, 2, 1024, 1024));
  EXPECT_EQ(plan.largest_local_size(), Index{1} << 25);
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange == nullptr) continue;
    EXPECT_EQ(exchange->traffic.elements, (Index{1} << 35) * 1023);
    EXPECT_EQ(exchange->traffic.messages, (Index{1} << 20) * 1023);
    EXPECT_EQ(exchange->traffic.most_messages_sent, 1023);
  }
  for (const bool in_place : {false, true}) {
    const Workspace need = largest_workspace(plan, schedule(plan, in_place));
    EXPECT_EQ(need.main, Index{1} << 25);
    EXPECT_EQ(need.spill, 0);
  }
}

TEST(Planner, the_largest_problems_do_not_overflow) {
  // 2^59 - 2^28 elements of 16 bytes: as many as 64 bits can count bytes of.
  const Plan plan = make_plan(request(Shape{(Index{1} << 31) - 1, Index{1} << 28}, 1000));
  EXPECT_GT(plan.total_volume().bytes, 0);
  EXPECT_FALSE(mentions(plan.to_text(), " -")) << plan.to_text();
  samples::check_round_trip(plan);
}

TEST(Planner, tiles_respect_the_cache_and_the_lines_there_are) {
  PlanRequest asked = request("c2c:512x512x512", 4);
  asked.tile_bytes = 1 << 16;
  const Plan small = make_plan(asked);
  for (const Step& step : small.steps()) {
    if (const auto* const sweep = std::get_if<Sweep>(&step)) {
      EXPECT_LE(sweep->lines * 512 * 16, 1 << 16);
    }
  }
  asked.tile_bytes = 1;  // never less than a line, nor, across memory, than two cache lines
  const Plan smallest = make_plan(asked);
  for (const Step& step : smallest.steps()) {
    if (const auto* const sweep = std::get_if<Sweep>(&step)) {
      EXPECT_EQ(sweep->lines, sweep->digit == 2 ? 1 : 8);
    }
  }
}

TEST(Planner, requests_that_cannot_be_are_refused_with_the_fix) {
  struct Case {
    const char* name;
    ErrorCode code;
    const char* fragment;
    PlanRequest asked;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* name, ErrorCode code, const char* fragment, auto change) {
    cases.push_back({name, code, fragment, request("c2c:8x8x8", 4)});
    change(cases.back().asked);
  };
  using AskedTransform = PlanRequest;
  add("no axes", ErrorCode::invalid_shape, "1 to 6 axes, this one has 0",
      [](AskedTransform& asked) { asked.problem.shape = {}; });
  add("seven axes", ErrorCode::invalid_shape, "this one has 7",
      [](AskedTransform& asked) { asked.problem.shape = Shape(7, 2); });
  add("extent 0", ErrorCode::invalid_shape, "every extent is at least 1",
      [](AskedTransform& asked) {
        asked.problem.shape = {8, 0};
      });
  add("elements", ErrorCode::overflow, "use a smaller shape",
      [](AskedTransform& asked) { asked.problem.shape = Shape(3, Index{1} << 31); });
  add("bytes", ErrorCode::overflow, "bytes of the array",
      [](AskedTransform& asked) { asked.problem.shape = {max_elements}; });
  add("no ranks", ErrorCode::invalid_option, "0 ranks; a plan needs at least 1",
      [](AskedTransform& asked) { asked.ranks = 0; });
  add("negative ranks", ErrorCode::invalid_option, "-1 ranks",
      [](AskedTransform& asked) { asked.ranks = -1; });
  add("too many ranks", ErrorCode::invalid_option, "more than MPI can number",
      [](AskedTransform& asked) { asked.ranks = Index{1} << 31; });
  add("no tile", ErrorCode::invalid_option, "tiles of 0 bytes; give at least 1",
      [](AskedTransform& asked) { asked.tile_bytes = 0; });
  add("placement", ErrorCode::invalid_option, "-1 ranks a node; give at least 1, or 0",
      [](AskedTransform& asked) { asked.placement.ranks_per_node = -1; });
  add("input shape", ErrorCode::invalid_layout, "the input layout 'y:block/2 x:all' is for another",
      [](AskedTransform& asked) {
        asked.in = Layout::slab({8, 8}, 2);
      });
  add("output shape", ErrorCode::invalid_layout, "the output layout", [](AskedTransform& asked) {
    asked.out = Layout::slab({8, 8, 9}, 2);
  });
  add("input ranks", ErrorCode::too_few_ranks, "the input layout needs 5 ranks, there are 4",
      [](AskedTransform& asked) {
        asked.in = Layout::slab({8, 8, 8}, 5);
      });
  add("output ranks", ErrorCode::too_few_ranks, "use a layout over fewer ranks or start more",
      [](AskedTransform& asked) {
        asked.out = Layout::slab({8, 8, 8}, 5);
      });
  for (const Case& bad : cases) {
    for (const bool plans : {false, true}) {
      try {
        if (plans) {
          make_plan(bad.asked);
        } else {
          validate(bad.asked);
        }
        ADD_FAILURE() << "accepted: " << bad.name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), bad.code) << bad.name << ": " << error.what();
        EXPECT_TRUE(mentions(error.what(), bad.fragment))
            << "'" << bad.fragment << "' is not in: " << error.what();
      }
    }
  }
  EXPECT_NO_THROW(validate(request("c2c:8x8x8", 4)));
}

TEST(Planner, a_long_line_on_one_rank_is_split_near_its_root) {
  PlanRequest asked;
  asked.problem = {{Index{1} << 22}, Precision::f64};
  asked.ranks = 1;
  asked.placement.ranks_per_node = 1;
  const Plan plan = make_plan(asked);
  samples::check_plan(plan);
  EXPECT_EQ(plan.exchanges(), 1);
  EXPECT_EQ(schedule(plan, false).passes(), 2);
  EXPECT_EQ(plan.input(), plan.output());
  for (const State& state : plan.states()) {
    if (state.digits.size() == 1) continue;
    EXPECT_EQ(state.layout.shape(), (Shape{2048, 2048}));
  }
  // Short lines, and those that have no divisor near their root, stay whole.
  for (const Index n : {Index{1} << 16, Index{100003}, Index{2} * 100003}) {
    asked.problem.shape = {n};
    EXPECT_EQ(make_plan(asked).exchanges(), 0) << n;
  }
}

}  // namespace
}  // namespace kallima

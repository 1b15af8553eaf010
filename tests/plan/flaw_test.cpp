// SPDX-License-Identifier: BSD-3-Clause
#include "plan/flaw.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "plan/samples.hpp"
#include "plan/text.hpp"
#include "steps/digits.hpp"

namespace kallima {
namespace {

using samples::copy;
using samples::exchange;
using samples::forward;
using samples::sweep;

void expect_flaw(const Plan& plan, const std::string& fragment) {
  const std::string flaw = flaw_of(plan);
  EXPECT_NE(flaw.find(fragment), std::string::npos) << "'" << flaw << "'\n" << fragment;
}

/// The same of a plan's text, whose steps alone are given.
void expect_refusal(const std::string& text, const std::string& fragment) {
  try {
    const Plan plan = read_plan(text);
    FAIL() << "accepted:\n" << plan.to_text();
  } catch (const ParseError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(fragment), std::string::npos) << what;
    EXPECT_NE(what.find("make the plan anew"), std::string::npos) << what;
  }
}

const Shape cube{8, 8, 8};
const Layout slabs = Layout::slab(cube, 2);
const Layout others = Layout::slab(cube, 2, 1);

Plan of_cube(std::vector<Step> steps) { return forward("c2c:8^3", 2, slabs, std::move(steps)); }

TEST(Flaw, good_plans_have_none) {
  EXPECT_EQ(flaw_of(of_cube({sweep(2), sweep(1), exchange(others), sweep(0)})), "");
  for (const Plan& plan : samples::plans()) {
    EXPECT_EQ(flaw_of(plan), "") << plan.to_text();
    EXPECT_EQ(flaw_of(plan.reversed()), "") << plan.to_text();
  }
}

TEST(Flaw, a_plan_transforms_every_axis) {
  expect_flaw(of_cube({}), "it ends with z y x, and not with all of c2c:8x8x8:f64");
  expect_flaw(of_cube({sweep(2), sweep(1)}), "it ends with z ky kx");
  expect_flaw(of_cube({sweep(2), exchange(others), sweep(0)}), "it ends with kz y kx");
  expect_flaw(Plan(), "of no problem");
  expect_flaw(forward("r2c:8x8", 1, Layout::block({8, 8}, {1, 1}), {}), "it ends with y x");
  // Halved along another axis than the problem is.
  const Layout whole = Layout::block({8, 8}, {1, 1});
  expect_flaw(forward("r2c:8x8", 1, whole, {Sweep{Kernel::real, 0}, sweep(1)}),
              "kernel is not of r2c:8x8:f64");
}

TEST(Flaw, digits_are_joined_again) {
  const Layout whole = Layout::block({16}, {1});
  const std::vector<Digit> digits = {{0, 4, DigitKind::position}, {0, 1, DigitKind::position}};
  const Regroup split{digits, Layout::block({4, 4}, {1, 1})};
  expect_flaw(forward("c2c:16", 1, whole, {split, sweep(0), sweep(1)}), "it ends with ");
  expect_flaw(forward("c2c:16", 1, whole, {split}), "it ends with ");
}

TEST(Flaw, kernels_belong_to_the_kind_of_the_problem) {
  const Layout whole = Layout::block({16}, {1});
  const Step compares = Sweep{Kernel::compare, 0};
  EXPECT_EQ(flaw_of(forward("sort:16", 1, whole, {compares})), "");
  expect_flaw(forward("c2c:16", 1, whole, {sweep(0), compares}), "kernel is not of c2c:16:f64");
  expect_flaw(forward("walsh:16", 1, whole, {compares}), "kernel is not of walsh:16");
  expect_flaw(forward("sort:16", 1, whole, {compares, sweep(0)}), "kernel is not of sort:16");
  expect_flaw(forward("sort:16", 1, whole, {compares, copy()}), "kernel is not of sort:16");
}

TEST(Flaw, a_sort_has_the_sweeps_of_a_bitonic_sort) {
  const Layout whole = Layout::block({16}, {1});
  const Step compares = Sweep{Kernel::compare, 0};
  expect_flaw(forward("sort:16", 1, whole, {}), "it has 0 sweeps");
  expect_flaw(forward("sort:16", 1, whole, {compares, compares}),
              "it has 2 sweeps, and a sort of 1 blocks has 1");
  expect_flaw(forward("sort:16", 1, whole, {compares}).reversed(), "no way back");
  // Rows of a tile are put in order only where they lie in one piece.
  const Step across = Sweep{Kernel::compare, 0, 1, TileForm::interleaved};
  expect_flaw(forward("sort:16", 1, whole, {across}), "sweep 1 is not that of a bitonic sort");
}

TEST(Flaw, exchanges_are_between_sweeps) {
  const std::string fragment = "an exchange is not between sweeps";
  expect_flaw(of_cube({exchange(slabs), sweep(2), sweep(1), exchange(others), sweep(0)}), fragment);
  expect_flaw(of_cube({sweep(2), sweep(1), exchange(others), exchange(others), sweep(0)}),
              fragment);
  expect_flaw(of_cube({sweep(2), sweep(1), exchange(others), sweep(0), exchange(slabs)}), fragment);
}

TEST(Flaw, segments_and_nodes_carry_all_exchanges_or_none) {
  const auto by = [](ExchangeMethod first, ExchangeMethod second) {
    return of_cube(
        {sweep(2), sweep(1), exchange(others, first), sweep(0), exchange(slabs, second), copy()});
  };
  EXPECT_EQ(flaw_of(by(ExchangeMethod::point_to_point, ExchangeMethod::alltoallv)), "");
  EXPECT_EQ(flaw_of(by(ExchangeMethod::shared_memory, ExchangeMethod::shared_memory)), "");
  expect_flaw(by(ExchangeMethod::shared_memory, ExchangeMethod::point_to_point),
              "not all exchanges go by shared-memory");
  expect_flaw(by(ExchangeMethod::point_to_point, ExchangeMethod::node_aggregated),
              "not all exchanges go by node-aggregated");
  expect_flaw(by(ExchangeMethod::node_aggregated, ExchangeMethod::node_aggregated),
              "not known how many ranks a node has");
  EXPECT_THROW((void)by(ExchangeMethod::any, ExchangeMethod::any), InternalError);
}

TEST(Flaw, chunks_are_cut_where_they_can_be) {
  const auto cut = [](const Chunks& there, const Chunks& back) {
    Exchange first{others};
    first.chunks = there;
    Exchange second{slabs};
    second.chunks = back;
    return of_cube({sweep(2), sweep(1), first, sweep(0), second, copy()});
  };
  EXPECT_EQ(flaw_of(cut({0, 2, 1, 2}, {})), "");
  EXPECT_EQ(flaw_of(cut({0, 2, 1, 2}, {1, 2, 0, 2})), "");
  expect_flaw(cut({0, 5, 1, 2}, {}), "cut where it cannot be");
  expect_flaw(cut({0, 0, 1, 0}, {}), "cut where it cannot be");
  expect_flaw(cut({1, 2, 2, 2}, {}), "cut where it cannot be");
  expect_flaw(cut({7, 2, -1, 2}, {}), "cut where it cannot be");
  EXPECT_EQ(flaw_of(cut({2, 2, 2, 2}, {})), "");
  expect_flaw(cut({2, 2, 2, 4}, {}), "twice along the same digit");
  expect_flaw(cut({0, 2, 1, 2}, {2, 2, 0, 2}), "cut in two ways");
  expect_flaw(cut({0, 2, 1, 2}, {1, 4, 0, 2}), "cut in two ways");
}

TEST(Flaw, sweeps_that_share_a_pass_are_two_with_nothing_in_between) {
  const auto after = [](const Sweep& first, const Sweep& second) {
    return of_cube({first, second, exchange(others), sweep(0)});
  };
  const Sweep rows{Kernel::fourier, 2, 4, TileForm::lines};
  const Sweep columns{Kernel::fourier, 1, 4, TileForm::interleaved, true};
  EXPECT_EQ(flaw_of(after(rows, columns)), "");
  Sweep joined = rows;
  joined.joined = true;
  expect_flaw(after(joined, columns), "in the same pass as no other");
  expect_flaw(of_cube({copy(), joined, sweep(1), exchange(others), sweep(0)}),
              "in the same pass as no other");
  Sweep lines = columns;
  lines.form = TileForm::lines;
  expect_flaw(after(rows, lines), "one has contiguous lines");
  Sweep wide = columns;
  wide.lines = 9;
  expect_flaw(after(rows, wide), "more lines than a plane");
  Sweep alone = columns;
  alone.digit = 0;
  expect_flaw(of_cube({sweep(2), sweep(1), exchange(others), alone}),
              "in the same pass as no other");
}

TEST(Flaw, tiles_have_no_more_lines_than_a_rank) {
  EXPECT_EQ(flaw_of(of_cube({sweep(2, 32), sweep(1), exchange(others), sweep(0)})), "");
  expect_flaw(of_cube({sweep(2, 33), sweep(1), exchange(others), sweep(0)}),
              "tiles have 33 lines, of which a rank has 32");
}

TEST(Flaw, only_reals_of_users_are_padded) {
  expect_flaw(forward("c2c:8", 1, Layout::block({8}, {1}).with_padding(2), {sweep(0)}), "padded");
  const Shape shape{8, 8};
  const Layout rows = Layout::slab(shape, 2);
  const Layout half = Layout::slab({8, 5}, 2, 1);
  const auto plan = [&](const Layout& start, const Layout& middle) {
    return forward("r2c:8x8", 2, start,
                   {copy(), exchange(middle), Sweep{Kernel::real, 1}, exchange(half), sweep(0)});
  };
  EXPECT_EQ(flaw_of(plan(rows, rows)), "");
  EXPECT_EQ(flaw_of(plan(rows.with_padding(2), rows)), "");
  expect_flaw(plan(rows, rows.with_padding(2)), "padded");
}

TEST(Flaw, digits_and_steps_are_as_many_as_can_be_run) {
  constexpr int bits = static_cast<int>(most_digits) + 1;
  std::string names;
  std::string formula;
  for (int bit = bits - 1; bit >= 0; --bit) {
    const std::string name = "x" + std::to_string(bit);
    names += name + ":all ";
    formula += (bit == bits - 1 ? "" : " + ") + std::to_string(1 << bit) + " " + name;
  }
  const std::string n = std::to_string(1 << bits);
  expect_refusal("plan c2c:" + n + ":f64 forward on 1 rank\n  start x:all\n  regroup " + names +
                     "where x = " + formula +
                     "\n  regroup x:all\n"
                     "  sweep x by fourier, 1 contiguous line a tile\n  end kx:all\n",
                 "25 digits");
  std::vector<Step> steps(most_steps, copy());
  expect_flaw(forward("c2c:8", 1, Layout::block({8}, {1}), steps), "it ends with x");
  steps.push_back(sweep(0));
  expect_flaw(forward("c2c:8", 1, Layout::block({8}, {1}), steps), "513 steps");
}

TEST(Flaw, the_exchange_of_k_with_its_image_goes_between_its_sweeps) {
  const std::string head =
      "plan r2c:16:f64 forward on 2 ranks\n"
      "  start x:cyclic/2\n"
      "  regroup x1:all x0:block/2 where x = 2 x1 + x0\n"
      "  sweep x1 by real-fourier, 1 contiguous line a tile\n"
      "  exchange x0:all kx0:cyclic/2 by point-to-point\n"
      "  sweep x0 by fourier, 3 interleaved lines a tile\n";
  const std::string join_half = "  exchange kx:cyclic/2 by point-to-point, k with 16 - k\n";
  const std::string tail = "  sweep copy\n  end kx:cyclic/2\n";
  EXPECT_EQ(flaw_of(read_plan(head + join_half + tail)), "");
  expect_refusal(head + "  sweep copy\n" + join_half + tail, "beside sweeps that cannot take them");
  expect_refusal(head + join_half +
                     "  sweep copy\n  exchange kx:block/2 by point-to-point\n  sweep copy\n" +
                     "  end kx:block/2\n",
                 "beside sweeps that cannot take them");
  expect_refusal(head + "  exchange kx:cyclic/2 by point-to-point, k with 17 - k\n" + tail,
                 "a Hermitian exchange between states");
}

TEST(Flaw, digits_are_factors_of_their_axes) {
  const Layout whole = Layout::block({32}, {1});
  constexpr DigitKind position = DigitKind::position;
  const auto split = [&](const std::vector<Digit>& digits, const Shape& radices) {
    const std::vector<Index> ones(radices.size(), 1);
    return forward("c2c:32", 1, whole, {Regroup{digits, Layout::block(radices, ones)}});
  };
  EXPECT_NO_THROW(split({{0, 4, position}, {0, 1, position}}, {8, 4}));
  EXPECT_THROW(split({{0, 4, position}, {0, 1, position}}, {4, 4}), InternalError) << "too few";
  EXPECT_THROW(split({{0, 8, position}, {0, 2, position}}, {4, 4}), InternalError) << "weights";
  EXPECT_THROW(split({{0, 1, position}, {0, 8, position}}, {8, 4}), InternalError) << "order";
  EXPECT_THROW(split({{0, 32, position}, {0, 1, position}}, {1, 32}), InternalError) << "of 1";
  EXPECT_THROW(split({{1, 4, position}, {1, 1, position}}, {8, 4}), InternalError) << "no axis";
  EXPECT_THROW(split({{0, 4, position}}, {8, 4}), InternalError) << "not as many as extents";
  EXPECT_THROW(split({}, {}), InternalError) << "none";
  EXPECT_THROW(split({{0, 4, DigitKind::frequency}, {0, 1, DigitKind::frequency}}, {8, 4}),
               InternalError)
      << "what they count";
}

}  // namespace
}  // namespace kallima

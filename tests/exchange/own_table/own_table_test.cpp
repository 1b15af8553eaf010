// SPDX-License-Identifier: BSD-3-Clause
//
// A program with one exchange method more: this file, with the method and a table that has its row,
// is all that is added. Planning, text, memory, prices and execution know it from there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>

#include "exchange/methods.hpp"
#include "exec/loopback.hpp"
#include "exec/stage_layout.hpp"
#include "kallima/planner.hpp"
#include "kallima/price.hpp"

namespace kallima {
namespace {

constexpr auto reversed_rounds = static_cast<ExchangeMethod>(100);

/// Point-to-point, with the last peer first.
class ReversedRounds final : public Method {
 public:
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area from,
                                          Area to) const override {
    std::vector<Round> rounds = Method::rounds(at, site, from, to);
    std::reverse(rounds.front().sends.begin(), rounds.front().sends.end());
    std::reverse(rounds.front().receives.begin(), rounds.front().receives.end());
    return rounds;
  }
  [[nodiscard]] const char* phase() const override { return "exchange in reversed rounds"; }
};

const Method& reversed_rounds_method() {
  static const ReversedRounds method;
  return method;
}

}  // namespace

std::span<const MethodRow> method_rows() {
#define KALLIMA_METHOD(number, name, NAME, text, meaning) \
  MethodRow{ExchangeMethod::name, text, name##_method()},
  static const std::array rows = {
      KALLIMA_METHOD_TABLE(KALLIMA_METHOD)  //
      MethodRow{reversed_rounds, "reversed-rounds", reversed_rounds_method()}};
#undef KALLIMA_METHOD
  return rows;
}

namespace {

PlanRequest request_of(ExchangeMethod method) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:12x10x9");
  request.ranks = 6;
  request.method = method;
  return request;
}

/// What all ranks hold in the end, of an array that is its own numbering.
std::vector<std::complex<double>> results(const Plan& plan, bool in_place) {
  using Elements = std::vector<std::complex<double>>;
  std::vector<Elements> in;
  std::vector<Elements> out;
  std::vector<const std::complex<double>*> sources;
  std::vector<std::complex<double>*> targets;
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Index both =
        std::max(plan.input().allocated_size(rank), plan.output().allocated_size(rank));
    in.emplace_back(static_cast<std::size_t>(both));
    out.emplace_back(static_cast<std::size_t>(both));
    for (std::size_t i = 0; i < in.back().size(); ++i) {
      in.back()[i] = {static_cast<double>(i * i % 17), static_cast<double>(rank)};
    }
  }
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    sources.push_back(in[rank].data());
    targets.push_back(in_place ? in[rank].data() : out[rank].data());
  }
  exec::Loopback<double> loopback(plan, in_place);
  loopback.run(sources, targets, 1.);
  Elements all;
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    all.insert(all.end(), targets[r], targets[r] + plan.output().local_size(rank));
  }
  return all;
}

TEST(OwnTable, a_method_is_planned_written_read_priced_and_run) {
  const Plan plan = make_plan(request_of(reversed_rounds));
  ASSERT_TRUE(plan.goes_by(reversed_rounds));
  EXPECT_NE(plan.to_text().find(" by reversed-rounds\n"), std::string::npos) << plan.to_text();
  EXPECT_EQ(Plan::parse(plan.to_text()), plan);
  const Plan usual = plan.with_method(ExchangeMethod::point_to_point);
  EXPECT_EQ(plan.total_volume(), usual.total_volume());
  EXPECT_EQ(price(plan, built_in_machine()).total, price(usual, built_in_machine()).total);
  for (const bool in_place : {false, true}) {
    EXPECT_EQ(results(plan, in_place), results(usual, in_place)) << in_place;
  }
}

TEST(OwnTable, what_the_method_says_is_what_is_sent) {
  const Plan plan = make_plan(request_of(reversed_rounds));
  const Plan usual = plan.with_method(ExchangeMethod::point_to_point);
  const auto order = [](const Plan& of) {
    std::vector<Index> peers;
    for (const exec::StageLayout& stage : exec::lay_out(of, schedule(of, false), 0)) {
      if (!stage.is_exchange) continue;
      for (const MessageSlice& slice : stage.rounds.front().sends) peers.push_back(slice.peer);
      break;
    }
    return peers;
  };
  std::vector<Index> backwards = order(usual);
  ASSERT_GT(backwards.size(), 1U);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(order(plan), backwards);
}

}  // namespace
}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of plans, by hand on machines whose figures are round.
#include "kallima/price.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kallima/planner.hpp"
#include "machine/figures.hpp"
#include "theory/crossover.hpp"

namespace kallima {
namespace {

/// Sweeps cost nothing, messages alpha and beta, every rank has a node to itself.
MachineFigures flat(double alpha, double beta) {
  MachineFigures machine = built_in_machine().figures();
  machine.name = "flat";
  machine.node = {1, 1, 0., false};
  Speed free;
  free.f32.primes = free.f64.primes = Curve(1.);
  free.in_plan = Curve(1.);
  machine.speeds = {free};
  for (Link* const link : {&machine.in_node, &machine.between_nodes}) {
    *link = Link{};
    link->fits = {alpha, beta, 0., 1., beta, 0.};
  }
  machine.topology = {};
  return machine;
}

/// With kernels that take as long as FFTW.
Machine of_one_engine(MachineFigures machine) {
  for (Speed& speed : machine.speeds) {
    speed.kernels_f32 = speed.f32;
    speed.kernels_f64 = speed.f64;
  }
  return machine;
}

PlanCost priced(const std::string& problem, Index ranks, Decomposition decomposition,
                const MachineFigures& figures) {
  const Machine machine = of_one_engine(figures);
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.decomposition = decomposition;
  request.machine = std::make_shared<const Machine>(machine);
  PriceOptions options;
  options.model = Model::alpha_beta;
  return price(make_plan(request), machine, options);
}

TEST(Price, of_messages_is_alpha_a_message_and_beta_a_byte) {
  // 8 x 8 x 8 on 4 ranks as slabs: each holds 128 elements of 16 bytes and sends 3/4 of them, 1,536
  // bytes, in 3 messages: 3 alpha + 1536 beta = 3 * 2 + 1536 * 0.5 = 774.
  const PlanCost cost = priced("c2c:8x8x8", 4, Decomposition::slab, flat(2., 0.5));
  EXPECT_DOUBLE_EQ(cost.total.latency, 6.);
  EXPECT_DOUBLE_EQ(cost.total.bandwidth, 768.);
  EXPECT_DOUBLE_EQ(cost.total.total(), 774.);
  EXPECT_EQ(cost.total.binds(), "bandwidth");
  EXPECT_EQ(cost.bytes(), 4 * 1536);
  EXPECT_EQ(cost.messages(), 12);
}

TEST(Price, of_pencils_is_two_exchanges_in_rows) {
  // On 4 x 4 ranks each holds 32 elements and twice sends 3/4 of them, 384 bytes, in 3 messages:
  // 2 (3 * 2 + 384 * 0.5) = 396.
  const PlanCost cost = priced("c2c:8x8x8", 16, Decomposition::pencil, flat(2., 0.5));
  EXPECT_DOUBLE_EQ(cost.total.total(), 396.);
}

TEST(Price, of_a_sweep_is_compute_and_memory) {
  // One rank, 4 x 8 in double precision: 32 elements of 16 bytes. Along x (8, contiguous) 3 s an
  // element, along y (4, across memory) 5 s; memory 0.25 s a byte across. In one pass:
  // 32 * (3 + 5) + 512 * 0.25 = 256 + 128 = 384; in two: 0.125 s a byte along lines, so
  // 32 * 3 + 512 * 0.125 = 160 and 32 * 5 + 512 * 0.25 = 288, 448 together.
  MachineFigures machine = flat(1., 1.);
  Speed& speed = machine.speeds.front();
  speed.f64.lines.in_cache = Curve(3.);
  speed.f64.interleaved.in_cache = Curve(5.);
  speed.f64.lines.beyond = Curve(0.125);
  speed.f64.interleaved.beyond = Curve(0.25);
  const PlanCost joined = priced("c2c:4x8", 1, Decomposition::any, machine);
  ASSERT_EQ(joined.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(joined.total.compute, 256.);
  EXPECT_DOUBLE_EQ(joined.total.memory, 128.);
  const auto totals = [&] {
    PlanRequest request;
    request.problem = Problem::parse("c2c:4x8");
    request.machine = std::make_shared<const Machine>(of_one_engine(machine));
    std::vector<double> all;
    for (const NamedPlan& named : compared_plans(request)) all.push_back(named.cost.total.total());
    return all;
  };
  EXPECT_EQ(totals(), (std::vector<double>{384., 448.}));
  // Lines of 4 across memory reach twice as far, those of a plane do not: 160 + 160 + 256 = 576.
  speed.f64.interleaved.reach = Curve({{4., 2.}, {8., 1.}});
  EXPECT_EQ(totals(), (std::vector<double>{384., 576.}));
}

TEST(Price, of_rows_that_do_not_begin_on_cache_lines_is_higher_across_memory) {
  // Rows of 8 are two cache lines: 48 (3 + 5) = 384. Rows of 6 are one and a half: 24 * 3 along
  // them, 24 * 5 * 1.5 across, and memory 384 * 0.25 * 1.5.
  MachineFigures machine = flat(1., 1.);
  FftRates& rates = machine.speeds.front().f64;
  rates.lines.in_cache = Curve(3.);
  rates.interleaved.in_cache = Curve(5.);
  rates.interleaved.beyond = rates.lines.beyond = Curve(0.25);
  rates.ragged = 1.5;
  const PlanCost even = priced("c2c:6x8", 1, Decomposition::any, machine);
  EXPECT_DOUBLE_EQ(even.total.compute, 384.);
  const PlanCost ragged = priced("c2c:4x6", 1, Decomposition::any, machine);
  EXPECT_DOUBLE_EQ(ragged.total.compute, 72. + 180.);
  EXPECT_DOUBLE_EQ(ragged.total.memory, 144.);
}

/// Kernels take half of FFTW's time along lines and twice as long across memory.
MachineFigures of_two_engines() {
  MachineFigures machine = flat(1., 1.);
  Speed& speed = machine.speeds.front();
  speed.f64.lines.in_cache = Curve(3.);
  speed.f64.interleaved.in_cache = Curve(5.);
  speed.kernels_f64 = speed.f64;
  speed.kernels_f64.lines.in_cache = Curve(1.5);
  speed.kernels_f64.interleaved.in_cache = Curve(10.);
  return machine;
}

std::vector<LineEngine> engines_of(const Plan& plan) {
  std::vector<LineEngine> result;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Sweep* const sweep = plan.sweep_at(step);
    if (sweep != nullptr && sweep->kernel != Kernel::none) result.push_back(sweep->engine);
  }
  return result;
}

TEST(Price, chooses_the_engine_of_each_sweep) {
  // z and y on rows of x, in a pass by themselves; y lies across memory.
  constexpr auto fftw = LineEngine::fftw;
  constexpr auto kernels = LineEngine::kernels;
  const auto engines = [](const std::string& problem, const MachineFigures& machine,
                          LineEngine engine) {
    PlanRequest request;
    request.problem = Problem::parse(problem);
    request.machine = std::make_shared<const Machine>(machine);
    request.engine = engine;
    request.tile_bytes = 64;  // no planes
    return engines_of(make_plan(request));
  };
  const MachineFigures machine = of_two_engines();
  EXPECT_EQ(engines("c2c:8x8", machine, LineEngine::any), (std::vector{kernels, fftw}));
  EXPECT_EQ(engines("c2c:8x8", machine, kernels), (std::vector{kernels, kernels}));
  EXPECT_EQ(engines("c2c:8x8", machine, fftw), (std::vector{fftw, fftw}));
  EXPECT_EQ(engines("c2c:8x17", machine, LineEngine::any), (std::vector{fftw, fftw}));  // no kernel
  // FFTW has to gain a tenth.
  MachineFigures alike = machine;
  alike.speeds.front().kernels_f64.interleaved.in_cache = Curve(5.5);
  EXPECT_EQ(engines("c2c:8x8", alike, LineEngine::any), (std::vector{kernels, kernels}));
  alike.speeds.front().kernels_f64.interleaved.in_cache = Curve(5.6);
  EXPECT_EQ(engines("c2c:8x8", alike, LineEngine::any), (std::vector{kernels, fftw}));
}

TEST(Price, leaves_kernels_where_pieces_lie_as_they_take_them) {
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8");
  request.ranks = 2;
  request.chunks = 1;
  request.machine = std::make_shared<const Machine>(of_two_engines());
  const auto kernels = LineEngine::kernels;
  EXPECT_EQ(engines_of(make_plan(request)), (std::vector{kernels, kernels}));
}

TEST(Price, of_two_sweeps_in_one_pass_is_by_one_engine) {
  // 4 x 8 on one rank: FFTW 32 (3 + 5) = 256, kernels 32 (1.5 + 10) = 368.
  PlanRequest request;
  request.problem = Problem::parse("c2c:4x8");
  MachineFigures machine = of_two_engines();
  for (FftRates* const rates : {&machine.speeds.front().f64, &machine.speeds.front().kernels_f64}) {
    rates->lines.beyond = rates->interleaved.beyond = Curve(1.);  // so that one pass is cheaper
  }
  request.machine = std::make_shared<const Machine>(machine);
  const Plan plan = make_plan(request);
  EXPECT_EQ(engines_of(plan), (std::vector{LineEngine::fftw, LineEngine::fftw}));
  EXPECT_DOUBLE_EQ(price(plan, *request.machine).total.compute, 256.);
}

TEST(Price, of_a_sweep_that_overlaps_is_the_longer_part) {
  MachineFigures machine = flat(1., 1.);
  machine.node.overlaps = true;
  machine.speeds.front().f64.lines.in_cache = Curve(3.);  // 6 elements: 18 s
  machine.speeds.front().f64.lines.beyond = Curve(0.5);   // 96 bytes: 48 s
  const PlanCost cost = priced("c2c:6", 1, Decomposition::any, machine);
  EXPECT_DOUBLE_EQ(cost.total.compute, 18.);
  EXPECT_DOUBLE_EQ(cost.total.memory, 48.);
  EXPECT_DOUBLE_EQ(cost.total.hidden, 18.);
  EXPECT_DOUBLE_EQ(cost.total.total(), 48.);
}

TEST(Price, knows_primes_precision_and_reals) {
  MachineFigures machine = flat(1., 1.);
  machine.speeds.front().f64.lines.in_cache = Curve(2.);
  machine.speeds.front().f32.lines.in_cache = Curve(1.);
  machine.speeds.front().f64.primes = Curve({{2., 1.}, {3., 1.5}, {7., 4.}});
  machine.speeds.front().f64.real = Curve(0.75);
  // 8 = 2^3: 8 * 2; 9 = 3^2: 9 * 2 * 1.5; 7: 7 * 2 * 4; f32: 8 * 1. Of log 12 = 2.484907 the two 2s
  // have 1.386294 and 3 has 1.098612: 12 * 2 * (1.386294 + 1.5 * 1.098612) / 2.484907 = 29.30536.
  EXPECT_DOUBLE_EQ(priced("c2c:8", 1, Decomposition::any, machine).total.compute, 16.);
  EXPECT_DOUBLE_EQ(priced("c2c:9", 1, Decomposition::any, machine).total.compute, 27.);
  EXPECT_DOUBLE_EQ(priced("c2c:7", 1, Decomposition::any, machine).total.compute, 56.);
  EXPECT_NEAR(priced("c2c:12", 1, Decomposition::any, machine).total.compute, 29.30536, 1e-5);
  EXPECT_DOUBLE_EQ(priced("c2c:8:f32", 1, Decomposition::any, machine).total.compute, 8.);
  // 8 reals take as much room as their 5 frequencies, 5 complex elements; each is two reals, and a
  // real costs 0.75 of a complex element's time: 5 * 2 * 0.75 * 2 = 15.
  EXPECT_DOUBLE_EQ(priced("r2c:8", 1, Decomposition::any, machine).steps.front().cost.compute, 15.);
}

TEST(Price, says_what_was_asked_for_beyond_the_calibration) {
  MachineFigures machine = flat(1., 1.);
  machine.speeds.front().f64.lines.in_cache = Curve({{2., 1.}, {16., 1.}});
  EXPECT_TRUE(priced("c2c:16", 1, Decomposition::any, machine).beyond.empty());
  const PlanCost beyond = priced("c2c:32", 1, Decomposition::any, machine);
  ASSERT_EQ(beyond.beyond.size(), 1U);
  EXPECT_NE(beyond.beyond.front().find("length of lines 32"), std::string::npos);
}

TEST(Price, of_ranks_that_share_a_node_is_within_it) {
  // 4 ranks, 2 a node: of each rank's 3 messages 1 stays in the node.
  MachineFigures machine = flat(2., 0.5);
  machine.node.ranks = 2;
  machine.in_node.fits = {};
  const PlanCost cost = priced("c2c:8x8x8", 4, Decomposition::slab, machine);
  EXPECT_DOUBLE_EQ(cost.total.latency, 2 * 2.);
  EXPECT_DOUBLE_EQ(cost.total.bandwidth, 2 * 512 * 0.5);
  EXPECT_EQ(cost.steps[1].messages, 12);
  EXPECT_EQ(cost.steps[1].messages_between, 8);
  EXPECT_EQ(cost.steps[1].bytes_between, 4 * 2 * 512);
}

TEST(Price, on_more_ranks_than_cores_is_by_turns) {
  MachineFigures machine = flat(0., 0.);
  machine.node = {2, 8, 0., false};
  machine.speeds.front().f64.lines.in_cache = Curve(1.);
  PlanRequest request;
  request.problem = Problem::parse("c2c:8x8");
  request.ranks = 8;
  request.placement.ranks_per_node = 8;
  request.method = ExchangeMethod::point_to_point;
  request.machine = std::make_shared<const Machine>(of_one_engine(machine));
  const Plan plan = make_plan(request);
  // 8 ranks on 2 cores: a line of 8 elements takes 4 times 8 s.
  EXPECT_DOUBLE_EQ(price(plan, *request.machine).steps.front().cost.compute, 32.);
}

TEST(Price, crosses_from_one_exchange_to_pencils_where_the_closed_form_says) {
  // One exchange among all beats pencils while 16 N / P^2 > alpha B (1 - 2 / sqrt(P)).
  const double alpha = 1e-5;
  const double bandwidth = 1.4e10;
  const MachineFigures machine = flat(alpha, 1. / bandwidth);
  const double elements = 2048. * 2048. * 2048.;
  std::vector<double> ratios;
  const std::vector<Index> counts = {256, 1024, 4096};
  for (const Index ranks : counts) {
    const auto p = static_cast<double>(ranks);
    const double bytes = 16. * elements / p;
    const double root = std::sqrt(p);
    const double pencil = priced("c2c:2048^3", ranks, Decomposition::pencil, machine).total.total();
    // Exactly what the plans move; the closed form leaves the own part out.
    EXPECT_NEAR(pencil, 2 * (alpha * (root - 1) + bytes * (1 - 1 / root) / bandwidth),
                1e-9 * pencil);
    // Beyond 2,048 planes slabs leave ranks idle, so the price of one exchange is spelled out.
    const double one = alpha * (p - 1) + bytes * (1 - 1 / p) / bandwidth;
    if (ranks <= 2048) {
      EXPECT_NEAR(priced("c2c:2048^3", ranks, Decomposition::slab, machine).total.total(), one,
                  1e-9 * one);
    }
    ratios.push_back(std::log(one / pencil));
  }
  EXPECT_LT(ratios.front(), 0.);
  EXPECT_GT(ratios.back(), 0.);
  const double closed = models::crossover_procs({elements, 16., alpha, bandwidth});
  const models::Sides sides = models::crossover_sides({elements, 16., alpha, bandwidth}, closed);
  EXPECT_NEAR(sides.left, sides.right, 1e-6 * sides.left);
  // The closed form crosses at 1,023 ranks; priced plans of 1,024 cost the same but for the part of
  // 1/32 that pencils keep in each exchange.
  EXPECT_NEAR(closed, 1023.3, 0.1);
  EXPECT_NEAR(ratios[1], 0., 2. / 32.);
}

}  // namespace
}  // namespace kallima

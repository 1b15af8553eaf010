// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/line_kernel.hpp"
#include "calibration/local.hpp"
#include "machine/figures.hpp"
#include "machine/rates.hpp"

namespace kallima::calibration {
namespace {

TEST(Fit, averages_by_hand) {
  EXPECT_DOUBLE_EQ(median({}), 0.);
  EXPECT_DOUBLE_EQ(median({3., 1., 2.}), 2.);
  EXPECT_DOUBLE_EQ(median({4., 1., 2., 3.}), 2.5);
  EXPECT_DOUBLE_EQ(least({}), 0.);
  EXPECT_DOUBLE_EQ(least({3., 1., 2.}), 1.);
  EXPECT_DOUBLE_EQ(apart({9., 2., 4., 3.}), 1.);
  EXPECT_DOUBLE_EQ(apart({3., 2.}), 0.5);
  EXPECT_DOUBLE_EQ(apart({}), 0.);
}

TEST(Fit, least_squares_finds_what_rows_were_made_of) {
  // c = 2 a + 3 b.
  const std::vector<Row> rows = {{1., 1., 5.}, {2., 1., 7.}, {1., 4., 14.}};
  const Solution found = least_squares(rows);
  EXPECT_NEAR(found.x, 2., 1e-12);
  EXPECT_NEAR(found.y, 3., 1e-12);
  // c = a - b / 2 would want a negative y: the best without it.
  const Solution clipped = least_squares({{2., 2., 1.}, {4., 2., 3.}});
  EXPECT_GE(clipped.x, 0.);
  EXPECT_GE(clipped.y, 0.);
}

TEST(Fit, rising_pools_what_falls) {
  // 3, 1 pool to 2, 2; then 5, 4, 6: 5, 4 pool to 4.5.
  const std::vector<Curve::Point> found =
      rising({{1., 3.}, {2., 1.}, {3., 5.}, {4., 4.}, {5., 6.}});
  const std::vector<Curve::Point> want = {{1., 2.}, {2., 2.}, {3., 4.5}, {4., 4.5}, {5., 6.}};
  EXPECT_EQ(found, want);
}

/// Exchanges that a LogGP machine would take: L = 10, o = 1, g = 4, G = 0.5.
ExchangeSample exact(Index messages, Index bytes) {
  // (k - 1) max(g, 2 o) + 2 o + L + G (k s - k).
  const auto k = static_cast<double>(messages);
  const auto s = static_cast<double>(bytes);
  return {messages, bytes, (k - 1) * 4 + 2 + 10 + 0.5 * k * (s - 1), false};
}

TEST(Fit, of_a_loggp_machine_gives_back_its_parameters) {
  const MessageTimes times{12., 1., 12. + 16 * 4., 17};
  std::vector<ExchangeSample> samples;
  for (const Index bytes : {1001, 100001}) {
    for (const Index messages : {1, 3}) samples.push_back(exact(messages, bytes));
  }
  const Link link = fit_link(times, samples);
  EXPECT_DOUBLE_EQ(link.overhead, 1.);
  EXPECT_DOUBLE_EQ(link.latency, 10.);
  EXPECT_DOUBLE_EQ(link.gap, 4.);
  EXPECT_NEAR(link.per_byte.at(1001.), 0.5, 1e-3);
  EXPECT_NEAR(link.per_byte.at(100001.), 0.5, 1e-5);
  EXPECT_LT(residual(Model::loggp, link, samples), 2e-3);
  EXPECT_NEAR(link.fits.beta, 0.5, 0.01);
  EXPECT_LT(residual(Model::alpha_beta, link, samples), 0.02);
}

TEST(Fit, transforms_overrule_exchanges_in_a_row) {
  const MessageTimes times{12., 1., 12. + 16 * 4., 17};
  ExchangeSample slower = exact(1, 100001);
  slower.seconds *= 2;
  slower.in_plan = true;
  const Link link = fit_link(times, {exact(1, 1001), exact(1, 100001), slower});
  EXPECT_NEAR(link.per_byte.at(1001.), 0.5, 1e-3);
  EXPECT_NEAR(link.per_byte.at(100001.), 1., 1e-3);
}

TEST(LocalWork, restores_the_speed_that_times_were_made_of) {
  // A machine that takes n ns along lines of n, twice that across memory, 1.5 times as much in the
  // odd part of a length, and 1 ns a byte beyond 1 MiB, 2 ns across memory from lines of 1024 on.
  // Kernels take half of all that, but 0.75 ns a byte. Rows of 65 take 1.1 times as long, with
  // kernels 1.5 times.
  const LocalWork local(Index{1} << 24);
  std::vector<double> seconds;
  for (const Work& work : local.works()) {
    const auto n = static_cast<double>(work.length);
    double each = (work.across ? 2e-9 : 1e-9) * n * (1. + 0.5 * odd_part(work.length));
    if (work.kernel == Kernel::none) each = 0.;
    if (work.kernel == Kernel::real) each *= 0.6;
    if (work.twiddles) each += 7e-9;
    const bool large = work.kernel != Kernel::real && work.bytes() > (1 << 20);
    const double bytes = static_cast<double>(Element{true, work.precision}.bytes());
    const bool kernels = work.engine == LineEngine::kernels;
    if (kernels) each *= 0.5;
    if (large) {
      each += (kernels ? 0.75e-9 : 1e-9) * (work.across && work.length >= 1024 ? 2. : 1.) * bytes;
    }
    if (work.row == 65) each *= kernels ? 1.5 : 1.1;
    seconds.push_back(each * static_cast<double>(work.elements()));
  }
  const Speed speed = local.speed(3, seconds);
  EXPECT_EQ(speed.active, 3);
  EXPECT_NEAR(speed.f64.lines.in_cache.at(64.), 64e-9, 1e-12);
  EXPECT_NEAR(speed.f32.interleaved.in_cache.at(512.), 1024e-9, 1e-12);
  EXPECT_NEAR(speed.f64.primes.at(5.), 1.5, 0.01);
  EXPECT_NEAR(speed.f64.interleaved.reach.at(64.), 1., 1e-9);
  EXPECT_NEAR(speed.f32.interleaved.reach.at(1024.), 2., 1e-9);
  EXPECT_NEAR(speed.f32.lines.reach.at(1024.), 1., 1e-9);
  EXPECT_NEAR(speed.f64.real.at(64.), 0.6, 1e-9);
  EXPECT_NEAR(speed.f64.twiddle, 7e-9, 1e-12);
  EXPECT_NEAR(speed.f64.lines.beyond.at(1 << 24), 1e-9, 1e-12);
  EXPECT_NEAR(speed.copy.at(1 << 24), 1e-9, 1e-12);
  EXPECT_NEAR(speed.kernels_f64.lines.in_cache.at(64.), 32e-9, 1e-12);
  EXPECT_NEAR(speed.kernels_f32.interleaved.in_cache.at(512.), 512e-9, 1e-12);
  EXPECT_NEAR(speed.kernels_f64.primes.at(5.), 1.5, 0.01);
  EXPECT_NEAR(speed.kernels_f64.interleaved.reach.at(1024.), 2., 1e-9);
  EXPECT_NEAR(speed.kernels_f64.real.at(64.), 0.6, 1e-9);
  EXPECT_NEAR(speed.kernels_f64.ragged, 1.5, 1e-9);
  EXPECT_NEAR(speed.f32.ragged, 1.1, 1e-9);
  EXPECT_NEAR(speed.kernels_f64.twiddle, 3.5e-9, 1e-12);
  EXPECT_NEAR(speed.kernels_f64.lines.beyond.at(1 << 24), 0.75e-9, 1e-12);
  EXPECT_LT(local.residual(speed, seconds), 0.01);
}

TEST(LocalWork, is_of_lengths_that_engines_have_and_of_few_where_time_is_short) {
  const auto count = [](const LocalWork& local, LineEngine engine) {
    return std::count_if(local.works().begin(), local.works().end(),
                         [&](const Work& work) { return work.engine == engine; });
  };
  const Index bytes = Index{1} << 27;
  for (const bool few : {false, true}) {
    const LocalWork both(bytes, few);
    EXPECT_EQ(both.engines().size(), 2U);
    for (const Work& work : both.works()) {
      const Index length = work.kernel == Kernel::real ? work.length / 2 : work.length;
      EXPECT_TRUE(work.engine == LineEngine::fftw || has_kernel(length)) << work.length;
    }
    const LocalWork alone(bytes, few, false);
    EXPECT_EQ(count(alone, LineEngine::kernels), 0);
  }
  const LocalWork quick(bytes, true);
  EXPECT_LT(quick.works().size(), LocalWork(bytes).works().size() / 2);
}

}  // namespace
}  // namespace kallima::calibration

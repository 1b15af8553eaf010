// SPDX-License-Identifier: BSD-3-Clause
//
//     mpirun -n 3 tune_test
//
// All ranks run all tests; what they expect is not fatal, so that no rank leaves the others
// waiting.
#include "kallima/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "api/request.hpp"
#include "comm/agreement.hpp"
#include "kallima/error.hpp"

namespace kallima {
namespace {

const comm::Communicator& world() {
  static const auto communicator = comm::Communicator::of(MPI_COMM_WORLD);
  return *communicator;
}

/// What rank 0 plans for.
PlanRequest asked(const Shape& shape, Kind kind, const Options& options) {
  return placed(checked_request(shape, kind, Precision::f64, world().size, options), options,
                world());
}

/// All that a result says but the machine's name.
std::string text_of(const TunedPlan& tuned) {
  std::string text = tuned.wisdom.to_text() + std::to_string(tuned.fastest);
  for (const TriedPlan& tried : tuned.tried) {
    text += tried.plan.to_text() + std::to_string(tried.priced) + std::to_string(tried.measured);
  }
  return text;
}

/// A file name that all ranks know; the file is rank 0's and gone with the test.
class File {
 public:
  explicit File(std::string name) : path_(testing::TempDir() + std::move(name)) { remove(); }
  File(const File&) = delete;
  File(File&&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void remove() const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world().rank == 0) std::remove(path_.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  std::string path_;
};

/// Largest distance from what was there before, after the way there and back.
double distance_there_and_back(const Transform<double>& fft) {
  Array<double> in = fft.make_input();
  Array<double> out = fft.make_output();
  double count = world().rank;
  for (auto [index, value] : in.indexed()) {
    count += 1.0;
    value = {count, -count};
  }
  fft.forward(in, out);
  Array<double> back = fft.make_input();
  fft.backward(out, back);
  double most = 0.0;
  count = world().rank;
  for (auto [index, value] : back.indexed()) {
    count += 1.0;
    most = std::max(most, std::abs(value - std::complex<double>(count, -count)));
  }
  return most;
}

template <class T>
void expect_tuned(Kind kind, const Shape& shape, const Options& options) {
  const TuneOptions how{0.5, 3, 4};
  const TunedPlan tuned = tune<T>(MPI_COMM_WORLD, kind, shape, options, how);
  EXPECT_EQ(text_of(tuned), comm::broadcast(world(), text_of(tuned)));
  ASSERT_FALSE(tuned.tried.empty());  // the same on all ranks
  EXPECT_LE(tuned.tried.size(), 4U);
  EXPECT_EQ(tuned.wisdom.size(), 1U);
  for (const TriedPlan& tried : tuned.tried) {
    EXPECT_GT(tried.measured, 0.0);
    EXPECT_GE(tried.measured, tuned.seconds());
  }
  // Beside the choice and a variant of it in chunks or in one piece.
  for (std::size_t i = 2; i < tuned.tried.size(); ++i) {
    EXPECT_LE(tuned.tried[i].priced, 1.5 * tuned.tried.front().priced);
  }
}

TEST(Tune, gives_the_same_on_all_ranks) {
  expect_tuned<double>(Kind::c2c, {16, 12, 8}, {});
  expect_tuned<float>(Kind::c2c, {64, 64}, {});
  expect_tuned<float>(Kind::r2c, {16, 12, 10}, {});
  Options padded;
  padded.padded = true;
  padded.method = ExchangeMethod::point_to_point;
  expect_tuned<double>(Kind::r2c, {16, 12, 10}, padded);
}

TEST(Tune, what_it_remembers_is_found_for_the_same_transform) {
  const TunedPlan tuned = tune<double>(MPI_COMM_WORLD, Kind::c2c, {16, 12, 8}, {}, {0.2, 1, 2});
  const PlanRequest request = asked({16, 12, 8}, Kind::c2c, {});
  EXPECT_EQ(tuned.wisdom.find(request, *request.machine), tuned.plan());
}

TEST(Tune, a_transform_runs_the_plan_that_wisdom_has_for_it) {
  const File file("tune_test.json");
  const Shape shape = {16, 12, 8};
  Options options;
  const PlanRequest request = asked(shape, Kind::c2c, options);
  const Plan usual = make_plan(request);
  // One that the planner would not take.
  const std::vector<NamedPlan> plans = all_plans(request);
  const auto other = std::find_if(plans.begin(), plans.end(),
                                  [&](const NamedPlan& each) { return each.plan != usual; });
  ASSERT_NE(other, plans.end());
  PlanWisdom wisdom;
  wisdom.add(entry_for(request, *request.machine, other->plan, 1.0, "now"));
  if (world().rank == 0) save_plan_wisdom(file.path(), wisdom);
  MPI_Barrier(MPI_COMM_WORLD);

  options.plan_wisdom = file.path();
  const Transform<double> fft(MPI_COMM_WORLD, shape, options);
  EXPECT_EQ(fft.plan().to_text(), other->plan.to_text());
  EXPECT_LT(distance_there_and_back(fft), 1e-10);
  const Transform<double> longer(MPI_COMM_WORLD, {16, 12, 9}, options);
  EXPECT_LT(distance_there_and_back(longer), 1e-10) << "there is no wisdom for it";
  options.tile_bytes = request.tile_bytes;
  EXPECT_EQ(Transform<double>(MPI_COMM_WORLD, shape, options).plan().to_text(), usual.to_text());
}

TEST(Tune, a_transform_measures_plans_and_remembers_the_fastest) {
  const File file("tune_test_measured.json");
  const Shape shape = {16, 12, 8};
  Options options;
  options.plan_effort = PlanEffort::measure;
  options.planning_seconds = 60.;  // it is through much sooner
  options.plan_wisdom = file.path();
  const Transform<double> first(MPI_COMM_WORLD, shape, options);
  EXPECT_LT(distance_there_and_back(first), 1e-10);
  EXPECT_NE(first.explain().find("timed at planning"), std::string::npos);
  const Transform<double> second(MPI_COMM_WORLD, shape, options);
  EXPECT_EQ(second.plan().to_text(), first.plan().to_text());
  EXPECT_EQ(second.learned(), "");
  const RealTransform<float> real(MPI_COMM_WORLD, shape, options);
  EXPECT_NE(real.learned().find("timed at planning"), std::string::npos);
  EXPECT_EQ(read_plan_wisdom(file.path()).size(), 2U);
  // Given a plan, there is nothing to choose.
  options.plan = std::make_shared<const Plan>(first.plan());
  EXPECT_EQ(Transform<double>(MPI_COMM_WORLD, shape, options).learned(), "");
}

TEST(Tune, within_no_time_the_price_decides) {
  const TunedPlan tuned =
      tune<double>(MPI_COMM_WORLD, Kind::c2c, {64, 64, 64}, {}, {0.2, 3, 4, 1e-9});
  EXPECT_EQ(tuned.fastest, 0U);
  EXPECT_EQ(tuned.tried.front().measured, 0.);
  EXPECT_EQ(tuned.wisdom.size(), 0U);
}

TEST(Tune, measuring_adapts_too) {
  Options options;
  options.plan_effort = PlanEffort::measure;
  options.planning_seconds = 60.;
  options.adaptive = true;
  const Transform<double> fft(MPI_COMM_WORLD, {24, 20, 16}, options);
  for (int run = 0; run < 21; ++run) EXPECT_LT(distance_there_and_back(fft), 1e-10);
  const std::string text = fft.explain();
  EXPECT_NE(text.find("timed at planning"), std::string::npos) << text;
  EXPECT_EQ(text.find("learned in") != std::string::npos, world().size > 1) << text;
}

TEST(Tune, damaged_and_missing_wisdom_is_refused_alike) {
  const File file("tune_test_damaged.json");
  Options options;
  options.plan_wisdom = file.path();
  const auto refusal = [&](auto expected) -> std::string {
    try {
      const Transform<double> fft(MPI_COMM_WORLD, {16, 12, 8}, options);
    } catch (const decltype(expected)& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string missing = refusal(FileError(""));
  EXPECT_NE(missing.find("does not exist"), std::string::npos) << missing;
  EXPECT_NE(missing.find(file.path()), std::string::npos) << missing;
  if (world().rank == 0) std::ofstream(file.path()) << "{\"schema\": ";
  const std::string damaged = refusal(ParseError(""));
  EXPECT_NE(damaged.find("cannot be read"), std::string::npos) << damaged;
  options.tile_bytes = 1 << 16;  // it is not looked at then
  EXPECT_LT(distance_there_and_back(Transform<double>(MPI_COMM_WORLD, {16, 12, 8}, options)),
            1e-10);
}

TEST(Tune, bad_arguments_are_refused_alike) {
  const auto tuned = [](const Options& options, const TuneOptions& how) {
    return tune<double>(MPI_COMM_WORLD, Kind::c2c, {8, 8}, options, how);
  };
  EXPECT_THROW(tuned({}, {-0.1, 1, 1}), InvalidOption);
  EXPECT_THROW(tuned({}, {0.1, 0, 1}), InvalidOption);
  EXPECT_THROW(tuned({}, {0.1, 1, 0}), InvalidOption);
  EXPECT_THROW(tuned({}, {0.1, 1, 1, -1.}), InvalidOption);
  Options tiles;
  tiles.tile_bytes = 1 << 16;
  EXPECT_THROW(tuned(tiles, {}), InvalidOption);
  EXPECT_THROW(tune<double>(MPI_COMM_WORLD, Kind::c2c, {}, {}, {}), InvalidShape);
  EXPECT_THROW(tune<float>(MPI_COMM_WORLD, Kind::walsh, {8, 8}, {}, {}), InvalidOption);
  if (world().size > 1) {
    EXPECT_THROW(tuned({}, {0.1, 1 + world().rank, 1}), MismatchedArguments);
    const File here("tune_test_here.json");
    if (world().rank == 0) save_plan_wisdom(here.path(), {});
    Options elsewhere;
    elsewhere.plan_wisdom = world().rank == 0 ? here.path() : "there";
    EXPECT_THROW(Transform<double>(MPI_COMM_WORLD, {8, 8}, elsewhere), MismatchedArguments);
  }
}

}  // namespace
}  // namespace kallima

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}

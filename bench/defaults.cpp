// SPDX-License-Identifier: BSD-3-Clause
//
// What a user gets who chooses nothing, over the best that could be chosen: one transform as it is
// by default, by PlanEffort::measure and by Options::adaptive, and in all variants of the default
// plan (methods and chunks), in turns in one launch.
//
//     mpirun -n 2 kallima_defaults PROBLEM slab|pencil|any ROUNDS SECONDS
//
// Prints one JSON object. A run takes as long as its slowest rank. Of so many rounds only those are
// run that fit into SECONDS, at least two; variants that take 1.6 times as long as the best are
// left out after the first, and all but the best six where no four rounds fit. Variants come by
// their price; where ten of them take longer than SECONDS, the others are not run. Collective
// throughout; errors abort.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "api/explain.hpp"
#include "api/learning.hpp"
#include "api/request.hpp"
#include "bench/runner.hpp"
#include "calibration/work.hpp"
#include "comm/communicator.hpp"
#include "machine/figures.hpp"
#include "planner/decompositions.hpp"
#include "planner/variants.hpp"

namespace kallima::bench {
namespace {

/// Both ends of a transform: in layouts that codes commonly have, or as the planner likes it.
Options options_for(const std::string& ends, const Problem& problem, Index ranks) {
  Options options;
  if (ends == "any") return options;
  const auto layout = [&](const Shape& shape) {
    if (ends == "slab") return Layout::slab(shape, ranks, 0);
    Shape grid = process_grid(shape, {0, 1}, ranks);
    if (grid[1] == 1) std::swap(grid[0], grid[1]);  // not the slabs again
    return Layout::block(shape, grid);
  };
  options.in = layout(problem.shape);
  options.out = layout(problem.frequency_shape());
  return options;
}

/// A transform that is ready to run, and how long it took.
struct Contender {
  std::string name;
  std::shared_ptr<Planned<double>> transform;
  std::vector<Bound<double>> bound;  // one, once there is memory
  double planning = 0.;
  std::vector<double> took;
  bool variant = false;
};

class Field {
 public:
  Field(const World& world, const Problem& problem) : world_(world), problem_(problem) {}

  void add(const std::string& name, const Options& options, bool variant = false) {
    const MPI_Comm comm = world_.communicator->comm;
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    Contender contender{name, {}, {}, 0., {}, variant};
    if (problem_.real()) {
      contender.transform = std::make_shared<RealTransform<double>>(comm, problem_.shape, options);
    } else {
      contender.transform = std::make_shared<Transform<double>>(comm, problem_.shape, options);
    }
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(&took, &contender.planning, 1, MPI_DOUBLE, MPI_MAX, comm);
    all_.push_back(std::move(contender));
  }

  [[nodiscard]] const Plan& plan(std::size_t i) const { return all_[i].transform->plan(); }
  [[nodiscard]] std::vector<Contender>& all() { return all_; }

  /// All run in the same arrays.
  void bind() {
    Index most = 1;
    for (const Contender& each : all_) {
      for (const State* const end :
           {&each.transform->plan().states().front(), &each.transform->plan().states().back()}) {
        most = std::max(
            most, end->layout.allocated_size(world_.communicator->rank) * end->element.bytes());
      }
    }
    arrays_ = std::make_unique<calibration::Arrays>(most);
    for (Contender& each : all_) {
      const std::vector<State>& states = each.transform->plan().states();
      const auto elements = [&](const State& state) {
        return static_cast<std::size_t>(most / state.element.bytes());
      };
      each.bound.push_back(each.transform->bind_memory(Direction::forward, arrays_->from(),
                                                       elements(states.front()), arrays_->to(),
                                                       elements(states.back())));
    }
  }

  double timed(Contender& contender) {
    class Run final : public Runner {
     public:
      explicit Run(Bound<double>& bound) : bound_(bound) {}
      void run() override { bound_.run(); }

     private:
      Bound<double>& bound_;
    } run(contender.bound.front());
    return bench::timed(world_, run);
  }

 private:
  const World& world_;
  const Problem& problem_;
  std::vector<Contender> all_;
  std::unique_ptr<calibration::Arrays> arrays_;
};

/// All variants of the default plan, whether they are like each other or not.
std::vector<Plan> all_variants(const World& world, const Plan& plan, const Options& options) {
  constexpr std::size_t all = 64;
  std::vector<Plan> plans;
  if (world.speaks()) {
    const PlanRequest request =
        placed(checked_request(plan.problem().shape, plan.problem().kind, Precision::f64,
                               world.communicator->size, options),
               options, *world.communicator);
    plans = variants_of(plan, request, all);
  }
  return of_rank_0(world, plans);
}

/// How many rounds of these fit, at least two.
int rounds_within(double seconds, const std::vector<double>& once, int rounds) {
  constexpr int least = 2;
  const double sum = std::accumulate(once.begin(), once.end(), 0.);
  return std::clamp(static_cast<int>(seconds / sum), least, std::max(least, rounds));
}

/// Warms up, leaves out what is far behind, and tells how many rounds fit.
int warm_up(Field& field, int rounds, double seconds) {
  constexpr double far_behind = 1.6;
  constexpr std::size_t few_variants = 6;
  constexpr std::size_t many_variants = 10;
  constexpr int enough_rounds = 4;
  std::vector<Contender> left;
  std::vector<double> once;
  std::vector<std::pair<double, Contender>> variants;
  double spent = 0.;
  for (Contender& each : field.all()) {
    if (variants.size() >= many_variants && spent > seconds) break;
    const double took = field.timed(each);
    if (each.variant) {
      spent += took;
      variants.emplace_back(took, std::move(each));
    } else {
      once.push_back(took);
      left.push_back(std::move(each));
    }
  }
  std::stable_sort(variants.begin(), variants.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto& [took, variant] = variants[i];
    if (took > far_behind * variants.front().first) break;
    once.push_back(took);
    if (i >= few_variants && rounds_within(seconds, once, rounds) < enough_rounds) break;
    left.push_back(std::move(variant));
  }
  field.all() = std::move(left);
  once.resize(field.all().size());
  return rounds_within(seconds, once, rounds);
}

int run(int argc, char** argv) {
  World world;
  world.communicator = comm::Communicator::of(MPI_COMM_WORLD);
  if (argc != 5) {
    if (world.speaks()) {
      fmt::print(stderr, "kallima_defaults PROBLEM slab|pencil|any ROUNDS SECONDS\n");
    }
    return 2;
  }
  const Problem problem = Problem::parse(argv[1]);
  const Options options = options_for(argv[2], problem, world.communicator->size);
  Field field(world, problem);
  field.add("default", options);
  field.add("default again", options);
  Options measure = options;
  measure.plan_effort = PlanEffort::measure;
  field.add("measure", measure);
  Options adaptive = options;
  adaptive.adaptive = true;
  field.add("adaptive", adaptive);
  for (const Plan& plan : all_variants(world, field.plan(0), options)) {
    Options chosen;
    chosen.plan = std::make_shared<const Plan>(plan);
    field.add(manner_of(plan), chosen, true);
  }
  field.bind();
  for (Index i = 0; i < Learning::most_runs; ++i) field.timed(field.all()[3]);
  const int rounds = warm_up(field, std::stoi(argv[3]), std::stod(argv[4]));
  std::mt19937 shuffler(11);
  std::vector<std::size_t> order(field.all().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), shuffler);
    for (const std::size_t i : order) field.all()[i].took.push_back(field.timed(field.all()[i]));
  }
  Json contenders = Json::array();
  for (const Contender& each : field.all()) {
    contenders.push_back({{"name", each.name},
                          {"manner", manner_of(each.transform->plan())},
                          {"variant", each.variant},
                          {"planning_s", each.planning},
                          {"took_s", each.took},
                          {"learned", each.transform->learned()}});
  }
  const Machine machine = field.all().front().transform->machine();
  say(world, {{"problem", problem.to_text()},
              {"ends", argv[2]},
              {"ranks", world.communicator->size},
              {"nodes", world.communicator->size / world.communicator->ranks_on_node},
              {"assumed", machine->between_nodes.assumed},
              {"contenders", std::move(contenders)}});
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_defaults", kallima::bench::run);
}

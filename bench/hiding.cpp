// SPDX-License-Identifier: BSD-3-Clause
//
// How much of an exchange hides behind computing: one transform in one piece and in 2, 4, ..., 64
// chunks, as the planner takes it, its sweeps alone and its exchanges alone, all in turns in one
// launch.
//
//     mpirun -n 2 kallima_hiding MACHINE.toml ROUNDS PROBLEM...
//
// Prints one JSON object a line. A run takes as long as its slowest rank; figures are medians over
// rounds, whose odd ones choose the best number of chunks and whose even ones time it. Collective
// throughout; errors abort.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "api/driver.hpp"
#include "api/request.hpp"
#include "base/median.hpp"
#include "bench/runner.hpp"
#include "calibration/work.hpp"
#include "comm/agreement.hpp"
#include "kallima/planner.hpp"
#include "planner/pipeline.hpp"
#include "schedule/schedule.hpp"

namespace kallima::bench {
namespace {

using Complex = std::complex<double>;

/// The parts of a plan by themselves, on arrays of their own.
class Parts {
 public:
  Parts(const World& world, const Plan& plan)
      : world_(world),
        engines_({}, host_memory()),
        room_(rooms(plan, world.communicator->rank)),
        workspace_(room_[0]),
        tile_(room_[1]),
        arrays_(room_[2]) {
    const comm::Limits limits;
    const auto channel = std::make_shared<comm::Channel>(world.communicator, limits);
    driver_ = std::make_unique<Driver<double>>(
        exec::Executor<double>(plan, {}, world.communicator->rank, engines_, tile()),
        Carriers{world.communicator, limits, channel, true, nullptr}, areas());
  }

  void sweeps() { driver_->run_sweeps(areas(), 1.); }
  void exchanges() { driver_->run_exchanges(areas()); }

  /// The exchanges by ranks that sleep while they wait, so that the time of cores is that of moving
  /// bytes and not of looking for them.
  void exchanges_asleep() {
    exec::Executor<double>& executor = driver_->executor();
    for (std::size_t stage = 0; stage < executor.stages(); ++stage) {
      if (!executor.is_exchange(stage)) continue;
      requests_.clear();
      const MPI_Comm comm = world_.communicator->comm;
      for (const comm::Message& message : executor.receives(stage, areas())) {
        requests_.push_back(MPI_REQUEST_NULL);
        MPI_Irecv(message.data.data, static_cast<int>(message.data.bytes), MPI_BYTE,
                  static_cast<int>(message.peer), 5, comm, &requests_.back());
      }
      for (const comm::Message& message : executor.sends(stage, areas())) {
        requests_.push_back(MPI_REQUEST_NULL);
        MPI_Isend(message.data.data, static_cast<int>(message.data.bytes), MPI_BYTE,
                  static_cast<int>(message.peer), 5, comm, &requests_.back());
      }
      wait_asleep();
    }
    requests_.assign(1, MPI_REQUEST_NULL);
    MPI_Ibarrier(world_.communicator->comm, requests_.data());
    wait_asleep();
  }

 private:
  static std::array<Index, 3> rooms(const Plan& plan, Index rank) {
    const Workspace need = workspace(plan, schedule(plan, false), rank);
    constexpr auto bytes = static_cast<Index>(sizeof(Complex));
    const Index most =
        std::max({plan.input().allocated_size(rank), plan.output().allocated_size(rank), Index{1}});
    return {std::max<Index>(1, need.main + need.spill) * bytes,
            std::max<Index>(1, need.tile) * bytes, most * bytes};
  }
  Complex* tile() { return reinterpret_cast<Complex*>(tile_.to()); }
  typename Driver<double>::Areas areas() {
    return {reinterpret_cast<const Complex*>(arrays_.from()),
            reinterpret_cast<Complex*>(arrays_.to()),
            reinterpret_cast<Complex*>(workspace_.to()),
            nullptr,
            tile(),
            {}};
  }
  void wait_asleep() {
    int done = 0;
    while (done == 0) {
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  const World& world_;
  exec::EngineSet<double> engines_;
  std::array<Index, 3> room_;
  calibration::Arrays workspace_;
  calibration::Arrays tile_;
  calibration::Arrays arrays_;
  std::unique_ptr<Driver<double>> driver_;
  std::vector<MPI_Request> requests_;
};

/// One of the parts as something to run.
class Part final : public Runner {
 public:
  Part(Parts& parts, void (Parts::*what)()) : parts_(parts), what_(what) {}
  void run() override { (parts_.*what_)(); }

 private:
  Parts& parts_;
  void (Parts::*what_)();
};

/// Seconds that all cores of this machine were at work so far, whatever for.
double cores_at_work() {
  std::ifstream stat("/proc/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream words(line.substr(3));
  double sum = 0.;
  double ticks = 0.;
  for (int i = 0; i < 8 && words >> ticks; ++i) {
    const bool idle = i == 3 || i == 4 || i == 7;  // idle, waiting for disks, stolen by others
    if (!idle) sum += ticks;
  }
  return sum / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// One way to run the transform, and how long that took.
struct Candidate {
  std::string name;
  std::string text;  ///< of the plan
  std::unique_ptr<Runner> runner;
  double priced = 0.;
  std::vector<double> odd;
  std::vector<double> even;

  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> took = odd;
    took.insert(took.end(), even.begin(), even.end());
    return took;
  }
};

/// As rank 0 has it.
Plan agreed(const World& world, const std::function<Plan()>& make) {
  std::string text;
  if (world.speaks()) text = make().to_text();
  return Plan::parse(comm::broadcast(*world.communicator, text));
}

std::vector<Candidate> candidates(const World& world, const PlanRequest& request,
                                  const Plan& bulk) {
  std::vector<Candidate> result;
  const auto add = [&](const std::string& name, const Plan& plan) {
    PriceOptions options;
    options.ranks_per_node = world.communicator->ranks_on_node;
    result.push_back({name,
                      plan.to_text(),
                      runner_of(world, plan),
                      price(plan, *world.machine, options).total.total(),
                      {},
                      {}});
  };
  add("taken", agreed(world, [&] { return make_plan(request); }));
  add("1", bulk);
  for (Index chunks = 2; chunks <= most_chunks; chunks *= 2) {
    const std::optional<Plan> cut = pipelined(bulk, *world.machine, chunks);
    if (cut) add(std::to_string(chunks), *cut);
  }
  return result;
}

void hide(const World& world, int rounds, const Problem& problem) {
  PlanRequest request;
  request.problem = problem;
  request.ranks = world.communicator->size;
  Options options;
  options.machine = world.machine;
  request = placed(request, options, *world.communicator);
  PlanRequest in_one_piece = request;
  in_one_piece.chunks = 1;
  const Plan bulk = agreed(world, [&] { return make_plan(in_one_piece); });
  std::vector<Candidate> all = candidates(world, request, bulk);
  Parts parts(world, bulk);
  all.push_back({"sweeps", "", std::make_unique<Part>(parts, &Parts::sweeps), 0., {}, {}});
  all.push_back({"exchanges", "", std::make_unique<Part>(parts, &Parts::exchanges), 0., {}, {}});

  std::mt19937 shuffler(11);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
  for (int round = -1; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), shuffler);
    for (const std::size_t i : order) {
      const double once = timed(world, *all[i].runner);
      if (round >= 0) (round % 2 == 1 ? all[i].odd : all[i].even).push_back(once);
    }
  }
  parts.exchanges_asleep();
  constexpr int asleep = 3;
  const double at_work = cores_at_work();
  for (int i = 0; i < asleep; ++i) parts.exchanges_asleep();
  // Ranks that outnumber cores share them.
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const double busy =
      (cores_at_work() - at_work) / asleep / std::min(world.communicator->size, cores);

  Json by_name = Json::object();
  for (const Candidate& one : all) {
    std::vector<double> took = one.all();
    std::sort(took.begin(), took.end());
    by_name[one.name] = {{"median_s", median(took)},
                         {"low_s", took[took.size() / 10]},
                         {"high_s", took[took.size() - 1 - took.size() / 10]},
                         {"odd_s", median(one.odd)},
                         {"even_s", median(one.even)},
                         {"priced_s", one.priced}};
  }
  say(world, {{"problem", problem.to_text()},
              {"ranks", world.communicator->size},
              {"ranks_per_node", world.communicator->ranks_on_node},
              {"exchange_cpu_s", busy},
              {"taken", all.front().text},
              {"times", by_name}});
}

int run(int argc, char** argv) {
  World world;
  world.communicator = comm::Communicator::of(MPI_COMM_WORLD);
  if (argc < 4) {
    if (world.speaks()) fmt::print(stderr, "kallima_hiding MACHINE ROUNDS PROBLEM...\n");
    return 2;
  }
  world.machine = std::make_shared<const Machine>(find_machine(argv[1]));
  const int rounds = std::max(2, std::stoi(argv[2]));
  for (int i = 3; i < argc; ++i) hide(world, rounds, Problem::parse(argv[i]));
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_hiding", kallima::bench::run);
}

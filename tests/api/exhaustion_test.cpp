// SPDX-License-Identifier: BSD-3-Clause
//
// Every allocation of one rank fails in turn, while a transform is made, bound, given memory and
// run: all ranks throw the same error, or none does, and the next transform is right.
//
//     KALLIMA_RANKS_PER_NODE=2 mpirun -n 4 exhaustion_test [--most 20]
//
// Planning makes thousands. All of the first `most` fail, and of the later ones the fewer the later
// they are. Not covered: the few before the ranks of a communicator have met for the first time.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "api/replaced_new.hpp"
#include "comm/communicator.hpp"
#include "comm/together.hpp"
#include "kallima/kallima.hpp"
#include "support/methods.hpp"

namespace {

constexpr long never = std::numeric_limits<long>::max();
std::atomic<long> until_failure{never};  // allocations, over all threads

}  // namespace

void* kallima::test::allocate_for_test(std::size_t bytes, std::size_t alignment) noexcept {
  if (until_failure != never && until_failure.fetch_sub(1) == 1) return nullptr;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment;
  return std::aligned_alloc(alignment, rounded * alignment);
}

namespace kallima::test {
namespace {

/// What is done while memory runs out.
enum class Act { plan, bind, make, run };

struct Case {
  ExchangeMethod method = ExchangeMethod::point_to_point;
  Act act = Act::plan;
  int rank = 0;     ///< that runs out of memory
  long number = 1;  ///< of the allocation that fails

  [[nodiscard]] std::string to_text() const {
    static constexpr std::array acts = {"planning", "binding", "making memory", "running"};
    return std::string(acts.at(static_cast<std::size_t>(act))) + ", " +
           std::string(name_of(method)) + ": allocation " + std::to_string(number) +
           " fails on rank " + std::to_string(rank);
  }
};

/// A transform, made or used again.
struct Trial {
  MPI_Comm comm = MPI_COMM_NULL;
  Shape shape = {16, 12, 10};
  Options options;
  std::optional<Transform<double>> fft;
  std::vector<std::complex<double>> in = std::vector<std::complex<double>>(2048, {1.0, 0.0});
  std::vector<std::complex<double>> out = std::vector<std::complex<double>>(2048);

  void act(Act what) {
    if (what == Act::plan) fft.emplace(comm, shape, options);
    if (what == Act::bind) static_cast<void>(fft->bind(Direction::forward, in, out));
    if (what == Act::make) static_cast<void>(fft->make_input());
    if (what == Act::run) fft->forward(in, out);
  }
  /// The sum of all elements is the first of the spectrum.
  [[nodiscard]] bool right() const { return fft->rank() != 0 || std::abs(out[0] - 1920.0) < 1e-9; }
};

struct Outcome {
  bool failed = false;  ///< the allocation was asked for
  bool thrown = false;
};

Outcome run_out(Together& all, const Case& here) {
  Outcome outcome;
  all.run(here.to_text(), [&](Complaints& complaints) {
    const int rank = all.rank();
    Trial trial;
    MPI_Comm_dup(MPI_COMM_WORLD, &trial.comm);
    comm::Communicator::of(trial.comm);  // from here on ranks can tell each other what fails
    trial.options.method = here.method;
    trial.options.deadline = 10.;  // never reached
    if (here.act != Act::plan) trial.act(Act::plan);
    MPI_Barrier(MPI_COMM_WORLD);
    until_failure = rank == here.rank ? here.number : never;
    const std::string thrown = thrown_by([&] { trial.act(here.act); });
    outcome.failed = any_of_us(until_failure <= 0);
    until_failure = never;
    outcome.thrown = !thrown.empty();
    complaints.expect(same_everywhere(thrown), "ranks threw different errors: '" + thrown + "'");
    complaints.expect(outcome.failed || thrown.empty(), "threw '" + thrown + "'");
    complaints.expect(thrown.empty() || begins_with(thrown, "out_of_memory"),
                      "threw '" + thrown + "'");
    trial.act(Act::plan);
    trial.act(Act::run);
    complaints.expect(trial.right(), "the next transform is wrong");
    trial.fft.reset();
    MPI_Comm_free(&trial.comm);
  });
  return outcome;
}

int run(long most) {
  Together all(30.0);
  long failed = 0;
  long thrown = 0;
  for (const ExchangeMethod method : all_methods) {
    for (const Act act : {Act::plan, Act::bind, Act::make, Act::run}) {
      for (int rank = 0; rank < all.ranks(); ++rank) {
        // Planning takes thousands: all of the first and the last, and some in between.
        Outcome outcome{true, false};
        for (long number = 1; outcome.failed; number += 1 + number / most) {
          outcome = run_out(all, {method, act, rank, number});
          failed += outcome.failed ? 1 : 0;
          thrown += outcome.thrown ? 1 : 0;
        }
      }
    }
  }
  return all.finish("cases, " + std::to_string(failed) + " allocations failed, " +
                    std::to_string(thrown) + " errors");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  const int status = kallima::test::run(argc > 2 ? std::stol(argv[2]) : 20);
  MPI_Finalize();
  return status;
}

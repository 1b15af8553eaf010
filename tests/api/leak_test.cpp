// SPDX-License-Identifier: BSD-3-Clause
//
// Thousands of transforms are made, run and destroyed, some with errors, some on communicators that
// come and go, before or after their transforms. After every cycle no MPI handle is alive that was
// not before the first one, but one duplicate of each living user communicator and one key. All the
// while nobody touches MPI_COMM_WORLD, and the user's error handler stays and is never called.
//
//     mpirun -n 2 leak_test [--cycles 5000] [--seed 1]
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/memory.hpp"
#include "comm/mpi_spy.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"
#include "support/configuration.hpp"

namespace kallima::test {
namespace {

int handler_calls = 0;

extern "C" void kallima_test_handler(MPI_Comm*, int*, ...) { ++handler_calls; }

/// What a cycle does with its transform.
enum class Ending { runs, only_made, bad_argument, mismatch, no_memory, bad_buffer };

struct Cycle {
  Configuration configuration;
  Ending ending = Ending::runs;
  int bad_rank = 0;
  bool own_communicator = false;  // made for this cycle
  bool some_ranks = false;        // of all, by MPI_Comm_split, for which MPICH spins
  bool freed_first = false;       // before the transform is destroyed
};

Cycle make_cycle(std::uint64_t seed, std::uint64_t number, int ranks) {
  Random random(seed + 1000003, number);
  Cycle cycle;
  cycle.own_communicator = random.chance(30);
  cycle.freed_first = random.chance(50);
  cycle.some_ranks = cycle.own_communicator && random.chance(7);
  cycle.configuration = make_configuration(seed, number, ranks, !cycle.some_ranks);
  constexpr std::array methods = {ExchangeMethod::any, ExchangeMethod::point_to_point,
                                  ExchangeMethod::alltoallv};
  cycle.configuration.options.method = methods[static_cast<std::size_t>(random.between(0, 2))];
  // A thousandth part of the cycles is enough for a message in parts of one byte.
  if (!random.chance(5)) cycle.configuration.options.message_bytes = 0;
  cycle.bad_rank = static_cast<int>(random.between(0, cycle.configuration.ranks - 1));
  if (random.chance(40)) {
    cycle.ending = random.pick<Ending>({Ending::only_made, Ending::bad_argument, Ending::mismatch,
                                        Ending::no_memory, Ending::bad_buffer});
  }
  return cycle;
}

/// Makes a transform, uses it and returns it; throws where the cycle wants an error.
template <class T>
Transform<T> use(const Cycle& cycle, MPI_Comm comm, int rank,
                 const std::shared_ptr<CountingMemory>& memory) {
  const Configuration& c = cycle.configuration;
  const bool bad = rank == cycle.bad_rank;
  Shape shape = c.shape;
  Options options = c.options;
  options.memory = memory;
  memory->fail_at(cycle.ending == Ending::no_memory && bad ? 1 : 0);
  if (cycle.ending == Ending::bad_argument && bad) options.tile_bytes = -1;
  if (cycle.ending == Ending::mismatch && bad) options.tile_bytes += 1;
  Transform<T> fft(comm, shape, options);
  if (cycle.ending == Ending::only_made) return fft;
  std::vector<std::complex<T>> data(static_cast<std::size_t>(fft.in_place_size()));
  std::vector<std::complex<T>> other(c.in_place ? 0 : data.size());
  std::span<std::complex<T>> out = c.in_place ? data : other;
  if (cycle.ending == Ending::bad_buffer && bad && !data.empty()) out = out.first(0);
  fft.forward(data, out);
  fft.backward(out, data);
  const Array<T> u = fft.make_input();
  return fft;
}

/// One cycle on this rank, which is a member of `comm`.
template <class T>
void run_cycle(const Cycle& cycle, MPI_Comm* comm, int rank,
               const std::shared_ptr<CountingMemory>& memory) {
  std::optional<Transform<T>> fft;
  try {
    fft = use<T>(cycle, *comm, rank, memory);
  } catch (const Error& error) {
    if (cycle.ending == Ending::runs || cycle.ending == Ending::only_made) throw;
  }
  if (cycle.own_communicator && cycle.freed_first) MPI_Comm_free(comm);
  fft.reset();
  if (cycle.own_communicator && !cycle.freed_first) MPI_Comm_free(comm);
}

/// Duplicates of communicators that the user has freed before the transform, which wait for a call
/// that has all their ranks: as many as there are such cycles in a row, about.
constexpr long most_left = 60;

/// Two calls that free what destructors have left: requests on `user`, and duplicates of other
/// communicators.
void settle(MPI_Comm user) {
  Options options;
  options.method = ExchangeMethod::point_to_point;
  const Transform<double> on_user(user, {4}, options);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(user, &own);
  { const Transform<double> on_own(own, {4}, options); }
  MPI_Comm_free(&own);
}

int run(std::uint64_t seed, std::uint64_t cycles) {
  Together all(600.0);
  MPI_Comm user = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &user);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(kallima_test_handler, &handler);
  MPI_Comm_set_errhandler(user, handler);
  const Handles before = handles_alive();
  Handles expected = before;
  ++expected.communicators;  // the duplicate of `user`
  ++expected.keyvals;        // under which it is kept
  const auto memory = std::make_shared<CountingMemory>();
  std::uint64_t done = 0;
  all.run(std::to_string(cycles) + " cycles", [&](Complaints& complaints) {
    for (; done < cycles; ++done) {
      const Cycle cycle = make_cycle(seed, done, all.ranks());
      MPI_Comm comm = user;
      if (cycle.own_communicator && !cycle.some_ranks) MPI_Comm_dup(user, &comm);
      if (cycle.some_ranks) {
        MPI_Comm_split(user, all.rank() < cycle.configuration.ranks ? 0 : MPI_UNDEFINED, all.rank(),
                       &comm);
      }
      forbid(MPI_COMM_WORLD);
      if (comm != MPI_COMM_NULL) {
        cycle.configuration.single ? run_cycle<float>(cycle, &comm, all.rank(), memory)
                                   : run_cycle<double>(cycle, &comm, all.rank(), memory);
      }
      forbid(MPI_COMM_NULL);
      const std::string where =
          " after cycle " + std::to_string(done) + " (" + cycle.configuration.to_text() + ")";
      complaints.equal(memory->alive, Index{0}, "bytes alive" + where);
      complaints.expect(handles_alive().communicators < expected.communicators + most_left,
                        handles_alive().to_text() + " are alive" + where);
      if (done % 100 != 0) continue;
      settle(user);
      const Handles now = handles_alive();
      complaints.expect(now == expected,
                        now.to_text() + " are alive" + where + "; should be " + expected.to_text());
      MPI_Errhandler found = MPI_ERRHANDLER_NULL;
      MPI_Comm_get_errhandler(user, &found);
      complaints.expect(found == handler, "the user's error handler was changed" + where);
      MPI_Errhandler_free(&found);
    }
  });
  for (const bool freed_first : {true, false}) {
    all.run(std::to_string(cycles) + " communicators, freed " + (freed_first ? "before" : "after") +
                " their transforms",
            [&](Complaints& complaints) {
              Options options;
              options.method = ExchangeMethod::point_to_point;
              for (std::uint64_t i = 0; i < cycles; ++i) {
                MPI_Comm own = MPI_COMM_NULL;
                MPI_Comm_dup(user, &own);
                std::optional<Transform<double>> fft(std::in_place, own, Shape{4}, options);
                if (freed_first) MPI_Comm_free(&own);
                fft.reset();
                if (!freed_first) MPI_Comm_free(&own);
                complaints.expect(handles_alive().communicators <= expected.communicators + 1,
                                  handles_alive().to_text() + " are alive");
              }
            });
  }
  all.run("nobody named MPI_COMM_WORLD", [](Complaints& complaints) {
    complaints.expect(forbidden_call().empty(), forbidden_call() + " did");
  });
  all.run("the user's error handler was never called",
          [](Complaints& complaints) { complaints.equal(handler_calls, 0, "number of calls"); });
  all.run("the duplicate goes with the user's communicator", [&](Complaints& complaints) {
    MPI_Comm_free(&user);
    MPI_Errhandler_free(&handler);
    const Handles now = handles_alive();
    complaints.equal(now.communicators, before.communicators - 1, "communicators alive");
    complaints.equal(now.errhandlers, before.errhandlers - 1, "error handlers alive");
  });
  return all.finish("checks over " + std::to_string(done) + " cycles");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::uint64_t seed = 1;
  std::uint64_t cycles = 5000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t value = std::stoull(argv[i + 1]);
    (std::string(argv[i]) == "--seed" ? seed : cycles) = value;
  }
  const int status = kallima::test::run(seed, cycles);
  MPI_Finalize();
  return status;
}

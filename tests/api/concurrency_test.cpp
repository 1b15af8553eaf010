// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of one rank: transforms that run at once, threads that move messages on, traces that both
// write, and what must not be used at once. Nothing here looks at MPI's calls, as kallima_spy does:
// its lock would order the threads, and the thread sanitizer see no race between them.
//
//     mpirun -n 2 concurrency_test
#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/round_trip.hpp"
#include "comm/together.hpp"
#include "exec/threads.hpp"

namespace kallima::test {
namespace {

/// Both run at once, so many times.
void run_at_once(RoundTrip& one, RoundTrip& other, bool binds, Complaints& complaints) {
  constexpr int rounds = 20;
  std::array<double, 2> worst{};
  std::array<std::string, 2> thrown;
  const auto work = [&](std::size_t i, RoundTrip& trip) {
    thrown[i] = thrown_by([&] {
      for (int round = 0; round < rounds; ++round) {
        worst[i] = std::max(worst[i], binds ? trip.bind_and_run() : trip.run());
      }
    });
  };
  std::thread thread([&] { work(1, other); });
  work(0, one);
  thread.join();
  for (std::size_t i = 0; i < 2; ++i) {
    complaints.expect(thrown[i].empty(), "thread threw " + thrown[i]);
    complaints.expect(worst[i] < 1e-12, "wrong by " + std::to_string(worst[i]));
  }
}

void transforms_run_in_several_threads(Together& all) {
  for (const Manner& manner : manners()) {
    for (const bool binds : {false, true}) {
      all.run("two transforms in two threads, " + manner.to_text() + (binds ? ", binding" : ""),
              [&](Complaints& complaints) {
                RoundTrip one(MPI_COMM_WORLD, 16, manner.options());
                RoundTrip other(MPI_COMM_WORLD, 20, manner.options());
                run_at_once(one, other, binds, complaints);
              });
    }
  }
  all.run("a hundred transforms on one communicator", [](Complaints& complaints) {
    std::vector<std::unique_ptr<RoundTrip>> trips;
    for (int i = 0; i < 100; ++i) {
      trips.push_back(std::make_unique<RoundTrip>(MPI_COMM_WORLD, 4 + i % 3, Options{}));
    }
    for (const auto& trip : trips) complaints.expect(trip->run() < 1e-12, "wrong");
  });
}

/// Threads that share sweeps, and the progress_thread, beside the thread that calls; the last two
/// record.
void traces_are_written_by_all_threads(Together& all) {
  for (const Manner& manner : manners()) {
    all.run("two traced transforms with threads of their own, " + manner.to_text(),
            [&](Complaints& complaints) {
              Options options = manner.options();
              options.trace = "-";
              options.threads = exec::has_threads() ? 2 : 1;
              options.tile_bytes = 512;  // many tiles, so that there are some for every thread
              RoundTrip one(MPI_COMM_WORLD, 16, options);
              RoundTrip other(MPI_COMM_WORLD, 20, options);
              run_at_once(one, other, false, complaints);
              for (const RoundTrip* const trip : {&one, &other}) {
                complaints.expect(!trip->fft().trace().empty(), "nothing was recorded");
              }
            });
  }
}

void what_is_shared_is_not_run_at_once(Together& all) {
  for (const bool copies : {true, false}) {
    all.run(copies ? "copies of a transform in two threads" : "transforms that share a duplicate",
            [&](Complaints& complaints) {
              MPI_Comm comm = MPI_COMM_NULL;
              MPI_Comm_dup(MPI_COMM_WORLD, &comm);
              std::vector<std::unique_ptr<RoundTrip>> trips;
              trips.push_back(std::make_unique<RoundTrip>(comm, 12, Options{}));
              // So many that the next one has to share a duplicate with one of them.
              while (!copies && trips.size() < 60) {
                trips.push_back(std::make_unique<RoundTrip>(comm, 12, Options{}));
              }
              RoundTrip other =
                  copies ? RoundTrip(trips.front()->fft()) : RoundTrip(comm, 12, Options{});
              MPI_Barrier(MPI_COMM_WORLD);  // who is still in a call hears of the failure there
              std::array<std::string, 2> thrown;
              std::thread thread([&] {
                thrown[1] = thrown_by([&] {
                  for (int round = 0; round < 4000; ++round) other.run();
                });
              });
              thrown[0] = thrown_by([&] {
                for (std::size_t round = 0; round < 4000; ++round) {
                  trips[round % trips.size()]->run();
                }
              });
              thread.join();
              bool noticed = false;
              for (const std::string& text : thrown) {
                noticed = noticed || begins_with(text, "concurrent_use");
                complaints.expect(text.empty() || begins_with(text, "concurrent_use") ||
                                      begins_with(text, "broken_transform"),
                                  "threw " + text);
              }
              complaints.expect(any_of_us(noticed), "no rank has noticed");
              MPI_Comm_free(&comm);
            });
  }
}

int run() {
  Together all(60.0);
  transforms_run_in_several_threads(all);
  traces_are_written_by_all_threads(all);
  what_is_shared_is_not_run_at_once(all);
  return all.finish("cases of threads");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  const int status = kallima::test::run();
  MPI_Finalize();
  return status;
}

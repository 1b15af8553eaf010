// SPDX-License-Identifier: BSD-3-Clause
//
// What goes wrong while transforms run: messages of the program that are under way, peers that are
// late, calls of MPI that fail on one rank. Results are right, or all ranks throw the same error;
// nobody waits for ever, and nobody who waits keeps a core busy. Threads: concurrency_test.cpp.
//
//     KALLIMA_RANKS_PER_NODE=2 mpirun -n 4 failures_test [--most 2] [--every 3]
//
// --most tries so many calls of each name at most: communicators on which a call has failed are
// never freed, and MPICH has 2,048. --every tries one of so many calls that may fail.
#include <mpi.h>
#include <sys/resource.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/round_trip.hpp"
#include "comm/communicator.hpp"
#include "comm/mpi_faults.hpp"
#include "comm/together.hpp"
#include "kallima/kallima.hpp"

namespace kallima::test {
namespace {

/// A message of the program's that only moves on while its sender calls MPI.
void messages_of_the_program_move_on(Together& all) {
  if (all.ranks() < 2) return;
  for (const Manner& manner : manners()) {
    all.run("a pending message of the program, " + manner.to_text(), [&](Complaints& complaints) {
      RoundTrip trip(MPI_COMM_WORLD, 16, manner.options());
      std::vector<char> data(std::size_t{8} << 20U, static_cast<char>(all.rank() + 1));
      const auto count = static_cast<int>(data.size());
      MPI_Request request = MPI_REQUEST_NULL;
      const int last = all.ranks() - 1;
      if (all.rank() == 0) {
        MPI_Isend(data.data(), count, MPI_BYTE, last, 77, MPI_COMM_WORLD, &request);
      } else if (all.rank() == last) {
        MPI_Recv(data.data(), count, MPI_BYTE, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      complaints.expect(trip.run() < 1e-12, "wrong");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      complaints.expect(data.back() == (all.rank() == last ? 1 : all.rank() + 1), "not received");
    });
  }
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void who_waits_sleeps(Together& all) {
  if (all.ranks() < 2) return;
  constexpr double seconds = 2.0;
  for (const Manner& manner : manners()) {
    if (manner.progress_thread) continue;  // a thread of its own polls all the time
    all.run("a late peer costs little, " + manner.to_text(), [&](Complaints& complaints) {
      RoundTrip trip(MPI_COMM_WORLD, 16, manner.options());
      trip.run();
      MPI_Barrier(MPI_COMM_WORLD);
      const double before = cpu_seconds();
      if (all.rank() == 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      complaints.expect(trip.run() < 1e-12, "wrong");
      const double used = cpu_seconds() - before;
      complaints.expect(used < 0.1 * seconds, "took " + std::to_string(used) + " s of CPU");
    });
  }
}

void mismatched_calls_are_found(Together& all) {
  if (all.ranks() < 2) return;
  const auto expect_mismatch = [&](const std::string& name, auto call) {
    all.run(name, [&](Complaints& complaints) {
      RoundTrip trip(MPI_COMM_WORLD, 8, Options{});
      const std::string thrown = thrown_by([&] { call(trip); });
      complaints.expect(begins_with(thrown, "mismatched_arguments"), "threw '" + thrown + "'");
      complaints.expect(same_everywhere(thrown), "ranks threw different errors");
      complaints.expect(trip.bind_and_run() < 1e-12, "wrong afterwards");
    });
  };
  const bool odd = all.rank() % 2 != 0;
  expect_mismatch("some ranks call forward, others backward", [&](RoundTrip& trip) {
    Elements in(512);
    Elements out(512);
    odd ? trip.fft().backward(in, out) : trip.fft().forward(in, out);
  });
  expect_mismatch("some ranks bind, others make memory", [&](RoundTrip& trip) {
    Elements in(512);
    Elements out(512);
    if (odd) {
      static_cast<void>(trip.fft().make_input());
    } else {
      static_cast<void>(trip.fft().bind(Direction::forward, in, out));
    }
  });
}

/// Arrays know their layouts, so a transform between the wrong ones is found.
void arrays_in_other_layouts_are_found(Together& all) {
  if (all.ranks() < 2) return;
  const auto expect_refused = [&](const std::string& name, auto call) {
    all.run(name, [&](Complaints& complaints) {
      const std::string thrown = thrown_by(call);
      complaints.expect(begins_with(thrown, "invalid_buffer"), "threw '" + thrown + "'");
      complaints.expect(same_everywhere(thrown), "ranks threw different errors");
    });
  };
  Options options;
  options.in = "z:block/2 y:all x:all";
  options.out = "z:all y:block/2 x:all";
  const Transform<double> fft(MPI_COMM_WORLD, {8, 8, 8}, options);
  auto u = fft.make_input();
  auto u_k = fft.make_output();
  expect_refused("forward with arrays exchanged", [&] { fft.forward(u_k, u); });
  expect_refused("backward with arrays exchanged", [&] { fft.backward(u, u_k); });
  expect_refused("bind with arrays exchanged",
                 [&] { static_cast<void>(fft.bind(Direction::forward, u_k, u)); });
  const RealTransform<double> real(MPI_COMM_WORLD, {8, 8, 8}, options);
  auto r = real.make_input();
  auto r_k = real.make_output();
  expect_refused("a real transform with the spectrum of a complex one",
                 [&] { real.forward(r, u_k); });
  expect_refused("and back", [&] { real.backward(u_k, r); });
  all.run("the right ones are taken", [&](Complaints& complaints) {
    for (auto [index, value] : u.indexed()) value = static_cast<double>(index[0] + index[2]);
    fft.forward(u, u_k);
    fft.backward(u_k, u);
    for (auto [index, value] : u.indexed()) {
      complaints.expect(std::abs(value - static_cast<double>(index[0] + index[2])) < 1e-12,
                        "wrong");
    }
    real.forward(r, r_k);
    real.backward(r_k, r);
  });
}

/// The text of a layout that one rank alone cannot read.
void layouts_are_read_by_all(Together& all) {
  for (int bad = 0; bad < all.ranks(); ++bad) {
    all.run("rank " + std::to_string(bad) + " cannot read its layout", [&](Complaints& complaints) {
      Options options;
      options.in = all.rank() == bad ? "z:block/2 y:brick" : "z:block/2 y:all";
      const std::string thrown = thrown_by([&] {
        const Transform<double> fft(MPI_COMM_WORLD, {8, 8}, options);
      });
      complaints.expect(begins_with(thrown, "parse_error") || begins_with(thrown, "invalid_layout"),
                        "threw '" + thrown + "'");
      complaints.expect(same_everywhere(thrown), "ranks threw different errors");
    });
  }
}

/// Calls of the library that can fail while a transform runs. Those that poll are made so often
/// that only the first few are tried.
struct Failing {
  const char* name;
  long most;
};
const std::vector<Failing>& failing_calls() {
  static const std::vector<Failing> all = {
      {"MPI_Isend", 100},   {"MPI_Isend_c", 100},    {"MPI_Irecv", 100},     {"MPI_Irecv_c", 100},
      {"MPI_Start", 100},   {"MPI_Ialltoallv", 100}, {"MPI_Test", 4},        {"MPI_Testsome", 4},
      {"MPI_Iprobe", 2},    {"MPI_Iallreduce", 9},   {"MPI_Ibcast", 9},      {"MPI_Iallgather", 9},
      {"MPI_Send_init", 9}, {"MPI_Recv_init", 100},  {"MPI_Request_free", 9}};
  return all;
}

/// One rank's call fails: all ranks throw that, and go on with a new transform. Returns false where
/// there is no such call any more.
bool one_call_fails(Together& all, const Manner& manner, const Failing& failing, long number,
                    int bad_rank, bool planning) {
  bool made = false;
  const std::string name = std::string(planning ? "planning" : "a run") + ", " + manner.to_text() +
                           ": " + failing.name + " " + std::to_string(number) + " fails on rank " +
                           std::to_string(bad_rank);
  all.run(name, [&](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    comm::Communicator::of(comm);  // from here on ranks can tell each other what fails
    Options options = manner.options();
    options.deadline = 20.;  // never reached
    std::optional<RoundTrip> trip;
    if (!planning) trip.emplace(comm, 16, options);
    MPI_Barrier(MPI_COMM_WORLD);  // who is still in a call hears of the failure there
    Faults faults;
    faults.failing_call = failing.name;
    faults.failing_number = all.rank() == bad_rank ? number : 0;
    set_faults(faults);
    std::string thrown = thrown_by([&] {
      if (planning) trip.emplace(comm, 16, options);
      trip->run();
    });
    made = any_of_us(has_failed());
    set_faults({});
    // A rank that was through already hears of it in its next call.
    if (made && thrown.empty() && trip) thrown = thrown_by([&] { trip->run(); });
    if (made) {
      complaints.expect(begins_with(thrown, "mpi_failure"), "threw '" + thrown + "'");
      complaints.expect(same_everywhere(thrown), "ranks threw different errors: " + thrown);
    } else {
      complaints.expect(thrown.empty(), "threw " + thrown);
    }
    if (made && trip) {
      const std::string again = thrown_by([&] { trip->run(); });
      complaints.expect(begins_with(again, "broken_transform"), "ran again: '" + again + "'");
      trip.reset();
    }
    const std::string next = thrown_by([&] {
      RoundTrip again(comm, 16, options);
      complaints.expect(again.run() < 1e-12, "the next transform is wrong");
    });
    complaints.expect(next.empty(), "the next transform threw " + next + "; first " + thrown);
    MPI_Comm_free(&comm);
  });
  return made;
}

/// What is tried of the calls that may fail.
struct Tried {
  long most = std::numeric_limits<long>::max();
  long every = 1;
};

void failing_calls_end_everywhere(Together& all, const Tried& tried, long& failed) {
  long call = 0;
  for (const Manner& manner : manners()) {
    for (const Failing& failing : failing_calls()) {
      for (const bool planning : {false, true}) {
        for (int rank = 0; rank < all.ranks(); ++rank) {
          if (call++ % tried.every != 0) continue;
          for (long number = 1; number <= std::min(tried.most, failing.most); ++number) {
            if (!one_call_fails(all, manner, failing, number, rank, planning)) break;
            ++failed;
          }
        }
      }
    }
  }
}

int run(const Tried& tried) {
  Together all(60.0);
  long failed = 0;
  messages_of_the_program_move_on(all);
  who_waits_sleeps(all);
  mismatched_calls_are_found(all);
  arrays_in_other_layouts_are_found(all);
  layouts_are_read_by_all(all);
  failing_calls_end_everywhere(all, tried, failed);
  return all.finish("cases of failures, " + std::to_string(failed) + " failing calls of MPI");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kallima::test::Tried tried;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--most") tried.most = std::stol(argv[i + 1]);
    if (std::string(argv[i]) == "--every") tried.every = std::stol(argv[i + 1]);
  }
  const int status = kallima::test::run(tried);
  MPI_Finalize();
  return status;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// One rank is killed or stopped at a chosen place, and the others have to notice: every rank makes
// a transform, memory and bindings, and runs, until a call throws. victims.py starts this program,
// chooses the place and judges what the ranks write into files.
//
//     mpirun -n 4 victims_test FOLDER RANK kill|stop|none PHASE EVENT METHOD CHUNKS DEADLINE [LATE]
//
// PHASE is planning, memory, bind or run, and EVENT counts what the rank does there: it enters the
// phase (0), calls MPI, or begins a sweep. So steps that need no MPI are hit as well. Polls are
// counted once for what they wait for: how often a rank polls is chance. With `none` nobody is hit,
// and the events are written; the phase "any" is left to somebody else, who sends the signal. LATE
// is how many seconds later than the others the victim begins to plan.
//
// A rank that has thrown destroys all but its arrays, as users are told to, and goes on to let MPI
// make progress: a rank that is continued may still send to it. It ends, without MPI_Finalize, when
// the folder has a file "end".
#include <dlfcn.h>
#include <fcntl.h>
#include <fftw3.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi_faults.hpp"
#include "exchange/method.hpp"
#include "kallima/kallima.hpp"

namespace kallima::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What victims.py asks for.
struct Request {
  std::string folder;
  int victim = 0;
  std::string signal;
  std::string phase;
  long event = 0;
  ExchangeMethod method = ExchangeMethod::point_to_point;
  Index chunks = 1;
  bool progress_thread = false;
  double deadline = 0.;
  double late = 0.;
};

/// This rank's file: a line is there as soon as it is written, whatever happens to the rank next.
class Diary {
 public:
  Diary(const std::string& folder, int rank)
      : file_(open((folder + "/rank" + std::to_string(rank)).c_str(),
                   O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644)) {}
  void write(const std::string& line) const {
    std::string text = line;
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += '\n';
    if (::write(file_, text.data(), text.size()) < 0) std::perror("victims_test");
  }

 private:
  int file_;
};

/// Counts events of the phase, and raises the signal at the one that was chosen.
class Events {
 public:
  void follow(const Request& request, const Diary& diary, bool victim) {
    request_ = &request;
    diary_ = &diary;
    victim_ = victim;
  }
  void enter(const std::string& phase) {
    {
      const std::lock_guard lock(mutex_);
      phase_ = phase;
      count_ = 0;
      sweeps_.clear();
      begun_ = false;
    }
    add("enter");
  }
  void call(const std::string& name) {
    if (name == "MPI_Iprobe") return;
    if (name.compare(0, 9, "MPI_Comm_") == 0 && name != "MPI_Comm_idup") return;  // local ones
    {
      const std::lock_guard lock(mutex_);
      const bool polls = name == "MPI_Test" || name == "MPI_Testsome";
      if (polls && !begun_) return;
      begun_ = !polls;
    }
    add(name);
  }
  void sweep(const void* plan) {
    {
      const std::lock_guard lock(mutex_);
      if (!sweeps_.insert(plan).second) return;
    }
    add("sweep");
  }

 private:
  void add(const std::string& name) {
    long number = 0;
    {
      const std::lock_guard lock(mutex_);
      if (phase_.empty()) return;
      number = count_++;
    }
    if (request_->signal == "none") {
      diary_->write("event " + phase_ + " " + std::to_string(number) + " " + name);
    } else if (victim_ && phase_ == request_->phase && number == request_->event) {
      diary_->write("hit " + phase_ + " " + std::to_string(number) + " " + name);
      kill(getpid(), request_->signal == "kill" ? SIGKILL : SIGSTOP);
    }
  }

  const Request* request_ = nullptr;
  const Diary* diary_ = nullptr;
  bool victim_ = false;
  std::mutex mutex_;  // over what follows
  std::string phase_;
  long count_ = 0;
  std::set<const void*> sweeps_;  // by what they run
  bool begun_ = false;            // something that may be polled for
};

Events& events() {
  static Events all;
  return all;
}

/// Runs calls of the user's, and says which of them threw, what, and when.
class Calls {
 public:
  explicit Calls(const Diary& diary) : diary_(diary) {}

  template <class Body>
  auto run(const char* name, Body body) {
    name_ = name;
    begin_ = Clock::now();
    return body();
  }
  void tell_thrown(const Error& error) const {
    std::array<char, 64> took{};
    std::snprintf(took.data(), took.size(), "%.3f", seconds_since(begin_));
    diary_.write(std::string("threw ") + took.data() + " " + name_ + " " +
                 std::string(name_of(error.code())) + " " + error.what());
  }

 private:
  const Diary& diary_;
  const char* name_ = "";
  Clock::time_point begin_;
};

void transform(const Request& request, bool victim, const Diary& diary, Calls& calls) {
  Options options;
  options.method = request.method;
  options.chunks = request.chunks;
  options.progress_thread = request.progress_thread;
  options.deadline = request.deadline;
  // Two exchanges.
  options.in = "z:block/2 y:block/2 x:all";
  options.out = "z:all y:block/2 x:block/2";
  const auto begins = [&](const char* phase) {
    if (request.phase != "any") events().enter(phase);
  };
  // Extents differ, so that sweeps do.
  const Shape shape = {40, 48, 64};
  if (victim) std::this_thread::sleep_for(std::chrono::duration<double>(request.late));
  begins("planning");
  const auto fft =
      calls.run("planning", [&] { return Transform<double>(MPI_COMM_WORLD, shape, options); });
  using Elements = Array<double>;
  // They stay, whatever is thrown: MPI may still read and write them.
  begins("memory");
  auto& in = *new Elements(calls.run("make memory", [&] { return fft.make_input(); }));
  auto& out = *new Elements(calls.run("make memory", [&] { return fft.make_output(); }));
  begins("bind");
  auto forward = calls.run("bind", [&] { return fft.bind(Direction::forward, in, out); });
  auto backward = calls.run("bind", [&] { return fft.bind(Direction::backward, out, in); });
  begins("run");
  calls.run("run", [&] { forward.run(); });
  if (request.phase == "any") diary.write("ready");
  // Who is ahead of the victim notices in a later call.
  const int rounds = request.phase == "any" ? 1000000 : request.signal == "none" ? 0 : 10;
  for (int round = 0; round < rounds; ++round) {
    calls.run("run", [&] { backward.run(); });
    calls.run("run", [&] { forward.run(); });
  }
}

void wait_for_end(const std::string& folder) {
  const std::string name = folder + "/end";
  while (access(name.c_str(), F_OK) != 0) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

[[noreturn]] void run(const Request& request) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Diary diary(request.folder, rank);
  diary.write("pid " + std::to_string(getpid()));
  events().follow(request, diary, rank == request.victim);
  Faults faults;
  faults.at_call = [](const char* name) { events().call(name); };
  set_faults(faults);
  MPI_Barrier(MPI_COMM_WORLD);  // deadlines do not count what MPI_Init takes
  Calls calls(diary);
  try {
    transform(request, rank == request.victim, diary, calls);
    diary.write("done");
  } catch (const Error& error) {
    events().enter({});
    calls.tell_thrown(error);
  } catch (const std::exception& error) {
    diary.write(std::string("failed: ") + error.what());
  }
  wait_for_end(request.folder);
  diary.write("over");
  _exit(0);
}

}  // namespace
}  // namespace kallima::test

/// Stands before FFTW's own, which it calls: where a sweep begins.
extern "C" void fftw_execute_dft(const fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  using Execute = void (*)(fftw_plan, fftw_complex*, fftw_complex*);
  static const auto next = reinterpret_cast<Execute>(dlsym(RTLD_NEXT, "fftw_execute_dft"));
  kallima::test::events().sweep(plan);
  next(plan, in, out);
}

int main(int argc, char** argv) {
  // Nothing of a case outlives it: neither mpiexec nor, where somebody kills that, its ranks.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(120);
  if (argc < 9) {
    std::fprintf(stderr, "victims_test: started by victims.py\n");
    return 2;
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  // It is asked what to do where a call that names no communicator finds a dead peer.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::string chunks = argv[7];
  kallima::test::Request request;
  request.folder = argv[1];
  request.victim = std::atoi(argv[2]);
  request.signal = argv[3];
  request.phase = argv[4];
  request.event = std::atol(argv[5]);
  request.method = kallima::find_method(argv[6]).value();
  request.progress_thread = chunks.back() == 'm';
  request.chunks = std::atol(chunks.c_str());
  request.deadline = std::atof(argv[8]);
  if (argc > 9) request.late = std::atof(argv[9]);
  kallima::test::run(request);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// FFTW in one process, with as many threads as there are ranks on its node: what a shared memory
// offers without MPI. Rank 0 works, the others sleep.
#include <fftw3.h>
#include <sched.h>

#include <ctime>

#include "bench/array_contender.hpp"
#include "comm/owned_comm.hpp"
#include "comm/requests.hpp"
#include "fftw_plan.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

template <class T>
struct FftwThreads;

template <>
struct FftwThreads<double> {
  static constexpr auto init = fftw_init_threads;
  static constexpr auto plan_with = fftw_plan_with_nthreads;
};

template <>
struct FftwThreads<float> {
  static constexpr auto init = fftwf_init_threads;
  static constexpr auto plan_with = fftwf_plan_with_nthreads;
};

/// Ranks on rank 0's node, and the cores they may use together.
struct Node {
  int ranks = 1;
  cpu_set_t cores{};
};

Node node_of(MPI_Comm comm) {
  auto shared = comm::OwnedComm::of_node(comm);
  Node node;
  MPI_Comm_size(shared.get(), &node.ranks);
  cpu_set_t mine{};
  sched_getaffinity(0, sizeof mine, &mine);
  MPI_Allreduce(&mine, &node.cores, sizeof mine, MPI_BYTE, MPI_BOR, shared.get());
  shared.free();
  return node;
}

/// Waits for all ranks without keeping a core busy: the others need it.
void barrier_asleep(MPI_Comm comm) {
  comm::Requests barrier(comm::Keeper::of_process(), 1);
  barrier.mark_started();
  MPI_Ibarrier(comm, &barrier[0]);
  for (int done = 0; done == 0;) {
    MPI_Test(&barrier[0], &done, MPI_STATUS_IGNORE);
    const timespec moment{0, 200000};
    if (done == 0) nanosleep(&moment, nullptr);
  }
  barrier.mark_through();
}

template <class T>
class FftwThreadsContender final : public ArrayContender<T> {
 public:
  FftwThreadsContender(const Session& session, const Task& task)
      : ArrayContender<T>(session, task) {
    FftwThreads<T>::init();
    Facts& facts = this->facts();
    facts.name = facts.group = "fftw-threads";
    facts.bytes_sent = 0;
    const Shape& shape = task.request.problem.shape;
    const Layout whole = Layout::block(shape, std::vector<Index>(shape.size(), 1));
    this->set_unscaled_ends(whole, whole);
  }

  double run() override {
    double seconds = 0.0;
    if (works()) {
      const double start = MPI_Wtime();
      go_alone(run_, this->source(), this->target());
      seconds = MPI_Wtime() - start;
    }
    barrier_asleep(this->session().comm);
    return seconds;
  }

 private:
  [[nodiscard]] bool works() const { return this->session().rank == 0; }

  void make_plans() override {
    const Node node = node_of(this->session().comm);
    if (works()) {
      // Threads inherit the cores of the one that makes them; a launcher may have bound this one
      // to a single core.
      cpu_set_t mine{};
      sched_getaffinity(0, sizeof mine, &mine);
      sched_setaffinity(0, sizeof node.cores, &node.cores);
      FftwThreads<T>::plan_with(node.ranks);
      const Shape& shape = this->task().request.problem.shape;
      run_ = whole_plan(shape, this->source(), this->target(), this->sign(),
                        fft::flags_of(this->task().effort));
      return_ = whole_plan(shape, this->target(), this->source(), -this->sign(), FFTW_ESTIMATE);
      FftwThreads<T>::plan_with(1);
      go_alone(run_, this->source(), this->target());
      sched_setaffinity(0, sizeof mine, &mine);
    }
    barrier_asleep(this->session().comm);
  }

  void go() override {
    if (works()) go_alone(run_, this->source(), this->target());
    barrier_asleep(this->session().comm);
  }
  void go_back() override {
    if (works()) go_alone(return_, this->target(), this->source());
    barrier_asleep(this->session().comm);
  }

  static void go_alone(const FftwPlan<T>& plan, std::complex<T>* from, std::complex<T>* to) {
    fft::Fftw<T>::execute(plan.get(), fftw_array(from), fftw_array(to));
  }

  FftwPlan<T> run_;
  FftwPlan<T> return_;
};

}  // namespace

Contenders make_fftw_threads(const Session& session, const Task& task) {
  Contenders result;
  result.push_back(in_precision<FftwThreadsContender>(session, task));
  return result;
}

}  // namespace kallima::cli

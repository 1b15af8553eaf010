// SPDX-License-Identifier: BSD-3-Clause
//
// The engine with no library around it: what the arithmetic costs where every line is contiguous,
// and what moving each element once costs. Nobody's transform is made of these parts alone; they
// are the ruler.
#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "bench/array_contender.hpp"
#include "fftw_plan.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

/// Complex elements of a rank's share, the same on all ranks: of reals, what their frequencies are.
Index share_of(const Session& session, const Task& task) {
  return volume(task.request.problem.frequency_shape()) / session.size;
}

/// What both have: arrays without a meaning.
template <class T>
class Bare : public Contender {
 public:
  Bare(const Session& session, const Task& task, const char* name)
      : session_(session), task_(task) {
    facts_.name = name;
    facts_.group = "bare";
    facts_.layout_in = facts_.layout_out = "any elements";
    facts_.bytes_sent = 0;
  }

  [[nodiscard]] const Facts& facts() const override { return facts_; }
  [[nodiscard]] Needs needs() const override {
    const auto size = static_cast<Index>(sizeof(std::complex<T>));
    return {share_of(session_, task_) * size, share_of(session_, task_) * size};
  }
  void prepare() override {
    for (Index i = 0; i < share_of(session_, task_); ++i) {
      source_[i] = element_at<std::complex<T>>(i);
    }
  }
  std::optional<Errors> verify(Progress& /*progress*/) override { return std::nullopt; }

 protected:
  void use(const Memory& memory) {
    source_ = reinterpret_cast<std::complex<T>*>(memory.source);
    target_ = reinterpret_cast<std::complex<T>*>(memory.target);
  }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] Facts& facts() { return facts_; }
  [[nodiscard]] std::complex<T>* source() const { return source_; }
  [[nodiscard]] std::complex<T>* target() const { return target_; }

 private:
  Session session_;
  Task task_;
  Facts facts_;
  std::complex<T>* source_ = nullptr;
  std::complex<T>* target_ = nullptr;
};

/// Lengths of the complex sweeps: the axes, but the r2c axis; one axis is taken apart
/// near its root.
std::vector<Index> sweep_lengths(const Problem& problem) {
  Shape shape = problem.shape;
  if (problem.real()) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(problem.r2c_axis_index()));
  }
  if (problem.shape.size() > 1) return shape;
  const Index n =
      problem.real() ? std::max<Index>(1, problem.shape.front() / 2) : problem.shape.front();
  auto root = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (root > 1 && n % root != 0) --root;
  return {root, n / root};
}

template <class T>
class BareSweeps final : public Bare<T> {
 public:
  BareSweeps(const Session& session, const Task& task) : Bare<T>(session, task, "bare/sweeps") {
    const Problem& problem = task.request.problem;
    const bool real = problem.real() && problem.shape.size() > 1;
    this->facts().passes = static_cast<Index>(sweep_lengths(problem).size()) + (real ? 1 : 0);
  }

  void plan(const Memory& memory) override {
    this->use(memory);
    const Task& task = this->task();
    const int sign = task.direction == Direction::forward ? -1 : 1;
    const Problem& problem = task.request.problem;
    if (problem.real() && problem.shape.size() > 1)
      plan_reals(problem.shape[problem.r2c_axis_index()]);
    for (const Index length : sweep_lengths(problem)) {
      const Index lines = share_of(this->session(), task) / length;
      const fftw_iodim64 line{length, 1, 1};
      const fftw_iodim64 batch{lines, length, length};
      plans_.emplace_back(
          fft::Fftw<T>::guru(1, &line, 1, &batch, fftw_array(this->source()),
                             fftw_array(this->source()), sign, fft::flags_of(task.effort)),
          "contiguous lines");
    }
  }

  double run() override {
    const double start = MPI_Wtime();
    auto* const data = fftw_array(this->source());
    if (reals_.get() != nullptr) {
      if (this->task().direction == Direction::forward) {
        fft::Fftw<T>::execute_r2c(reals_.get(), this->reals(), data);
      } else {
        fft::Fftw<T>::execute_c2r(reals_.get(), data, this->reals());
      }
    }
    for (const FftwPlan<T>& plan : plans_) fft::Fftw<T>::execute(plan.get(), data, data);
    return MPI_Wtime() - start;
  }

 private:
  [[nodiscard]] T* reals() const { return reinterpret_cast<T*>(this->source()); }

  /// The lines of reals, each padded to the length of its frequencies.
  void plan_reals(Index length) {
    const Index row = half_extent(length);
    const Index lines = share_of(this->session(), this->task()) / row;
    const fftw_iodim64 line{length, 1, 1};
    const unsigned flags = fft::flags_of(this->task().effort);
    if (this->task().direction == Direction::forward) {
      const fftw_iodim64 batch{lines, 2 * row, row};
      reals_ = {
          fft::Fftw<T>::guru_r2c(1, &line, 1, &batch, reals(), fftw_array(this->source()), flags),
          "contiguous lines of reals"};
    } else {
      const fftw_iodim64 batch{lines, row, 2 * row};
      reals_ = {
          fft::Fftw<T>::guru_c2r(1, &line, 1, &batch, fftw_array(this->source()), reals(), flags),
          "contiguous lines of reals"};
    }
  }

  FftwPlan<T> reals_;
  std::vector<FftwPlan<T>> plans_;
};

template <class T>
class BareExchange final : public Bare<T> {
 public:
  BareExchange(const Session& session, const Task& task)
      : Bare<T>(session, task, "bare/all-to-all"),
        piece_(share_of(session, task) / session.size),
        // In elements of 16 or 8 bytes it fits an int for any share below 32 GiB a rank; beyond,
        // there is no single MPI_Alltoall.
        count_(narrow<int>(piece_, "elements for each rank in one MPI_Alltoall")) {
    Facts& facts = this->facts();
    facts.exchanges = 1;
    const Index ranks = session.size;
    facts.bytes_sent = ranks * (ranks - 1) * piece_ * static_cast<Index>(sizeof(std::complex<T>));
    facts.passes = 1;
  }

  void plan(const Memory& memory) override { this->use(memory); }

  double run() override {
    const double start = MPI_Wtime();
    const MPI_Datatype type =
        sizeof(T) == sizeof(double) ? MPI_C_DOUBLE_COMPLEX : MPI_C_FLOAT_COMPLEX;
    MPI_Alltoall(this->source(), count_, type, this->target(), count_, type, this->session().comm);
    return MPI_Wtime() - start;
  }

 private:
  Index piece_;
  int count_;
};

}  // namespace

Contenders make_bare(const Session& session, const Task& task) {
  Contenders result;
  result.push_back(in_precision<BareSweeps>(session, task));
  result.push_back(in_precision<BareExchange>(session, task));
  return result;
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// The engine with no library around it: what the arithmetic costs where every line is contiguous,
// and what moving each element once costs. Nobody's transform is made of these parts alone; they
// are the ruler.
#include <algorithm>
#include <cmath>

#include "bench/array_contender.hpp"
#include "fftw_plan.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

/// Elements of a rank's share, the same on all ranks.
Index share_of(const Session& session, const Task& task) {
  return task.request.problem.elements() / session.size;
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
    for (Index i = 0; i < share_of(session_, task_); ++i) source_[i] = element_at<T>(i);
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

/// Lengths of the sweeps: the axes; one axis is taken apart near its root.
std::vector<Index> sweep_lengths(const Shape& shape) {
  if (shape.size() > 1) return shape;
  const Index n = shape.front();
  auto root = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (root > 1 && n % root != 0) --root;
  return {root, n / root};
}

template <class T>
class BareSweeps final : public Bare<T> {
 public:
  BareSweeps(const Session& session, const Task& task) : Bare<T>(session, task, "bare/sweeps") {
    this->facts().passes = static_cast<Index>(sweep_lengths(task.request.problem.shape).size());
  }

  void plan(const Memory& memory) override {
    this->use(memory);
    const Task& task = this->task();
    const int sign = task.direction == Direction::forward ? -1 : 1;
    for (const Index length : sweep_lengths(task.request.problem.shape)) {
      const Index lines = share_of(this->session(), task) / length;
      const fftw_iodim64 line{length, 1, 1};
      const fftw_iodim64 batch{lines, length, length};
      plans_.emplace_back(
          local::Fftw<T>::guru(1, &line, 1, &batch, fftw_array(this->source()),
                               fftw_array(this->source()), sign, local::flags_of(task.effort)),
          "contiguous lines");
    }
  }

  double run() override {
    const double start = MPI_Wtime();
    auto* const data = fftw_array(this->source());
    for (const FftwPlan<T>& plan : plans_) local::Fftw<T>::execute(plan.get(), data, data);
    return MPI_Wtime() - start;
  }

 private:
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

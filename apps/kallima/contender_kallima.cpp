// SPDX-License-Identifier: BSD-3-Clause
//
// The library as a contender of `bench`.
#include <fmt/format.h>

#include <complex>
#include <optional>
#include <span>

#include "contender.hpp"
#include "kallima/buffer.hpp"
#include "kallima/transform.hpp"
#include "numbers.hpp"
#include "plan/schedule.hpp"
#include "transport/agreement.hpp"
#include "verify.hpp"

namespace kallima::cli {

namespace {

Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

double slowest(MPI_Comm comm, double seconds) {
  double result = 0.0;
  MPI_Allreduce(&seconds, &result, 1, MPI_DOUBLE, MPI_MAX, comm);
  return result;
}

Index reduced(MPI_Comm comm, Index mine, MPI_Op operation) {
  Index result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, operation, comm);
  return result;
}

Options options_for(const Task& task) {
  Options options;
  options.in = task.request.in;
  options.out = task.request.out;
  options.route = task.request.route;
  options.effort = task.effort;
  return options;
}

template <class T>
Transform<T> timed_transform(const Session& session, const Task& task, double& seconds) {
  MPI_Barrier(session.comm);
  const double start = MPI_Wtime();
  Transform<T> transform(session.comm, task.request.problem.shape, options_for(task));
  seconds = slowest(session.comm, MPI_Wtime() - start);
  return transform;
}

template <class T>
class Kallima final : public Contender {
 public:
  Kallima(const Session& session, const Task& task)
      : session_(session),
        task_(task),
        transform_(timed_transform<T>(session, task, facts_.plan_s)) {
    allocate();
    run_.emplace(transform_.bind(task.direction, span_of(source()), span_of(target())));
    return_.emplace(
        transform_.bind(opposite(task.direction), span_of(target()), span_of(source())));
    fill(input());
    MPI_Barrier(session.comm);
    run_->run();  // counts what is sent
    describe();
  }

  [[nodiscard]] const Facts& facts() const override { return facts_; }

  // In place the input is gone after a run, and what a second run would make of the output grows
  // beyond all numbers.
  void prepare() override {
    if (task_.in_place) fill(input());
  }

  void run() override { run_->run(); }

  Errors verify(Progress& progress) override {
    const std::vector<MultiIndex> samples = sampled_indices(task_.request.problem.shape, 64);
    fill(input());
    const std::vector<Wide> want = direct_sums(
        session_.comm, input(), samples, task_.direction,
        [&](double done) { progress.show(fmt::format("summing directly {:.0f} %", 100 * done)); });
    progress.show("transforming there and back");
    run_->run();
    const std::vector<Wide> got = elements_at(session_.comm, output(), samples);
    return_->run();
    const auto elements = static_cast<long double>(task_.request.problem.elements());
    const long double scale = task_.direction == Direction::forward ? 1.0L : 1.0L / elements;
    return {relative_error(got, want, scale), distance_from_input(session_.comm, input())};
  }

 private:
  /// Memory of the library's alignment; alike on all ranks where there is not enough.
  void allocate() {
    agree(*transport::Communicator::of(session_.comm), transport::Verdict::of([&] {
      const auto size = static_cast<Index>(sizeof(std::complex<T>));
      if (task_.in_place) {
        source_ = Buffer(host_memory(), transform_.in_place_size() * size, "array");
        return;
      }
      const Index rank = session_.rank;
      source_ = Buffer(host_memory(), plan().input().local_size(rank) * size, "input array");
      target_ = Buffer(host_memory(), plan().output().local_size(rank) * size, "output array");
    }));
  }

  void describe() {
    const Moved moved = transform_.moved();
    facts_.name = "kallima";
    facts_.layout_in = plan().input().to_text();
    facts_.layout_out = plan().output().to_text();
    facts_.exchanges = plan().exchanges();
    facts_.bytes_sent = reduced(session_.comm, moved.bytes_sent, MPI_SUM);
    facts_.passes = schedule(plan(), task_.in_place).passes();
    facts_.workspace_bytes = reduced(session_.comm, transform_.workspace_bytes(), MPI_MAX);
  }

  [[nodiscard]] const Plan& plan() const { return transform_.plan(task_.direction); }
  [[nodiscard]] const Buffer& source() const { return source_; }
  [[nodiscard]] const Buffer& target() const { return task_.in_place ? source_ : target_; }
  [[nodiscard]] View<T> input() const { return {span_of(source()), plan().input(), session_.rank}; }
  [[nodiscard]] View<T> output() const {
    return {span_of(target()), plan().output(), session_.rank};
  }

  static std::span<std::complex<T>> span_of(const Buffer& memory) {
    const BufferView bytes = memory.view();
    return {reinterpret_cast<std::complex<T>*>(bytes.data),
            static_cast<std::size_t>(bytes.bytes) / sizeof(std::complex<T>)};
  }

  Session session_;
  Task task_;
  Facts facts_;
  Transform<T> transform_;
  Buffer source_;
  Buffer target_;
  std::optional<Bound<T>> run_;
  std::optional<Bound<T>> return_;
};

}  // namespace

std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task) {
  if (task.request.problem.precision == Precision::f32) {
    return std::make_unique<Kallima<float>>(session, task);
  }
  return std::make_unique<Kallima<double>>(session, task);
}

}  // namespace kallima::cli

// SPDX-License-Identifier: BSD-3-Clause
//
// The library as a contender of `bench`.
#include "kallima/transform.hpp"

#include "array_contender.hpp"
#include "plan/schedule.hpp"

namespace kallima::cli {

namespace {

Options options_for(const Task& task) {
  Options options;
  options.in = task.request.in;
  options.out = task.request.out;
  options.route = task.request.route;
  options.effort = task.effort;
  return options;
}

Index reduced(MPI_Comm comm, Index mine, MPI_Op operation) {
  Index result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, operation, comm);
  return result;
}

template <class T>
class Kallima final : public ArrayContender<T> {
 public:
  Kallima(const Session& session, const Task& task) : ArrayContender<T>(session, task) {
    const Plan forward = make_plan(task.request);
    const Plan plan = task.direction == Direction::forward ? forward : forward.reversed();
    const auto elements = static_cast<long double>(task.request.problem.elements());
    this->set_ends({plan.input(), plan.output(), true,
                    task.direction == Direction::forward ? 1.0L : 1.0L / elements, 1.0L});
    Facts& facts = this->facts();
    facts.name = facts.group = "kallima";
    facts.exchanges = plan.exchanges();
    facts.passes = schedule(plan, task.in_place).passes();
  }

 private:
  void make_plans() override {
    const Task& task = this->task();
    transform_.emplace(this->session().comm, task.request.problem.shape, options_for(task));
    const std::span there(this->source(), static_cast<std::size_t>(this->needs().source) / size);
    const std::span back(
        this->target(),
        task.in_place ? there.size() : static_cast<std::size_t>(this->needs().target) / size);
    run_.emplace(transform_->bind(task.direction, there, back));
    return_.emplace(transform_->bind(opposite(task.direction), back, there));
    this->prepare();
    run_->run();
    for (const Step& step : transform_->plan(task.direction).steps()) {
      const auto* const exchange = std::get_if<Exchange>(&step);
      if (exchange != nullptr) this->facts().route = name_of(exchange->route);
    }
    const MPI_Comm comm = this->session().comm;
    this->facts().bytes_sent = reduced(comm, transform_->moved().bytes_sent, MPI_SUM);
    this->facts().workspace_bytes = reduced(comm, transform_->workspace_bytes(), MPI_MAX);
  }

  void go() override { run_->run(); }
  void go_back() override { return_->run(); }

  static constexpr std::size_t size = sizeof(std::complex<T>);
  std::optional<Transform<T>> transform_;
  std::optional<Bound<T>> run_;
  std::optional<Bound<T>> return_;
};

}  // namespace

std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task) {
  return in_precision<Kallima>(session, task);
}

}  // namespace kallima::cli

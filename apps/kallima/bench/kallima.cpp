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
  options.threads = task.threads;
  options.halved = task.request.problem.halved;
  options.padded = task.request.padded;
  return options;
}

/// Fft is a Transform or a RealTransform.
template <class T, template <class> class Fft>
class KallimaAs final : public ArrayContender<T> {
 public:
  KallimaAs(const Session& session, const Task& task) : ArrayContender<T>(session, task) {
    const Plan forward = make_plan(task.request);
    const Plan plan = task.direction == Direction::forward ? forward : forward.reversed();
    const auto elements = static_cast<long double>(task.request.problem.elements());
    this->set_ends({plan.input(), plan.output(), true,
                    task.direction == Direction::forward ? 1.0L : 1.0L / elements, 1.0L});
    Facts& facts = this->facts();
    facts.name = facts.group = "kallima";
    facts.exchanges = plan.exchanges();
  }

 private:
  void make_plans() override {
    const Task& task = this->task();
    transform_.emplace(this->session().comm, task.request.problem.shape, options_for(task));
    const auto elements = [](Index bytes, bool real) {
      return static_cast<std::size_t>(bytes) / (real ? sizeof(T) : sizeof(std::complex<T>));
    };
    const Needs needs = this->needs();
    const std::size_t in = elements(needs.source, this->reads_reals());
    const std::size_t out =
        elements(task.in_place ? needs.source : needs.target, this->writes_reals());
    run_.emplace(transform_->bind_memory(task.direction, this->source(), in, this->target(), out));
    return_.emplace(
        transform_->bind_memory(opposite(task.direction), this->target(), out, this->source(), in));
    this->prepare();
    run_->run();
    // What ran: the layouts are those of the constructor's plan, the route was chosen here.
    const Plan& plan = transform_->plan(task.direction);
    Facts& facts = this->facts();
    facts.passes = schedule(plan, task.in_place).passes();
    for (const Step& step : plan.steps()) {
      const auto* const exchange = std::get_if<Exchange>(&step);
      if (exchange != nullptr) facts.route = name_of(exchange->route);
    }
    facts.bytes_sent = total(this->session(), transform_->moved().bytes_sent);
    facts.workspace_bytes = largest(this->session(), transform_->workspace_bytes());
  }

  void go() override { run_->run(); }
  void go_back() override { return_->run(); }

  std::optional<Fft<T>> transform_;
  std::optional<Bound<T>> run_;
  std::optional<Bound<T>> return_;
};

template <class T>
using Kallima = KallimaAs<T, Transform>;
template <class T>
using RealKallima = KallimaAs<T, RealTransform>;

}  // namespace

std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task) {
  if (task.request.problem.real()) return in_precision<RealKallima>(session, task);
  return in_precision<Kallima>(session, task);
}

}  // namespace kallima::cli

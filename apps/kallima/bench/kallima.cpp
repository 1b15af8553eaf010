// SPDX-License-Identifier: BSD-3-Clause
//
// The library as a contender of `bench`.
#include "kallima/transform.hpp"

#include "api/explain.hpp"
#include "api/request.hpp"
#include "api/trace.hpp"
#include "array_contender.hpp"
#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "kallima/tune.hpp"
#include "schedule/schedule.hpp"

namespace kallima::cli {

Options options_for(const Task& task) {
  Options options;
  options.in = task.request.in;
  options.out = task.request.out;
  options.method = task.request.method;
  options.chunks = task.request.chunks;
  options.engine_effort = task.effort;
  options.threads = task.threads;
  options.r2c_axis = task.request.problem.r2c_axis;
  options.axes = task.request.problem.axes;
  options.keep = task.request.problem.keep;
  options.padded = task.request.padded;
  options.machine = task.request.machine;
  options.plan_wisdom = task.plans;
  options.adaptive = task.adaptive;
  if (task.trace) options.trace = "-";
  return options;
}

namespace {

/// Rank 0's plan, on all ranks: arrays are made for its layouts before there is a transform.
/// Collective.
Plan agreed_plan(const Session& session, const Task& task) {
  const auto communicator = comm::Communicator::of(session.comm);
  const Options options = options_for(task);
  std::string text;
  comm::agree(*communicator, comm::Verdict::of([&] {
    if (session.speaks())
      text = chosen_plan(placed(task.request, options, *communicator), options).plan.to_text();
  }));
  return Plan::parse(comm::broadcast(*communicator, text));
}

/// The texts of all ranks with commas between, on the rank that speaks. Collective.
std::string gathered(const Session& session, const std::string& mine) {
  const auto size = narrow<int>(static_cast<Index>(mine.size()), "bytes of a trace");
  std::vector<int> sizes(static_cast<std::size_t>(session.size));
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, session.comm);
  std::vector<int> offsets(sizes.size());
  Index all = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    offsets[r] = narrow<int>(all, "bytes of a trace");
    all += sizes[r] + (r + 1 < sizes.size() ? 2 : 0);
  }
  std::string texts(session.speaks() ? static_cast<std::size_t>(all) : 0, ',');
  MPI_Gatherv(mine.data(), size, MPI_CHAR, texts.data(), sizes.data(), offsets.data(), MPI_CHAR, 0,
              session.comm);
  for (std::size_t r = 1; r < offsets.size() && session.speaks(); ++r) {
    texts[static_cast<std::size_t>(offsets[r]) - 1] = '\n';
  }
  return texts;
}

/// Fft is a Transform, a RealTransform or an R2RTransform.
template <class T, template <class> class Fft>
class KallimaAs final : public ArrayContender<T> {
 public:
  KallimaAs(const Session& session, const Task& task) : ArrayContender<T>(session, task) {
    if (task.plan_effort == PlanEffort::measure) {
      time_plans(session, task);
    } else {
      forward_ = std::make_shared<const Plan>(agreed_plan(session, task));
    }
    const Plan plan = task.direction == Direction::forward ? *forward_ : forward_->reversed();
    const auto elements = static_cast<long double>(task.request.problem.logical_size());
    this->set_ends({plan.input(), plan.output(), true,
                    task.direction == Direction::forward ? 1.0L : 1.0L / elements, 1.0L});
    Facts& facts = this->facts();
    facts.name = facts.group = "kallima";
    facts.exchanges = plan.exchanges();
  }

 private:
  /// What a transform that is to measure plans does first: arrays are made for its layouts before
  /// there is one.
  void time_plans(const Session& session, const Task& task) {
    MPI_Barrier(session.comm);
    const double begin = MPI_Wtime();
    Options options = options_for(task);
    options.adaptive = false;
    options.trace.clear();
    const Problem& problem = task.request.problem;
    const TunedPlan tuned = tune<T>(session.comm, problem.kind, problem.shape, options,
                                    measuring_options(task.planning_seconds));
    forward_ = std::make_shared<const Plan>(tuned.plan());
    timed_ = tuned.to_text();
    this->facts().timed_plans = largest(session, MPI_Wtime() - begin);
  }

  void make_plans() override {
    const Task& task = this->task();
    Options options = options_for(task);
    options.plan = forward_;
    transform_.emplace(this->session().comm, task.request.problem.shape, options);
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
    // What ran: the layouts are those of the constructor's plan, the method was chosen here.
    const Plan& plan = transform_->plan(task.direction);
    Facts& facts = this->facts();
    facts.passes = schedule(plan, task.in_place).passes();
    if (plan.convolves()) facts.promised_error = promised_error(plan);
    for (const Step& step : plan.steps()) {
      const auto* const exchange = std::get_if<Exchange>(&step);
      if (exchange != nullptr) facts.method = name_of(exchange->method);
    }
    facts.bytes_sent = total(this->session(), transform_->statistics().bytes_sent);
    facts.workspace_bytes = largest(this->session(), transform_->workspace_bytes());
  }

  [[nodiscard]] std::string explained(double copy) const override {
    const Task& task = this->task();
    Timings took = transform_->timings(task.direction);
    const Plan& plan = transform_->plan(task.direction);
    // A rank without data cannot tell in place from out of place, and has timed either.
    took.in_place = task.in_place;
    took.stages.resize(schedule(plan, task.in_place).stages.size(), 0.);
    for (double& stage : took.stages) stage = largest(this->session(), stage);
    PriceOptions options;
    options.in_place = task.in_place;
    options.ranks_per_node = comm::Communicator::of(this->session().comm)->ranks_on_node;
    const Machine machine = transform_->machine();
    return kallima::explained(machine, price(plan, machine, options), took, copy) + timed_ +
           transform_->learned(task.direction);
  }

  [[nodiscard]] std::string traced() const override {
    const std::string events = gathered(this->session(), transform_->trace());
    return this->session().speaks() ? trace_file(events, transform_->plan()) : events;
  }

  void go() override { run_->run(); }
  void go_back() override { return_->run(); }

  std::shared_ptr<const Plan> forward_;
  std::string timed_;  // what came of timing plans, for people
  std::optional<Fft<T>> transform_;
  std::optional<Bound<T>> run_;
  std::optional<Bound<T>> return_;
};

template <class T>
using Kallima = KallimaAs<T, Transform>;
template <class T>
using RealKallima = KallimaAs<T, RealTransform>;
template <class T>
using R2RKallima = KallimaAs<T, R2RTransform>;

}  // namespace

std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task) {
  if (task.request.problem.real()) return in_precision<RealKallima>(session, task);
  if (task.request.problem.kind == Kind::r2r) return in_precision<R2RKallima>(session, task);
  return in_precision<Kallima>(session, task);
}

}  // namespace kallima::cli

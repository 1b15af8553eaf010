// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 lists the plans and broadcasts them, so that all ranks time the same ones in the same
// order, even where their environments name different machines.
#include "kallima/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "api/explain.hpp"
#include "api/own_boxes.hpp"
#include "api/packed.hpp"
#include "api/probe.hpp"
#include "api/request.hpp"
#include "base/checked.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "comm/agreement.hpp"
#include "comm/collectives.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "planner/variants.hpp"

namespace kallima {

namespace {

using comm::agree;
using comm::all_reduce;
using comm::Communicator;
using comm::Verdict;

constexpr Index most_runs = 1000000;

void require_sensible(const Options& options, const TuneOptions& how) {
  if (!std::isfinite(how.within) || how.within < 0.0 || how.runs < 1 || how.runs > most_runs ||
      how.most < 1 || !std::isfinite(how.seconds) || how.seconds < 0.0) {
    throw InvalidOption(
        fmt::format("tuning tries {} plans within {} of the best price, {} runs each; give at "
                    "least 1 plan, 0 or more, and 1 to {} runs",
                    how.most, how.within, how.runs, most_runs));
  }
  if (options.plan || options.tile_bytes != 0) {
    throw InvalidOption(
        "tuning chooses the plan, with tiles for this machine; leave the options plan and "
        "tile_bytes as they are by default");
  }
}

/// Price and text of each plan to be tried.
std::vector<std::string> listed(const PlanRequest& request, const TuneOptions& how) {
  std::vector<std::string> texts;
  for (const NamedPlan& each :
       plans_to_time(request, how.within, static_cast<std::size_t>(how.most))) {
    texts.push_back(fmt::format("{}", each.cost.total.total()));
    texts.push_back(each.plan.to_text());
  }
  return texts;
}

/// What is tried, and on rank 0 what it was listed for.
struct Trial {
  PlanRequest request;
  std::vector<TriedPlan> plans;
};

/// From what listed() made, behind the ask.
std::vector<TriedPlan> plans_of(const std::vector<std::string>& texts) {
  std::vector<TriedPlan> plans;
  for (std::size_t i = 1; i + 1 < texts.size(); i += 2) {
    TriedPlan tried;
    std::from_chars(texts[i].data(), texts[i].data() + texts[i].size(), tried.priced);
    tried.plan = Plan::parse(texts[i + 1]);
    plans.push_back(std::move(tried));
  }
  return plans;
}

/// Collective: all ranks ask, rank 0 lists.
template <class Request>
Trial agreed_trial(const Communicator& communicator, const Request& make_request,
                   const Options& options, const TuneOptions& how) {
  Trial trial;
  std::string ask;
  std::string message;
  Verdict verdict = Verdict::of([&] {
    require_sensible(options, how);
    const PlanRequest request = make_request();
    if (request.problem.of_words()) {
      throw InvalidOption("only plans of c2c, r2c and r2r are tuned, not of " +
                          request.problem.to_text() + "; plan without tuning");
    }
    ask = request_fingerprint(request, options) +
          fmt::format("within {}\nruns {}\nmost {}\nseconds {}\n", how.within, how.runs, how.most,
                      how.seconds);
    if (communicator.rank != 0) return;
    trial.request = placed(request, options, communicator);
  });
  agree(communicator, verdict);
  const std::optional<double> per_byte =
      rate_of_assumed_links(communicator, trial.request, how.seconds);
  verdict = Verdict::of([&] {
    if (communicator.rank != 0) return;
    PlanRequest request = trial.request;
    if (per_byte) {
      request.machine = std::make_shared<const Machine>(with_rate(*request.machine, *per_byte));
    }
    std::vector<std::string> texts = listed(request, how);
    texts.insert(texts.begin(), ask);
    message = packed(texts);
  });
  message = comm::broadcast(communicator, message);
  if (verdict.code == ErrorCode::ok && !message.empty()) {
    verdict = Verdict::of([&] {
      const std::vector<std::string> texts = unpacked(message);
      require_same(ask, texts.front(), communicator.rank);
      trial.plans = plans_of(texts);
    });
  }
  agree(communicator, verdict);
  return trial;
}

/// A plan ready to run.
template <class T>
struct Runner {
  std::shared_ptr<Planned<T>> transform;
  std::vector<Bound<T>> bound;  // one, once there is memory
};

/// Collective.
template <class T>
Runner<T> runner_of(MPI_Comm comm, TriedPlan& tried, Options options) {
  const Problem problem = tried.plan.problem();
  options.plan = std::make_shared<const Plan>(tried.plan);
  Runner<T> runner;
  if (problem.real()) {
    runner.transform = std::make_shared<RealTransform<T>>(comm, problem.shape, options);
  } else if (problem.kind == Kind::r2r) {
    runner.transform = std::make_shared<R2RTransform<T>>(comm, problem.shape, options);
  } else {
    runner.transform = std::make_shared<Transform<T>>(comm, problem.shape, options);
  }
  tried.plan = runner.transform->plan();  // as it runs: shared memory may not be had
  return runner;
}

/// Bytes of a state's array on a rank.
Index bytes_of(const State& state, Index rank) {
  return checked_mul(state.layout.allocated_size(rank), state.element.bytes(), "bytes of an array");
}

/// Input and output that all plans use in turns; zeros, which stay zeros.
class Arrays {
 public:
  /// Collective.
  Arrays(const Communicator& communicator, const std::vector<TriedPlan>& plans,
         const Options& options) {
    agree(communicator, Verdict::of([&] {
            Index in = 0;
            Index out = 0;
            for (const TriedPlan& tried : plans) {
              in = std::max(in, bytes_of(tried.plan.states().front(), communicator.rank));
              out = std::max(out, bytes_of(tried.plan.states().back(), communicator.rank));
            }
            const auto memory = options.memory ? options.memory : host_memory();
            in_ = Buffer(memory, in, "input array");
            out_ = Buffer(memory, out, "output array");
            for (const Buffer* const buffer : {&in_, &out_}) {
              std::fill_n(buffer->view().data, buffer->view().bytes, std::byte{0});
            }
          }));
  }

  /// Collective.
  template <class T>
  void bind(Runner<T>& runner) const {
    const std::vector<State>& states = runner.transform->plan().states();
    runner.bound.push_back(runner.transform->bind_memory(
        Direction::forward, in_.view().data, elements(in_, states.front()), out_.view().data,
        elements(out_, states.back())));
  }

 private:
  static std::size_t elements(const Buffer& buffer, const State& state) {
    return static_cast<std::size_t>(buffer.view().bytes / state.element.bytes());
  }

  Buffer in_;
  Buffer out_;
};

/// The largest of all ranks' seconds; a barrier. Collective.
double slowest(const Communicator& communicator, double seconds, double deadline) {
  constexpr double nano = 1e9;
  communicator.watchdog->begin("timing plans", deadline);
  std::int64_t all = static_cast<std::int64_t>(seconds * nano);
  all_reduce(communicator, std::span(&all, 1), MPI_MAX);
  return static_cast<double>(all) / nano;
}

/// How much time is left, by rank 0's clock.
class Budget {
 public:
  Budget(const Communicator& communicator, double seconds, double deadline)
      : communicator_(communicator), seconds_(seconds), deadline_(deadline) {}

  /// True on all ranks where so much more fits. Collective, where there is a limit.
  [[nodiscard]] bool has(double seconds) const {
    if (seconds_ <= 0.) return true;
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin_;
    communicator_.watchdog->begin("timing plans", deadline_);
    return comm::as_rank_0_says(communicator_, used.count() + seconds <= seconds_);
  }
  [[nodiscard]] bool limited() const { return seconds_ > 0.; }

 private:
  const Communicator& communicator_;
  double seconds_;
  double deadline_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Plans as they are timed.
template <class T>
class Race {
 public:
  Race(const Communicator& communicator, MPI_Comm comm, std::vector<TriedPlan>& plans,
       const Options& options, const Budget& budget)
      : communicator_(communicator), plans_(plans), budget_(budget), deadline_(options.deadline) {
    // Where the first one is priced at more than some runs of all the time, none is made.
    if (!budget.has(2. * plans.front().priced)) return;
    arrays_.emplace(communicator, plans, options);
    double longest = 0.;
    for (TriedPlan& tried : plans) {
      if (!runners_.empty() && !budget.has(longest)) break;
      const auto begin = std::chrono::steady_clock::now();
      runners_.push_back(runner_of<T>(comm, tried, options));
      arrays_->bind(runners_.back());
      warm_.push_back(seconds_of(runners_.back()));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      longest = std::max(longest, took.count());
    }
    took_.resize(runners_.size());
  }

  /// Round by round, each beginning with another plan and every second one backwards. Collective.
  void run(Index rounds) {
    std::vector<std::size_t> left(runners_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (Index round = 0; round < rounds && left.size() > (budget_.limited() ? 1U : 0U); ++round) {
      double all = 0.;
      for (const std::size_t plan : left) all += warm_[plan];
      if (!budget_.has(all)) break;
      const std::size_t plans = left.size();
      for (std::size_t turn = 0; turn < plans; ++turn) {
        const std::size_t step = round % 2 == 0 ? turn : plans - 1 - turn;
        const std::size_t plan = left[(static_cast<std::size_t>(round) + step) % plans];
        took_[plan].push_back(seconds_of(runners_[plan]));
      }
      if (budget_.limited()) leave_out(left);
    }
    for (std::size_t plan = 0; plan < took_.size(); ++plan) {
      plans_[plan].measured = took_[plan].empty() ? warm_[plan] : median(took_[plan]);
    }
  }

 private:
  /// A run, behind a barrier; seconds of the slowest rank. Collective.
  double seconds_of(Runner<T>& runner) {
    slowest(communicator_, 0., deadline_);
    const auto begin = std::chrono::steady_clock::now();
    runner.bound.front().run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return slowest(communicator_, took.count(), deadline_);
  }

  /// Those far behind, so that time is spent on the others.
  void leave_out(std::vector<std::size_t>& left) const {
    constexpr double far_behind = 1.25;
    double best = std::numeric_limits<double>::infinity();
    const auto least = [&](std::size_t plan) {
      return *std::min_element(took_[plan].begin(), took_[plan].end());
    };
    for (const std::size_t plan : left) best = std::min(best, least(plan));
    std::erase_if(left, [&](std::size_t plan) { return least(plan) > far_behind * best; });
  }

  const Communicator& communicator_;
  std::vector<TriedPlan>& plans_;
  const Budget& budget_;
  double deadline_;
  std::optional<Arrays> arrays_;
  std::vector<Runner<T>> runners_;
  std::vector<double> warm_;               // seconds of the first run, by plan
  std::vector<std::vector<double>> took_;  // of the others
};

/// Of those that were timed; the first where none was.
std::size_t fastest_of(const std::vector<TriedPlan>& plans) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < plans.size(); ++i) {
    if (plans[i].measured > 0. && plans[i].measured < plans[best].measured) best = i;
  }
  return best;
}

/// Rank 0 knows what the plans are for. Collective.
PlanWisdom wisdom_of(const Communicator& communicator, const PlanRequest& request,
                     const TriedPlan& fastest) {
  std::string text;
  agree(communicator, Verdict::of([&] {
          if (communicator.rank != 0) return;
          PlanWisdom wisdom;
          if (fastest.measured > 0.) {
            wisdom.add(
                entry_for(request, *request.machine, fastest.plan, fastest.measured, text::now()));
          }
          text = wisdom.to_text();
        }));
  return PlanWisdom::parse(comm::broadcast(communicator, text));
}

/// ", with kernels", or how many of its sweeps have them.
std::string engines_of(const Plan& plan) {
  Index kernels = 0;
  Index all = 0;
  for (const Step& step : plan.steps()) {
    const auto* const sweep = std::get_if<Sweep>(&step);
    if (sweep == nullptr || sweep->kernel == Kernel::none || is_chirp(sweep->kernel)) continue;
    ++all;
    if (sweep->engine == LineEngine::kernels) ++kernels;
  }
  if (kernels == 0) return ", with fftw";
  return kernels == all ? ", with kernels" : fmt::format(", {} of {} with kernels", kernels, all);
}

}  // namespace

template <class T>
TunedPlan tune(MPI_Comm comm, Kind kind, const Shape& shape, const Options& asked,
               const TuneOptions& how) {
  const auto communicator = Communicator::of(comm);
  const Budget budget(*communicator, how.seconds, asked.deadline);
  Options options = asked;
  Verdict verdict;
  gather_own_boxes(*communicator, asked_problem(shape, kind, precision_of<T>, asked), options,
                   verdict);
  const auto make_request = [&] {
    return checked_request(shape, kind, precision_of<T>, communicator->size, options);
  };
  Trial trial = agreed_trial(*communicator, make_request, options, how);
  TunedPlan tuned;
  tuned.tried = std::move(trial.plans);
  Race<T> race(*communicator, comm, tuned.tried, options, budget);
  race.run(how.runs);
  tuned.fastest = fastest_of(tuned.tried);
  tuned.wisdom = wisdom_of(*communicator, trial.request, tuned.tried[tuned.fastest]);
  return tuned;
}

std::string TunedPlan::to_text() const {
  std::string text = "\ntimed at planning; * is the fastest\n";
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const std::string took =
        tried[i].measured > 0. ? fmt::format("{:.1f} us", 1e6 * tried[i].measured) : "not timed";
    text += fmt::format("{} {:<46}  {:>12}  from {}\n", i == fastest ? '*' : ' ',
                        manner_of(tried[i].plan) + engines_of(tried[i].plan), took,
                        tried[i].plan.input().summary());
  }
  return text;
}

template TunedPlan tune<float>(MPI_Comm, Kind, const Shape&, const Options&, const TuneOptions&);
template TunedPlan tune<double>(MPI_Comm, Kind, const Shape&, const Options&, const TuneOptions&);

}  // namespace kallima

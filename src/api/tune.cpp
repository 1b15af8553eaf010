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

#include "api/packed.hpp"
#include "api/request.hpp"
#include "base/checked.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "comm/agreement.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"

namespace kallima {

namespace {

using comm::agree;
using comm::check;
using comm::Communicator;
using comm::Verdict;

constexpr Index most_runs = 1000000;

void require_sensible(const Options& options, const TuneOptions& how) {
  if (!std::isfinite(how.within) || how.within < 0.0 || how.runs < 1 || how.runs > most_runs ||
      how.most < 1) {
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
  const std::vector<NamedPlan> plans = compared_plans(request);
  const double limit = plans.front().cost.total.total() * (1.0 + how.within);
  std::vector<std::string> texts;
  for (const NamedPlan& each : plans) {
    const double priced = each.cost.total.total();
    if (static_cast<Index>(texts.size()) / 2 == how.most) break;
    if (priced > limit) continue;
    texts.push_back(fmt::format("{}", priced));
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
      throw InvalidOption("only plans of c2c and r2c are tuned, not of " +
                          request.problem.to_text() + "; plan without tuning");
    }
    ask = request_fingerprint(request, options) +
          fmt::format("within {}\nruns {}\nmost {}\n", how.within, how.runs, how.most);
    if (communicator.rank != 0) return;
    trial.request = placed(request, options, communicator);
    std::vector<std::string> texts = listed(trial.request, how);
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

template <class T>
std::vector<Runner<T>> runners_of(MPI_Comm comm, std::vector<TriedPlan>& plans, Options options) {
  std::vector<Runner<T>> runners;
  for (TriedPlan& tried : plans) {
    const Problem problem = tried.plan.problem();
    options.plan = std::make_shared<const Plan>(tried.plan);
    if (problem.real()) {
      runners.push_back({std::make_shared<RealTransform<T>>(comm, problem.shape, options), {}});
    } else {
      runners.push_back({std::make_shared<Transform<T>>(comm, problem.shape, options), {}});
    }
    tried.plan = runners.back().transform->plan();  // as it runs: shared memory may not be had
  }
  return runners;
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
  void bind(std::vector<Runner<T>>& runners) const {
    for (Runner<T>& runner : runners) {
      const std::vector<State>& states = runner.transform->plan().states();
      runner.bound.push_back(runner.transform->bind_memory(
          Direction::forward, in_.view().data, elements(in_, states.front()), out_.view().data,
          elements(out_, states.back())));
    }
  }

 private:
  static std::size_t elements(const Buffer& buffer, const State& state) {
    return static_cast<std::size_t>(buffer.view().bytes / state.element.bytes());
  }

  Buffer in_;
  Buffer out_;
};

template <class T>
double seconds_of(const Communicator& communicator, Bound<T>& bound) {
  check(MPI_Barrier(communicator.comm), "MPI_Barrier");
  const auto begin = std::chrono::steady_clock::now();
  bound.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Round by round, each beginning with another plan and every second one backwards. Collective.
template <class T>
std::vector<double> medians(const Communicator& communicator, std::vector<Runner<T>>& runners,
                            Index runs) {
  const std::size_t plans = runners.size();
  const auto rounds = static_cast<std::size_t>(runs);
  std::vector<double> took(plans * rounds);  // by plan, then by round
  for (Runner<T>& runner : runners) runner.bound.front().run();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < plans; ++turn) {
      const std::size_t step = round % 2 == 0 ? turn : plans - 1 - turn;
      const std::size_t plan = (round + step) % plans;
      took[plan * rounds + round] = seconds_of(communicator, runners[plan].bound.front());
    }
  }
  for (std::size_t plan = 0; plan < plans; ++plan) {
    check(MPI_Allreduce(MPI_IN_PLACE, took.data() + plan * rounds, static_cast<int>(rounds),
                        MPI_DOUBLE, MPI_MAX, communicator.comm),
          "MPI_Allreduce");
  }
  std::vector<double> result;
  for (auto at = took.begin(); at != took.end(); at += static_cast<std::ptrdiff_t>(rounds)) {
    result.push_back(median({at, at + static_cast<std::ptrdiff_t>(rounds)}));
  }
  return result;
}

/// Rank 0 knows what the plans are for. Collective.
PlanWisdom wisdom_of(const Communicator& communicator, const PlanRequest& request,
                     const TriedPlan& fastest) {
  std::string text;
  agree(communicator, Verdict::of([&] {
          if (communicator.rank != 0) return;
          PlanWisdom wisdom;
          wisdom.add(
              entry_for(request, *request.machine, fastest.plan, fastest.measured, text::now()));
          text = wisdom.to_text();
        }));
  return PlanWisdom::parse(comm::broadcast(communicator, text));
}

}  // namespace

template <class T>
TunedPlan tune(MPI_Comm comm, Kind kind, const Shape& shape, const Options& options,
               const TuneOptions& how) {
  const auto communicator = Communicator::of(comm);
  const auto make_request = [&] {
    return checked_request(shape, kind, precision_of<T>, communicator->size, options);
  };
  Trial trial = agreed_trial(*communicator, make_request, options, how);
  TunedPlan tuned;
  tuned.tried = std::move(trial.plans);
  std::vector<Runner<T>> runners = runners_of<T>(comm, tuned.tried, options);
  const Arrays arrays(*communicator, tuned.tried, options);
  arrays.bind(runners);
  const std::vector<double> measured = medians(*communicator, runners, how.runs);
  for (std::size_t i = 0; i < measured.size(); ++i) tuned.tried[i].measured = measured[i];
  tuned.fastest = static_cast<std::size_t>(std::min_element(measured.begin(), measured.end()) -
                                           measured.begin());
  tuned.wisdom = wisdom_of(*communicator, trial.request, tuned.tried[tuned.fastest]);
  return tuned;
}

template TunedPlan tune<float>(MPI_Comm, Kind, const Shape&, const Options&, const TuneOptions&);
template TunedPlan tune<double>(MPI_Comm, Kind, const Shape&, const Options&, const TuneOptions&);

}  // namespace kallima

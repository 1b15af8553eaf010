// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks come to one plan. Rank 0 plans and broadcasts what it was asked, the plan's text and,
// where engines were measured, its wisdom. Every rank compares what it was asked itself, takes over
// the plan, compares its hash, and allocates. Then there is one agreement, whatever went wrong
// where; nobody throws before it.
#pragma once

#include "api/core.hpp"
#include "base/checked.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <type_traits>

#include "api/explain.hpp"
#include "api/own_boxes.hpp"
#include "api/packed.hpp"
#include "api/request.hpp"
#include "api/trace.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "comm/collectives.hpp"
#include "exchange/method.hpp"
#include "exec/threads.hpp"
#include "kallima/error.hpp"
#include "kallima/tune.hpp"
#include "planner/variants.hpp"
#include "schedule/schedule.hpp"
#include "steps/digits.hpp"

namespace kallima {

/// True where factors have square roots.
template <class T>
inline constexpr bool has_roots = std::is_floating_point_v<exec::Factor<T>>;

/// A scaling of a run that there is.
template <class T>
void require_scaling(const std::optional<Scaling>& scaling) {
  if (!scaling) return;
  require_known(*scaling, Scaling::by_n_forward, "scaling");
  if (!has_roots<T> && *scaling == Scaling::by_sqrt_n) {
    throw InvalidOption("these numbers have no square root of N to be divided by; scale by_n");
  }
}

/// By what forward and backward multiply.
template <class T>
std::array<exec::Factor<T>, 2> factors(const typename exec::Operation<T>::Setup& setup,
                                       Scaling scaling, Index elements) {
  using exec::Factor;
  if (scaling == Scaling::by_n) {
    return {Factor<T>{1}, exec::Operation<T>::reciprocal(setup, elements)};
  }
  if (scaling == Scaling::by_n_forward) {
    return {exec::Operation<T>::reciprocal(setup, elements), Factor<T>{1}};
  }
  if (scaling == Scaling::by_sqrt_n) {
    if constexpr (has_roots<T>) {
      const long double root = 1.0L / std::sqrt(static_cast<long double>(elements));
      return {static_cast<Factor<T>>(root), static_cast<Factor<T>>(root)};
    } else {
      throw InvalidOption("these numbers have no square root of N to be divided by; scale by_n");
    }
  }
  return {Factor<T>{1}, Factor<T>{1}};
}

inline std::vector<std::string> texts_of(const std::vector<Plan>& plans) {
  std::vector<std::string> texts;
  for (const Plan& plan : plans) texts.push_back(plan.to_text());
  return texts;
}

/// The texts from one on.
inline std::vector<Plan> plans_in(const std::vector<std::string>& texts, std::size_t first) {
  std::vector<Plan> plans;
  for (std::size_t i = first; i < texts.size(); ++i) plans.push_back(Plan::parse(texts[i]));
  return plans;
}

template <class T>
std::shared_ptr<TransformCore<T>> TransformCore<T>::make(
    MPI_Comm comm, Kind kind, const std::function<AskedTransform<T>()>& ask_for,
    const comm::Communicator* beside) {
  std::shared_ptr<TransformCore> core;
  AskedTransform<T> asked;
  comm::Verdict verdict = comm::Verdict::of([&] {
    core = std::make_shared<TransformCore>();
    asked = ask_for();
    core->options_ = asked.given.options;
    core->setup_ = asked.setup;
  });
  auto communicator =
      beside ? beside->another() : comm::Communicator::reserve(comm, asked.given.options.deadline);
  bool measures = false;
  {
    const comm::Call call(*communicator);
    if (!core) communicator->or_fail([&] { throw_error(verdict.code, verdict.text); });
    core->communicator_ = std::move(communicator);
    measures = core->plan_together(kind, asked, std::move(verdict));
  }
  if (measures) core->measure_plans(comm, kind, asked.given);
  return core;
}

template <class T>
TunedPlan tuned(MPI_Comm comm, Kind kind, const Shape& shape, const Options& options) {
  if constexpr (is_precision<T>) {
    return tune<T>(comm, kind, shape, options, measuring_options(options.planning_seconds));
  } else {
    throw InternalError("plans of words are timed");  // plan_together() has refused it
  }
}

/// Times plans, and takes the fastest over. Rank 0 remembers it where a file is named.
template <class T>
void TransformCore<T>::measure_plans(MPI_Comm comm, Kind kind, const Arguments& given) {
  Options options = given.options;
  options.in = options_.in;  // where ranks gave boxes of their own, those of all
  options.out = options_.out;
  options.plan_effort = PlanEffort::estimate;
  options.adaptive = false;
  options.trace = "-";
  const TunedPlan found = tuned<T>(comm, kind, given.shape, options);
  const comm::Call call(*communicator_, "planning", options_.deadline);
  measured_ = found.to_text();
  std::string message;
  comm::Verdict verdict = comm::Verdict::of([&] {
    if (communicator_->rank != 0) return;
    if (!options_.plan_wisdom.empty()) save_plan_wisdom(options_.plan_wisdom, found.wisdom);
    message = packed(texts_of(candidates_for(found.plan())));
  });
  message = comm::broadcast(*communicator_, message);
  if (!message.empty()) {
    verdict.and_then([&] {
      close_segments();
      adopt(plans_in(unpacked(message), 0));
    });
  }
  agree(*communicator_, verdict);
  open_segments();
  make_filter();
}

/// A trace is of one plan.
template <class T>
std::vector<Plan> TransformCore<T>::candidates_for(const Plan& plan) const {
  const bool traced = !options_.trace.empty() || std::getenv("KALLIMA_TRACE") != nullptr;
  if (!options_.adaptive || traced) return {plan};
  return variants_of(plan, here_, Learning::most_candidates);
}

/// True where plans are still to be timed: all ranks agree on that.
template <class T>
bool TransformCore<T>::plan_together(Kind kind, const AskedTransform<T>& asked,
                                     comm::Verdict verdict) {
  using Operation = exec::Operation<T>;
  const bool root = communicator_->rank == 0;
  std::string ask;
  std::string message;
  bool measured = false;  // engines
  bool measures_plans = false;
  gather_own_boxes(*communicator_,
                   asked_problem(asked.given.shape, kind, Operation::precision, options_), options_,
                   verdict);
  verdict.and_then([&] {
    const Arguments& given = asked.given;
    if (!options_.memory) options_.memory = host_memory();
    if (options_.progress_thread) comm::require_threads();
    if (!is_precision<T> && options_.plan_effort == PlanEffort::measure) {
      throw InvalidOption("only plans of c2c and r2c are timed; leave plan_effort as it is");
    }
    measured = Operation::learns && options_.engine_effort != Effort::estimate;
    const PlanRequest request =
        checked_request(given.shape, kind, Operation::precision, communicator_->size, options_);
    ask = request_fingerprint(request, options_) + Operation::to_text(setup_);
    if (options_.deadline == 0.) options_.deadline = communicator_->deadline;
    if (!root) return;
    here_ = placed(request, options_, *communicator_);
    if (*here_.machine != built_in_machine()) machine_ = here_.machine->to_text();
    ChosenPlan chosen = chosen_plan(here_, options_);
    if (asked.turns) chosen.plan = chosen.plan.there_and_back().value_or(chosen.plan);
    if (options_.separate_fields) require_fields(chosen.plan);
    measures_plans = chosen.worth_timing;
    const std::vector<Plan> plans =
        measures_plans ? std::vector<Plan>{chosen.plan} : candidates_for(chosen.plan);
    adopt(plans);
    std::vector<std::string> texts = {ask, measured ? Operation::export_wisdom() : std::string(),
                                      machine_, measures_plans ? "measure" : ""};
    for (std::string& text : texts_of(plans)) texts.push_back(std::move(text));
    message = packed(texts);
  });
  communicator_->watchdog->at("waiting for rank 0's plan");
  message = comm::broadcast(*communicator_, message);
  if (!root && !message.empty()) {
    verdict.and_then([&] {
      const std::vector<std::string> texts = unpacked(message);
      require_same(ask, texts[0], communicator_->rank);
      if (measured) Operation::import_wisdom(texts[1]);
      machine_ = texts[2];
      measures_plans = !texts[3].empty();
      adopt(plans_in(texts, 4));
    });
  }
  agree(*communicator_, verdict, intent("make a transform", 1));
  open_segments();
  make_filter();
  // Clocks of several nodes need not agree: time counts from an agreement, which ranks leave about
  // together.
  if (recorder_) recorder_->set_origin();
  return measures_plans;
}

/// Has the drivers record what they do, where a trace is wanted.
template <class T>
void TransformCore<T>::record() {
  constexpr std::size_t most_events = std::size_t{1} << 17;
  if (options_.trace.empty()) {
    const char* const named = std::getenv("KALLIMA_TRACE");
    if (named != nullptr) options_.trace = named;
  }
  if (options_.trace.empty()) return;
  if (!recorder_) recorder_ = std::make_shared<Recorder>(most_events);
  auto& drivers = candidates_.front().drivers;
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    drivers[i]->record(recorder_, static_cast<Index>(i) * stage_stride);
  }
}

template <class T>
std::string TransformCore<T>::trace() const {
  return recorder_ ? trace_events(*recorder_, candidates_.front().plans, communicator_->rank)
                   : std::string();
}

/// Calls no MPI. Memory that MPI may still write, for a call that has failed, outlives this.
template <class T>
TransformCore<T>::~TransformCore() {
  if (communicator_ && communicator_->duplicate->broken) {
    struct Memory {
      Buffer workspace;
      Buffer transit;
      Buffer filter;
      Buffer frequencies;
      Buffer second_frequencies;
      std::unique_ptr<comm::SharedSegments> segments;
    };
    comm::Keeper::of_process()->keep(std::make_shared<Memory>(
        Memory{std::move(workspace_), std::move(transit_), std::move(filter_),
               std::move(frequencies_), std::move(second_frequencies_), std::move(segments_)}));
  }
  if (!recorder_ || options_.trace == "-") return;
  try {
    const Plan& forward = plan(Direction::forward);
    write_file(trace_name(options_.trace, forward, communicator_->rank),
               trace_file(trace(), forward));
  } catch (const std::exception&) {
    // A trace that cannot be written is not worth a program.
  }
}

/// Local, where no rank uses them.
template <class T>
void TransformCore<T>::close_segments() {
  candidates_.clear();
  communicator_->watchdog->attach(nullptr);
  segments_.reset();
}

/// Collective. Where segments cannot be had, messages carry the same plan.
template <class T>
void TransformCore<T>::open_segments() {
  const auto goes_by_messages = [](const Candidate& candidate) {
    return holding_of(candidate.plans.front()) == Holding::buffers;
  };
  bool any = false;
  bool fits = true;  // what plans take for nodes has to be what the ranks are on
  for (const Candidate& candidate : candidates_) {
    if (goes_by_messages(candidate)) continue;
    any = true;
    fits = fits && runs_on(candidate.plans.front(),
                           {communicator_->ranks_per_node, communicator_->nodes_in_rows});
  }
  if (!any) return;
  if (fits) {
    communicator_->or_fail(
        [&] { segments_ = comm::SharedSegments::open(communicator_, segment_bytes_); });
  }
  if (!segments_) {
    agree(*communicator_, comm::Verdict::of([&] {
      std::vector<Plan> without;
      for (const Candidate& candidate : candidates_) {
        if (goes_by_messages(candidate)) without.push_back(candidate.plans.front());
      }
      if (without.empty()) without = {plan(Direction::forward).with_method(fallback_method)};
      adopt(without);
    }));
    return;
  }
  communicator_->watchdog->attach(&segments_->sync());
  agree(*communicator_, comm::Verdict::of([&] {
    for (std::size_t which = 0; which < 2; ++which) {
      segment_of_[which].clear();
      for (Index rank = 0; rank < communicator_->size; ++rank) {
        segment_of_[which].push_back(
            reinterpret_cast<exec::Number<T>*>(segments_->segment(which, rank)));
      }
    }
    for (Candidate& candidate : candidates_) {
      for (auto& driver : candidate.drivers) driver->prepare(areas(nullptr, nullptr));
    }
  }));
}

/// Of a convolution: runs it on the chirp itself, and keeps the frequencies where it turns. Arrays
/// are made for that and freed again. Collective.
template <class T>
void TransformCore<T>::make_filter() {
  const Plan& there = plan(Direction::forward);
  if (!there.convolves()) return;
  Buffer in;
  Buffer out;
  const auto room = [&](const State& state) {
    return checked_mul(state.layout.allocated_size(communicator_->rank), state.element.bytes(),
                       "bytes of an array");
  };
  agree(*communicator_, comm::Verdict::of([&] {
    in = Buffer(options_.memory, room(there.states().front()), "an array for planning");
    out = Buffer(options_.memory, room(there.states().back()), "an array for planning");
  }));
  Driver<T>& driver = *candidates_.front().drivers[variant(Direction::forward, false)];
  try {
    typename Driver<T>::Areas where =
        areas(reinterpret_cast<const exec::Number<T>*>(in.view().data),
              reinterpret_cast<exec::Number<T>*>(out.view().data));
    where.makes_filter = true;
    where.turn_factor = exec::Operation<T>::reciprocal(setup_, there.points());
    driver.run(where, exec::Factor<T>{1}, segments_.get());
  } catch (...) {
    driver.abandon();
    communicator_->fail_as_thrown();
  }
  driver.forget_runs();
  channel_->forget_counts();
}

template <class T>
void TransformCore<T>::adopt(const std::vector<Plan>& forward) {
  candidates_.clear();
  for (const Plan& plan : forward) candidates_.push_back({{plan, plan.reversed()}, {}});
  learning_ = {Learning(forward.size()), Learning(forward.size())};
  const Problem& problem = forward.front().problem();
  if (options_.separate_fields) {
    fields_.in.resize(static_cast<std::size_t>(problem.shape[0]));
    fields_.out.resize(fields_.in.size());
  }
  spectrum_.emplace(problem, options_.lengths);
  for (const Scaling scaling :
       {Scaling::none, Scaling::by_n, Scaling::by_sqrt_n, Scaling::by_n_forward}) {
    // Not all numbers have a root; that is an error where it is asked for.
    if (!has_roots<T> && scaling == Scaling::by_sqrt_n && scaling != options_.scaling) continue;
    factors_[static_cast<std::size_t>(scaling)] =
        factors<T>(setup_, scaling, problem.logical_size());
  }
  const Index rank = communicator_->rank;
  holds_ = std::any_of(forward.front().states().begin(), forward.front().states().end(),
                       [&](const State& state) {
                         return rank < state.layout.ranks() && state.layout.local_size(rank) > 0;
                       });
  const auto bytes = static_cast<Index>(sizeof(exec::Number<T>));
  const Workspace need = workspace_of_all();
  workspace_ =
      Buffer(options_.memory, checked_mul(need.main, bytes, "bytes of workspace"), "workspace");
  transit_ =
      Buffer(options_.memory, checked_mul(need.transit, bytes, "bytes in transit"), "transit");
  filter_ = Buffer(options_.memory, checked_mul(need.filter, bytes, "bytes of a chirp"),
                   "the chirp's frequencies");
  segment_bytes_ = {checked_mul(need.segment, bytes, "bytes of a segment"),
                    checked_mul(need.other_segment, bytes, "bytes of a segment")};
  exec::Workers workers{options_.threads, need.tile};
  tile_ = Buffer(options_.memory,
                 checked_mul(checked_mul(workers.tile, workers.count, "elements of tiles"), bytes,
                             "bytes of tiles"),
                 "tile");
  exec::in_parallel(workers.count, [](Index, Index) {});  // threads are made now, not in run()
  if constexpr (exec::Operation<T>::learns) {
    setup_ = {options_.engine_effort,
              communicator_->rank != 0 && options_.engine_effort != Effort::estimate,
              communicator_->vectors};
  }
  engines_ = std::make_unique<exec::EngineSet<T>>(setup_, options_.memory);
  comm::Limits limits;
  if (options_.message_bytes > 0) limits.most_bytes = options_.message_bytes;
  limits.large_counts = options_.large_counts;
  channel_ = std::make_shared<comm::Channel>(communicator_, limits);
  if (options_.progress_thread && !progress_thread_) {
    progress_thread_ = std::make_shared<comm::ProgressThread>(*communicator_->watchdog);
  }
  const Carriers carriers{communicator_, limits, channel_,
                          forward.front().largest_local_size() <= limits.most_by_int() / bytes,
                          progress_thread_};
  for (Candidate& candidate : candidates_) make_drivers(candidate, carriers, workers);
  record();
}

/// What the most demanding of all candidates takes: one runs at a time.
template <class T>
Workspace TransformCore<T>::workspace_of_all() const {
  Workspace need;
  for (const Candidate& candidate : candidates_) {
    for (const Plan& plan : candidate.plans) {
      for (const bool in_place : {false, true}) {
        const Workspace here = workspace(plan, schedule(plan, in_place, options_.separate_fields),
                                         communicator_->rank);
        need.main = std::max(need.main, here.main + here.spill);
        need.segment = std::max(need.segment, here.segment);
        need.other_segment = std::max(need.other_segment, here.other_segment);
        need.transit = std::max(need.transit, here.transit);
        need.filter = std::max(need.filter, here.filter);
        need.tile = std::max(need.tile, here.tile);
      }
    }
  }
  return need;
}

template <class T>
void TransformCore<T>::make_drivers(Candidate& candidate, const Carriers& carriers,
                                    const exec::Workers& workers) {
  auto* const tile = reinterpret_cast<exec::Number<T>*>(tile_.view().data);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const bool in_place : {false, true}) {
      const Plan& plan = candidate.plans[static_cast<std::size_t>(direction)];
      candidate.drivers[variant(direction, in_place)] = std::make_unique<Driver<T>>(
          exec::Executor<T>(plan, {in_place, options_.separate_fields}, communicator_->rank,
                            *engines_, tile, workers),
          carriers, areas(nullptr, nullptr));
    }
  }
}

template <class T>
typename Driver<T>::Areas TransformCore<T>::areas(const exec::Number<T>* in,
                                                  exec::Number<T>* out) const {
  return {in,
          out,
          reinterpret_cast<exec::Number<T>*>(workspace_.view().data),
          reinterpret_cast<exec::Number<T>*>(transit_.view().data),
          reinterpret_cast<exec::Number<T>*>(tile_.view().data),
          {segment_of_[0], segment_of_[1]},
          nullptr,
          nullptr,
          exec::Factor<T>{1},
          reinterpret_cast<exec::Number<T>*>(filter_.view().data)};
}

template <class T>
Index TransformCore<T>::field_bytes(const State& state) const {
  return state.layout.allocated_size(communicator_->rank) / static_cast<Index>(fields_.in.size()) *
         state.element.bytes();
}

/// The fields of arrays in which they lie one behind the other.
template <class T>
void TransformCore<T>::spread_fields(Direction direction, const exec::Number<T>* in,
                                     exec::Number<T>* out) {
  const std::vector<State>& states = plan(direction).states();
  const auto count = static_cast<Index>(fields_.in.size());
  const Index from = field_bytes(states.front());
  const Index to = field_bytes(states.back());
  for (Index field = 0; field < count; ++field) {
    const auto at = static_cast<std::size_t>(field);
    fields_.in[at] = reinterpret_cast<const exec::Number<T>*>(
        reinterpret_cast<const std::byte*>(in) + field * from);
    fields_.out[at] =
        reinterpret_cast<exec::Number<T>*>(reinterpret_cast<std::byte*>(out) + field * to);
  }
}

template <class T>
void TransformCore<T>::run_fields(Direction direction, std::span<const void* const> in,
                                  std::span<void* const> out, std::optional<Scaling> scaling) {
  require_scaling<T>(scaling);
  const comm::Call call(*communicator_, "run", options_.deadline);
  for (std::size_t i = 0; i < in.size(); ++i) {
    fields_.in[i] = static_cast<const exec::Number<T>*>(in[i]);
    fields_.out[i] = static_cast<exec::Number<T>*>(out[i]);
  }
  drive(direction, fields_.in.front(), fields_.out.front(), scaling);
}

template <class T>
void TransformCore<T>::run(Direction direction, const exec::Number<T>* in, exec::Number<T>* out,
                           std::optional<Scaling> scaling) {
  require_scaling<T>(scaling);
  const comm::Call call(*communicator_, "run", options_.deadline);
  if (options_.separate_fields) spread_fields(direction, in, out);
  drive(direction, in, out, scaling);
}

template <class T>
void TransformCore<T>::run_unbound(Direction direction, const Given& in, const Given& out,
                                   std::optional<Scaling> scaling) {
  const comm::Call call(*communicator_, "run", options_.deadline);
  try {
    require_scaling<T>(scaling);
    validate_buffers(direction, in, out);
  } catch (...) {
    communicator_->fail_as_thrown();
  }
  const auto* const from = static_cast<const exec::Number<T>*>(in.data);
  // What is written to was given as such.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* const to = static_cast<exec::Number<T>*>(const_cast<void*>(out.data));
  if (options_.separate_fields) spread_fields(direction, from, to);
  drive(direction, from, to, scaling);
}

/// A core of its own, whose frequencies lie wherever that is cheapest. Collective.
template <class T>
void TransformCore<T>::make_turning() {
  const Plan& forward = plan(Direction::forward);
  AskedTransform<T> asked{{forward.problem().shape, options_}, setup_, true};
  Options& options = asked.given.options;
  options.separate_fields = false;
  options.in = forward.input();
  options.out.reset();
  options.plan.reset();
  options.plan_wisdom.clear();
  options.plan_effort = PlanEffort::estimate;
  options.adaptive = false;
  turning_ = make(
      communicator_->comm, forward.problem().kind, [&] { return asked; }, &*communicator_);
  if (turning_->plan(Direction::forward).round_trip()) return;
  const comm::Call call(*turning_->communicator_, "make memory", options_.deadline);
  agree(*turning_->communicator_, comm::Verdict::of([&] {
    turning_->frequencies_ = turning_->room_for_frequencies(turning_->frequency_parts_);
  }),
        turning_->intent("apply", 6));
}

template <class T>
Buffer TransformCore<T>::room_for_frequencies(std::vector<LocalPart>& parts) const {
  const State& last = plan(Direction::forward).states().back();
  parts = last.layout.parts(communicator_->rank);
  return Buffer(options_.memory,
                checked_mul(last.layout.allocated_size(communicator_->rank), last.element.bytes(),
                            "bytes of frequencies"),
                "frequencies");
}

/// Of a core for apply(): what it takes for two inputs. The same plan without a turn ends where the
/// other turns, so a rank has the same frequencies of both. Collective.
template <class T>
void TransformCore<T>::make_second() {
  if (has_second_) return;
  const Plan& there = plan(Direction::forward);
  if (there.round_trip()) {
    AskedTransform<T> asked{{there.problem().shape, options_}, setup_, false};
    straight_ = make(
        communicator_->comm, there.problem().kind, [&] { return asked; }, &*communicator_);
  }
  const comm::Call call(*communicator_, "make memory", options_.deadline);
  agree(*communicator_, comm::Verdict::of([&] {
    second_frequencies_ = straight().room_for_frequencies(second_parts_);
  }),
        intent("apply to two arrays", 9));
  has_second_ = true;
}

template <class T>
void TransformCore<T>::apply(const Given& in, const Given& out, const RowWork& work) {
  if (!turning_) make_turning();
  turning_->turn(in, out, work);
}

template <class T>
void TransformCore<T>::apply(const Given& in, const Given& second, const Given& out,
                             const RowPairWork& work) {
  if (!turning_) make_turning();
  turning_->make_second();
  turning_->turn(in, second, out, work);
}

template <class T>
void TransformCore<T>::validate_turn(const Given& in, const Given& out, bool has_work) const {
  const State& ends = plan(Direction::forward).states().front();
  if (!has_work) throw InvalidOption("there is no function to apply; pass one");
  validate_between(ends, ends, true, in, out);
}

/// The part that holds an index. There is one.
inline const LocalPart& part_with(const std::vector<LocalPart>& parts, const MultiIndex& index) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const LocalPart& part) {
    for (std::size_t a = 0; a < part.indices.size(); ++a) {
      if (!part.indices[a].contains(index[a])) return false;
    }
    return true;
  });
  if (found == parts.end()) throw InternalError("frequencies of two arrays are not alike");
  return *found;
}

template <class T>
void TransformCore<T>::turn(const Given& in, const Given& second, const Given& out,
                            const RowPairWork& work) {
  {
    // What is wrong on one rank, the others learn where they wait first.
    const comm::Call call(*straight().communicator_, "apply", options_.deadline);
    try {
      validate_turn(in, out, static_cast<bool>(work));
      validate_turn(second, out, true);
    } catch (...) {
      straight().communicator_->fail_as_thrown();
    }
    straight().drive(Direction::forward, static_cast<const exec::Number<T>*>(second.data),
                     reinterpret_cast<exec::Number<T>*>(second_frequencies_.view().data), {});
  }
  turn(in, out, [this, &work](void* data, Index size, Index stride, const RowIndices& indices) {
    const MultiIndex first = indices.index(0);
    const LocalPart& part = part_with(second_parts_, first);
    Index offset = part.offset;
    for (std::size_t a = 0; a < part.indices.size(); ++a) {
      offset += part.indices[a].place(first[a]) * part.strides[a];
    }
    const std::size_t along = indices.axis();
    const Index element = straight().plan(Direction::forward).states().back().element.bytes();
    work(data, size, stride, indices, second_frequencies_.view().data + offset * element,
         part.strides[along] * (indices.step() / part.indices[along].step));
  });
}

template <class T>
void TransformCore<T>::turn(const Given& in, const Given& out, const RowWork& work) {
  const comm::Call call(*communicator_, "apply", options_.deadline);
  const Plan& there = plan(Direction::forward);
  try {
    validate_turn(in, out, static_cast<bool>(work));
  } catch (...) {
    communicator_->fail_as_thrown();
  }
  const auto* const from = static_cast<const exec::Number<T>*>(in.data);
  // What is written to was given as such.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* const to = static_cast<exec::Number<T>*>(const_cast<void*>(out.data));
  if (there.round_trip()) return drive(Direction::forward, from, to, {}, &work);
  auto* const between = reinterpret_cast<exec::Number<T>*>(frequencies_.view().data);
  drive(Direction::forward, from, between, {});
  try {
    communicator_->watchdog->at("work on frequencies");
    const State& last = there.states().back();
    RowCursor row(frequency_parts_, last.layout.order(), &*spectrum_);
    for (; row.size() > 0; row.next()) {
      work(frequencies_.view().data + row.offset() * last.element.bytes(), row.size(), row.stride(),
           row.indices());
    }
  } catch (...) {
    communicator_->fail_as_thrown();
  }
  drive(Direction::backward, between, to, {});
}

template <class T>
void TransformCore<T>::drive(Direction direction, const exec::Number<T>* in, exec::Number<T>* out,
                             std::optional<Scaling> scaling, const RowWork* work) {
  const auto way = static_cast<std::size_t>(direction);
  Learning& learning = learning_[way];
  Driver<T>& driver = *candidates_[learning.current()].drivers[variant(direction, in == out)];
  const auto by = static_cast<std::size_t>(scaling.value_or(options_.scaling));
  try {
    const double begin = learning.done() ? 0. : Recorder::now();
    typename Driver<T>::Areas where = areas(in, out);
    where.input_fields = fields_.in;
    where.output_fields = fields_.out;
    exec::Factor<T> factor = factors_[by][way];
    if (work != nullptr) {
      where.work = work;
      where.spectrum = &*spectrum_;
      where.turn_factor = factor;
      factor = factors_[by][static_cast<std::size_t>(Direction::backward)];
    }
    driver.run(where, factor, segments_.get());
    if (!learning.done()) learn(learning, Recorder::now() - begin);
  } catch (...) {
    driver.abandon();
    communicator_->fail_as_thrown();
  }
}

/// Behind a run of what learns: a reduction of at most 40 bytes every few runs.
template <class T>
void TransformCore<T>::learn(Learning& learning, double seconds) {
  learning.add(holds_ ? std::optional(seconds) : std::nullopt);
  if (!learning.due()) return;
  communicator_->watchdog->at("comparing what candidates took");
  comm::all_reduce(*communicator_, learning.figures(), MPI_MIN);
  learning.decide();
}

template <class T>
std::string TransformCore<T>::learned(Direction direction) const {
  const auto way = static_cast<std::size_t>(direction);
  const Learning& learning = learning_[way];
  std::vector<LearnedPlan> plans;
  for (std::size_t i = 0; candidates_.size() > 1 && i < candidates_.size(); ++i) {
    plans.push_back({candidates_[i].plans[way], learning.seconds(i), learning.chosen() == i});
  }
  return measured_ + learned_text(plans, learning.runs(), learning.done());
}

template <class T>
Timings TransformCore<T>::timings(Direction direction) const {
  const auto took = [&](bool in_place) -> const std::vector<exec::RollingMedian>& {
    const Candidate& chosen = candidates_[learning_[static_cast<std::size_t>(direction)].chosen()];
    return chosen.drivers[variant(direction, in_place)]->took();
  };
  const auto runs = [&](bool in_place) {
    return took(in_place).empty() ? 0 : took(in_place).front().count();
  };
  Timings result;
  result.in_place = runs(true) > runs(false);
  result.runs = runs(result.in_place);
  for (const exec::RollingMedian& stage : took(result.in_place))
    result.stages.push_back(stage.median());
  return result;
}

template <class T>
void TransformCore<T>::require_fitting(Direction direction,
                                       const std::function<BothGiven()>& memory) const {
  const comm::Call call(*communicator_, "bind", options_.deadline);
  const bool forward = direction == Direction::forward;
  agree(*communicator_, comm::Verdict::of([&] {
    const auto [in, out] = memory();
    validate_buffers(direction, in, out);
  }),
        forward ? intent("bind forward", 2) : intent("bind backward", 3));
}

/// True where two parts of memory have nothing in common.
inline bool apart(const void* a, Index a_bytes, const void* b, Index b_bytes) {
  const auto* const first = static_cast<const std::byte*>(a);
  const auto* const second = static_cast<const std::byte*>(b);
  const std::less<> before;
  return a_bytes == 0 || b_bytes == 0 || !before(second, first + a_bytes) ||
         !before(first, second + b_bytes);
}

template <class T>
std::shared_ptr<const FieldMemory> TransformCore<T>::bound_fields(
    Direction direction, const std::function<FieldMemory()>& fields) const {
  const comm::Call call(*communicator_, "bind", options_.deadline);
  const bool forward = direction == Direction::forward;
  std::shared_ptr<const FieldMemory> memory;
  agree(*communicator_, comm::Verdict::of([&] {
    memory = std::make_shared<const FieldMemory>(fields());
    validate_fields(direction, *memory);
  }),
        forward ? intent("bind fields forward", 7) : intent("bind fields backward", 8));
  return memory;
}

template <class T>
void TransformCore<T>::validate_fields(Direction direction, const FieldMemory& memory) const {
  require_direction(direction);
  if (!options_.separate_fields) {
    throw InvalidOption(
        "fields have pointers of their own only where Options::separate_fields "
        "(in C: separate_fields) says so; set it, or bind one array");
  }
  const std::vector<const void*>& in = memory.in;
  const std::vector<void*>& out = memory.out;
  const std::vector<State>& states = plan(direction).states();
  const std::size_t fields = fields_.in.size();
  if (in.size() != fields || out.size() != fields || memory.in_elements.size() != fields ||
      memory.out_elements.size() != fields) {
    throw InvalidBuffer(std::to_string(in.size()) + " and " + std::to_string(out.size()) +
                        " fields, and axis 0 has " + std::to_string(fields) +
                        "; give a pointer for each, to the input and to the output");
  }
  const Index from = field_bytes(states.front());
  const Index to = field_bytes(states.back());
  for (std::size_t i = 0; i < fields; ++i) {
    validate_between(states.front(), states.back(), direction == Direction::forward,
                     {in[i], memory.in_elements[i]}, {out[i], memory.out_elements[i]},
                     static_cast<Index>(fields));
    if ((in[i] == out[i]) != (in[0] == out[0])) {
      throw InvalidBuffer("some fields are in place and some are not; make them all alike");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (apart(out[i], to, out[j], to) && apart(in[i], from, out[j], to) &&
          apart(in[j], from, out[i], to)) {
        continue;
      }
      throw InvalidBuffer("fields " + std::to_string(j) + " and " + std::to_string(i) +
                          " overlap; keep them apart");
    }
  }
}

template <class T>
void TransformCore<T>::require_direction(Direction direction) {
  if (direction != Direction::forward && direction != Direction::backward) {
    // Which of both it was in C, only the rank where it was found can know.
    throw InvalidOption(
        "a direction is forward or backward; in C, the pointer for the handle must not be NULL "
        "either");
  }
}

template <class T>
void TransformCore<T>::validate_buffers(Direction direction, const Given& in,
                                        const Given& out) const {
  require_direction(direction);
  const std::vector<State>& states = plan(direction).states();
  validate_between(states.front(), states.back(), direction == Direction::forward, in, out);
}

/// Of arrays in these two states; `forward`: the first is the input of the transform.
template <class T>
void TransformCore<T>::validate_between(const State& first, const State& last, bool forward,
                                        const Given& in, const Given& out, Index fields) const {
  const Layout& from = first.layout;
  const Layout& to = last.layout;
  const Index rank = communicator_->rank;
  const bool in_place = in.data == out.data;
  const auto require = [&](const Given& given, const Layout& layout, bool reads) {
    const std::string which = reads ? "the input" : "the output";
    // Backward reads what forward writes.
    const std::string side = reads == forward ? "input" : "output";
    if (given.layout != nullptr && !in_place && *given.layout != layout) {
      throw InvalidBuffer(which + " is an array in layout '" + given.layout->summary() +
                          "', and is to be in '" + layout.summary() +
                          "'; are input and output exchanged?");
    }
    const Index needed = layout.allocated_size(rank) / fields;
    if (static_cast<Index>(given.size) < needed) {
      throw InvalidBuffer(which + " has " + std::to_string(given.size) +
                          " elements, this rank's part " + (fields > 1 ? "of a field " : "") +
                          "takes " + std::to_string(needed) + "; allocate " + side +
                          "_layout().allocated_size(rank()) elements" +
                          (fields > 1 ? " for all fields" : ", or take make_" + side + "()") +
                          " (in C: kallima_allocated_size of KALLIMA_" +
                          (side == "input" ? "INPUT" : "OUTPUT") + ")");
    }
    if (needed > 0 && given.data == nullptr) {
      throw InvalidBuffer(which + " is null, this rank's part has " + std::to_string(needed) +
                          " elements");
    }
    if (reinterpret_cast<std::uintptr_t>(given.data) % alignof(exec::Number<T>) != 0) {
      throw InvalidBuffer(which + " is not aligned to " + std::to_string(alignof(exec::Number<T>)) +
                          " bytes");
    }
  };
  require(in, from, true);
  require(out, to, false);
  if (in_place) {
    // Those of padded rows are padding.
    const auto margins = [&](const State& state) {
      return state.layout.has_margins() && !(options_.padded && !state.element.complex);
    };
    if ((margins(first) || margins(last)) && in.data != nullptr && from != to) {
      throw InvalidBuffer(
          "in place, margins would be overwritten where input and output have different layouts; "
          "transform out of place, or between equal layouts");
    }
    // Elements of either side, and of the larger part in them.
    const Index in_room = static_cast<Index>(in.size) * first.element.bytes();
    const Index out_room = static_cast<Index>(out.size) * last.element.bytes();
    const Index most = std::max(from.allocated_size(rank) * first.element.bytes(),
                                to.allocated_size(rank) * last.element.bytes()) /
                       fields;
    if (in.data != nullptr && std::min(in_room, out_room) < most) {
      throw InvalidBuffer("in place, input and output have " + std::to_string(in.size) + " and " +
                          std::to_string(out.size) + " elements; both must hold the larger part, " +
                          std::to_string(ceil_div(most, first.element.bytes())) + " and " +
                          std::to_string(ceil_div(most, last.element.bytes())) +
                          ": allocate in_place_size() (in C: kallima_in_place_size)");
    }
    return;
  }
  const Index in_bytes = from.allocated_size(rank) * first.element.bytes() / fields;
  const Index out_bytes = to.allocated_size(rank) * last.element.bytes() / fields;
  if (!apart(in.data, in_bytes, out.data, out_bytes)) {
    throw InvalidBuffer(
        "input and output overlap without being the same; make them equal or keep them apart");
  }
}

template <class T>
CommStatistics TransformCore<T>::statistics() const {
  CommStatistics moved = statistics_of(channel_->counters());
  for (const std::shared_ptr<TransformCore>& part : {turning_, straight_}) {
    if (!part) continue;
    const CommStatistics more = part->statistics();
    moved.bytes_sent += more.bytes_sent;
    moved.bytes_received += more.bytes_received;
    moved.messages_sent += more.messages_sent;
    moved.messages_received += more.messages_received;
    moved.exchanges += more.exchanges;
  }
  return moved;
}

template <class T>
Index TransformCore<T>::in_place_size() const {
  const std::vector<State>& states = plan(Direction::forward).states();
  const bool complex = states.front().element.complex || states.back().element.complex;
  const auto room = [&](const State& state) {
    const Index size = state.layout.allocated_size(communicator_->rank);
    return complex ? in_complex(size, state.element) : size;
  };
  return std::max(room(states.front()), room(states.back()));
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
#include "api/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "api/learning.hpp"
#include "api/probe.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "exchange/method.hpp"
#include "exec/threads.hpp"
#include "fft/cache.hpp"
#include "kallima/error.hpp"
#include "kallima/plan_wisdom.hpp"
#include "machine/network_here.hpp"
#include "plan/flaw.hpp"
#include "planner/fits.hpp"
#include "schedule/schedule.hpp"

namespace kallima {

namespace {

/// More than any node has cores.
constexpr Index most_threads = 4096;

std::string_view name_of(Scaling scaling) {
  switch (scaling) {
    case Scaling::none:
      return "none";
    case Scaling::by_n:
      return "by_n";
    case Scaling::by_sqrt_n:
      return "by_sqrt_n";
    case Scaling::by_n_forward:
      return "by_n_forward";
  }
  return "unknown";
}

std::string_view name_of(Effort effort) {
  switch (effort) {
    case Effort::estimate:
      return "estimate";
    case Effort::measure:
      return "measure";
    case Effort::patient:
      return "patient";
  }
  return "unknown";
}

std::string_view name_of(PlanEffort effort) {
  return effort == PlanEffort::measure ? "measure" : "estimate";
}

/// A plan of another's, by what goes anywhere where its methods cannot be had.
Plan by_what_there_is(const Plan& plan, const PlanRequest& request) {
  return runs_on(plan, {request.placement.ranks_per_node, true})
             ? plan
             : plan.with_method(fallback_method);
}

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 120;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

void require_below(int value, int last, const char* what) {
  if (value <= last) return;
  throw InvalidOption(fmt::format("{} has no value {}; use one of its enumerators", what, value));
}

Problem asked_problem(const Shape& shape, Kind kind, Precision precision, const Options& options) {
  Problem problem{shape, precision, kind, options.r2c_axis, options.axes, options.keep};
  if (kind != Kind::r2c || options.r2c_axis >= 0) return problem;
  const auto real = std::find(options.axes.begin(), options.axes.end(), AxisKind::real);
  if (real != options.axes.end()) problem.r2c_axis = static_cast<int>(real - options.axes.begin());
  return problem;
}

PlanRequest checked_request(const Shape& shape, Kind kind, Precision precision, Index ranks,
                            const Options& options) {
  require_known(options.scaling, Scaling::by_n_forward, "scaling");
  require_known(options.engine_effort, Effort::patient, "engine_effort");
  require_known(options.plan_effort, PlanEffort::measure, "plan_effort");
  require_known(options.engine, LineEngine::kernels, "engine");
  if (!(options.planning_seconds >= 0.) || !std::isfinite(options.planning_seconds)) {
    throw InvalidOption(
        fmt::format("planning_seconds is {}; give seconds from 0 on", options.planning_seconds));
  }
  if (!is_method(options.method)) {
    throw InvalidOption(fmt::format("method has no value {}; use one of its enumerators",
                                    static_cast<int>(options.method)));
  }
  if (options.message_bytes < 0) {
    throw InvalidOption(
        fmt::format("messages of at most {} bytes; give at least 1, or 0 for the default",
                    options.message_bytes));
  }
  if (!(options.deadline >= 0.)) {
    throw InvalidOption(
        fmt::format("a deadline of {} s; give seconds, or 0 for none", options.deadline));
  }
  if (options.threads < 1 || options.threads > most_threads) {
    throw InvalidOption(
        fmt::format("{} threads a rank; give 1 to {}", options.threads, most_threads));
  }
  if (options.threads > 1 && !exec::has_threads()) {
    throw InvalidOption(fmt::format(
        "{} threads a rank, and the library is built without OpenMP; give 1, or build it where "
        "CMake finds OpenMP",
        options.threads));
  }
  PlanRequest request;
  request.problem = asked_problem(shape, kind, precision, options);
  request.ranks = ranks;
  request.method = options.method;
  request.engine = options.engine;
  request.chunks = options.chunks;
  request.padded = options.padded;
  if (kind != Kind::r2c && options.r2c_axis >= 0) {
    throw InvalidOption(
        fmt::format("r2c_axis is {}, but only of r2c half the frequencies are kept; leave it out, "
                    "or use a RealTransform",
                    options.r2c_axis));
  }
  if (options.tile_bytes != 0) request.tile_bytes = options.tile_bytes;
  validate(request);  // shape and r2c axis, which layouts are read for
  request.in = options.in.for_shape(shape);
  request.out = options.out.for_shape(request.problem.frequency_shape());
  validate(request);
  const std::string flaw = options.plan ? flaw_of(*options.plan) : std::string();
  if (!flaw.empty()) {
    throw InvalidOption("the plan cannot be run: " + flaw + "; leave it out, or make it anew");
  }
  if (!options.lengths.empty() && options.lengths.size() != shape.size()) {
    throw InvalidOption(fmt::format("{} box lengths for {} axes; give one per axis or none",
                                    options.lengths.size(), shape.size()));
  }
  for (const double length : options.lengths) {
    if (!std::isfinite(length) || length <= 0.0) {
      throw InvalidOption(fmt::format("box length {}; lengths are positive", length));
    }
  }
  return request;
}

void require_fields(const Plan& plan) {
  const AxisKind kind = plan.problem().axis_kind(0);
  const std::string name = axis_names(plan.problem().shape.size())[0];
  if (kind != AxisKind::batch && kind != AxisKind::none) {
    throw InvalidOption(
        fmt::format("separate_fields, and axis {} is {}; make it a batch, which counts the fields",
                    name, name_of(kind)));
  }
  for (const Layout& layout : {plan.input(), plan.output()}) {
    if (!layout.several_boxes() && layout.whole(0) && layout.order().front() == 0 &&
        layout.margin(0) == Margin{}) {
      continue;
    }
    throw InvalidOption(fmt::format(
        "separate_fields, and layout '{}'; every rank has to hold all of axis {}, slowest in "
        "memory, without margins and in one box",
        layout.summary(), name));
  }
}

std::string request_fingerprint(const PlanRequest& request, const Options& options) {
  return fmt::format(
      "problem {}\ninput layout {}\noutput layout {}\nscaling {}\nengine {}\nengine effort "
      "{}\nplan "
      "effort "
      "{}\nplanning seconds {}\nadaptive {}\nmethod {}\n"
      "chunks {}\nprogress thread {}\ndeadline {}\nbox lengths {}\nthreads {}\ntile bytes "
      "{}\nmessage bytes "
      "{}\nlarge "
      "counts {}\n"
      "padded rows {}\nseparate fields {}\nmachine {}\nplan {}\nplan wisdom {}\n",
      request.problem.to_text(), request.in ? request.in->to_text() : "any",
      request.out ? request.out->to_text() : "any", name_of(options.scaling),
      name_of(options.engine), name_of(options.engine_effort), name_of(options.plan_effort),
      options.planning_seconds, options.adaptive, name_of(options.method), options.chunks,
      options.progress_thread, options.deadline, options.lengths, options.threads,
      options.tile_bytes, options.message_bytes, options.large_counts, options.padded,
      options.separate_fields, options.machine ? text::hex(options.machine->hash()) : "any",
      options.plan ? text::hex(options.plan->hash()) : "any", options.plan_wisdom);
}

void require_same(const std::string& mine, const std::string& root, int rank) {
  if (mine == root) return;
  const std::vector<std::string> ours = text::split(mine, '\n');
  const std::vector<std::string> theirs = text::split(root, '\n');
  std::size_t line = 0;
  while (line + 1 < std::min(ours.size(), theirs.size()) && ours[line] == theirs[line]) ++line;
  throw MismatchedArguments(fmt::format(
      "ranks asked for different transforms: rank {} for '{}', rank 0 for '{}'; pass the same "
      "arguments on every rank",
      rank, shortened(ours[line]), shortened(theirs[line])));
}

PlanRequest placed(PlanRequest request, const Options& options,
                   const comm::Communicator& communicator) {
  // Of a cache five eighths: the rest is for what a tile is gathered from and scattered to.
  const Index cache = options.tile_bytes == 0 ? fft::second_cache_bytes() : 0;
  if (cache > 0) request.tile_bytes = cache / 8 * 5;
  const char* const shared = std::getenv("KALLIMA_SHARED");
  const bool off = shared != nullptr && std::string_view(shared) == "off";
  const NodesHere here =
      off ? NodesHere{} : NodesHere{communicator.ranks_on_node, communicator.nodes_in_rows};
  request.placement.ranks_per_node = here.ranks_per_node;
  if (communicator.vectors == Vectors::none && !request.problem.of_words()) {
    if (!has_engine(LineEngine::fftw)) {
      throw EngineFailure(
          "a rank's processor has none of the vector instructions that kernels are written for "
          "(SSE4, AVX2, AVX-512, NEON), and this Kallima was built without FFTW; build it with "
          "-DKALLIMA_FFTW=ON");
    }
    request.engine = LineEngine::fftw;
  }
  if (request.method != ExchangeMethod::any &&
      !method_of(request.method).fits(request.ranks, request.placement, here)) {
    request.method = fallback_method;
  }
  const Machine machine = options.machine ? *options.machine : default_machine();
  request.machine = std::make_shared<const Machine>(
      assumes_links(machine, communicator) ? with_network(machine, network_here()) : machine);
  return request;
}

TuneOptions measuring_options(double seconds) {
  constexpr double within = 0.5;  // of prices on assumed figures
  return {within, TuneOptions().runs, static_cast<Index>(Learning::most_candidates), seconds};
}

ChosenPlan chosen_plan(const PlanRequest& request, const Options& options) {
  if (options.plan && !has_engines(*options.plan)) {
    throw InvalidOption(
        "lines of the plan are transformed by FFTW, without which this Kallima was built; leave "
        "the plan out, or build Kallima with -DKALLIMA_FFTW=ON");
  }
  if (options.plan && !fits(*options.plan, request)) {
    const Plan& plan = *options.plan;
    throw InvalidOption(fmt::format(
        "the plan is one of {} {} on {}, not of {} forward on {} between the layouts that are "
        "asked for; leave it out, or plan for them",
        plan.problem().to_text(), plan.direction() == Direction::forward ? "forward" : "backward",
        text::plural(plan.ranks(), "rank"), request.problem.to_text(),
        text::plural(request.ranks, "rank")));
  }
  if (options.plan) return {by_what_there_is(*options.plan, request), false};
  const bool measures = options.plan_effort == PlanEffort::measure && options.tile_bytes == 0;
  // Tiles of a size of one's own are not what was measured.
  if (!options.plan_wisdom.empty() && options.tile_bytes == 0) {
    // What is measured may be the first that the file is to remember.
    const bool fresh = measures && !is_there(options.plan_wisdom);
    const PlanWisdom wisdom = fresh ? PlanWisdom() : read_plan_wisdom(options.plan_wisdom);
    const std::optional<Plan> found = wisdom.find(request, *request.machine);
    if (found) return {by_what_there_is(*found, request), false};
  }
  return {make_plan(request), measures};
}

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// `kallima simulate`: the library on simulated ranks, and programs of processors and messages in
// the models that price them. Never starts MPI.
#include "simulate.hpp"

#include "options.hpp"

namespace kallima::cli {

namespace {

Activity activity_of(butterfly::Activity::Kind kind) {
  using Kind = butterfly::Activity::Kind;
  switch (kind) {
    case Kind::compute:
      return Activity::compute;
    case Kind::wait:
      return Activity::wait;
    case Kind::send:
      return Activity::send;
    case Kind::receive:
      return Activity::receive;
  }
  return Activity::wait;
}

}  // namespace

Timeline timeline_of(const std::string& title, const std::string& note,
                     const butterfly::Program& program, const butterfly::Network& network,
                     const butterfly::Outcome& outcome) {
  constexpr Index drawn = 16;  // more cannot be told apart
  Timeline timeline{title, note, {}};
  if (program.procs() > drawn) timeline.title += ", of which 16 are drawn";
  const bool computes = program.work() > 0;  // otherwise all is waiting, which says nothing
  for (const butterfly::Activity& each : activities_of(program, network, outcome, drawn)) {
    if (!computes && each.kind == butterfly::Activity::Kind::wait) continue;
    TraceEvent event;
    event.rank = each.proc;
    event.activity = activity_of(each.kind);
    event.name = each.name;
    event.begin = each.begin;
    event.end = each.end;
    timeline.events.push_back(event);
  }
  return timeline;
}

void add_simulate(Command program, Action& chosen) {
  Command command = program.add_subcommand(
      "simulate", "Run a transform, or schedules of messages, on ranks that are not there; no MPI");
  add_simulate_platform(command, chosen);
  add_simulate_butterfly(command, chosen);
  add_simulate_collective(command, chosen);
}

}  // namespace kallima::cli

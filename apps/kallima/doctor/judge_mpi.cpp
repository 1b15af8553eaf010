// SPDX-License-Identifier: BSD-3-Clause
//
// What MPI can do: counts, progress, threads.
#include <fmt/format.h>

#include <algorithm>

#include "verdicts.hpp"

namespace kallima::cli::doctor {

Check judge_large_counts(const Facts& facts) {
  const auto version = [](const std::array<int, 2>& standard) {
    return fmt::format("{}.{}", standard[0], standard[1]);
  };
  if (facts.built != facts.running) {
    return fails("large counts",
                 fmt::format("built with the header of MPI {}, runs with MPI {}",
                             version(facts.built), version(facts.running)),
                 "The program meets another MPI library than it was compiled for. Build it again "
                 "with the MPI that is loaded now, or load the other: `ldd $(which kallima)`.");
  }
  return good("large counts",
              fmt::format("MPI {}: messages above 2 GiB go {}", version(facts.running),
                          facts.large_counts ? "in one call" : "in parts"));
}

Check judge_progress(const Facts& facts) {
  const char* const name = "progress";
  if (facts.ranks.size() < 2) return cannot_tell(name, "needs two ranks");
  if (facts.overlaps.empty()) {
    return cannot_tell(name, oversubscribed(facts) ? "more ranks than cores" : "not measured");
  }
  const auto worst =
      std::min_element(facts.overlaps.begin(), facts.overlaps.end(),
                       [](const Overlap& a, const Overlap& b) { return a.moved < b.moved; });
  const std::string found = fmt::format(
      "{:.0f} % of a large message moves while ranks {} and {} compute ({})", 100 * worst->moved,
      worst->from, worst->to, worst->same_node ? "one node" : "two nodes");
  if (worst->moved > 0.5) return good(name, found);
  const std::string fix = by_family(
      facts.family,
      "Open MPI moves large messages only inside MPI calls, and has no setting for it on shared "
      "memory or TCP. Between nodes with a fast network take UCX, which leaves it to the hardware: "
      "`mpirun --mca pml ucx`. ",
      "`MPIR_CVAR_ASYNC_PROGRESS=1` in the environment starts a thread for it in each rank; leave "
      "a "
      "core free for each. ",
      "See its manual for asynchronous progress. ");
  return hurts(
      name, found,
      fix + (worst->same_node
                 ? "Between ranks of a node shared memory needs none: keep it (`--method any`)."
                 : "Do not count on hiding messages behind computation of your own."));
}

Check judge_threads(const Facts& facts) {
  const std::string found =
      fmt::format("asked for {}, MPI gives {}", facts.thread_levels[0], facts.thread_levels[1]);
  if (facts.thread_levels[1] != "single") return good("threads", found);
  return hurts(
      "threads", found,
      "Threads inside a rank are against the rules of this MPI. Keep `Options::threads = 1`, "
      "or build MPI with threads.");
}

Check judge_figures(const Facts& facts) {
  const char* const name = "figures";
  if (!facts.links) {
    return good(name, facts.nodes.size() > 1 ? "links between nodes are as measured or published"
                                             : "one node: no link between nodes is assumed");
  }
  const std::string found =
      fmt::format("links between nodes are taken for {}; a node sends {:.2g} GB/s here",
                  facts.links->taken_for, 1e-9 * facts.links->rate);
  constexpr double worth_it = 0.05;
  if (facts.links->gain < worth_it) return good(name, found);
  return hurts(
      name, found,
      fmt::format(
          "Plans are priced on assumed figures. Measure them once, as your program is "
          "started: `mpirun ... kallima calibrate --quick -o here.toml`, and set "
          "KALLIMA_MACHINE to that file; or let transforms measure: `Options::plan_effort = "
          "PlanEffort::measure`. For {} on these ranks that is expected to gain {:.0f} %.",
          typical_problem, 100. * facts.links->gain));
}

}  // namespace kallima::cli::doctor

// SPDX-License-Identifier: BSD-3-Clause
//
// Where ranks are: launcher, binding, cores for all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "cores.hpp"
#include "verdicts.hpp"

namespace kallima::cli::doctor {

namespace {

std::vector<int> ranks_of_node(const Facts& facts, std::size_t node) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < facts.ranks.size(); ++r) {
    if (static_cast<std::size_t>(facts.ranks[r].node) == node) ranks.push_back(static_cast<int>(r));
  }
  return ranks;
}

const std::vector<int>& cores_of(const Facts& facts, int rank) {
  return facts.ranks[static_cast<std::size_t>(rank)].cores;
}

bool inside(const std::vector<int>& few, const std::vector<int>& many) {
  return std::includes(many.begin(), many.end(), few.begin(), few.end());
}

std::string core_list(const std::vector<int>& cores) {
  return fmt::format("{} {}", cores.size() == 1 ? "core" : "cores", core_ranges(cores));
}

/// Ranks of a node that have fewer cores among them than they are; empty where there are none.
std::vector<int> squeezed(const Facts& facts, const std::vector<int>& ranks) {
  for (const int rank : ranks) {
    std::vector<int> within;
    for (const int other : ranks) {
      if (inside(cores_of(facts, other), cores_of(facts, rank))) within.push_back(other);
    }
    if (within.size() > cores_of(facts, rank).size()) return within;
  }
  return {};
}

std::string rank_list(std::vector<int> ranks) {
  const bool more = ranks.size() > 8;
  if (more) ranks.resize(8);
  return fmt::format("ranks {}{}", fmt::join(ranks, ", "), more ? ", ..." : "");
}

std::string fix_of_binding(Family family) {
  return by_family(
      family,
      "Bind each rank to a core of its own: `mpirun --map-by core --bind-to core` (with T threads "
      "a "
      "rank: `--map-by slot:PE=T`); `--report-bindings` shows the result. A second mpirun on the "
      "same "
      "node binds to the same cores: give it others by `--cpu-set`, or `--bind-to none`. "
      "Under Slurm: `srun --cpu-bind=cores`.",
      "Bind each rank to a core of its own: `mpiexec -bind-to core` (with T threads a rank: "
      "`-bind-to core:T`). Under Slurm: `srun --cpu-bind=cores`.",
      "Bind each rank to a core of its own, by the options of the launcher; under Slurm: "
      "`srun --cpu-bind=cores`.");
}

/// What is to be said of the binding on one node; an empty name where nothing is.
Check binding_of_node(const Facts& facts, std::size_t n) {
  const NodeFacts& node = facts.nodes[n];
  const std::vector<int> ranks = ranks_of_node(facts, n);
  if (ranks.size() < 2) return {};
  for (const int rank : ranks) {
    if (cores_of(facts, rank).empty()) {
      return cannot_tell("binding", fmt::format("no affinity mask of rank {}", rank));
    }
  }
  if (node.ranks > cores_there(node) + 1e-9) {
    return cannot_tell("binding", "more ranks than cores" + on_host(facts, node));
  }
  const std::vector<int> too_close = squeezed(facts, ranks);
  if (!too_close.empty()) {
    return hurts("binding",
                 fmt::format("{} share {}{}", rank_list(too_close),
                             core_list(cores_of(facts, too_close.front())), on_host(facts, node)),
                 fix_of_binding(facts.family));
  }
  const auto wanders = [&](int rank) {
    return static_cast<int>(cores_of(facts, rank).size()) >= node.online;
  };
  const auto loose = std::find_if(ranks.begin(), ranks.end(), wanders);
  if (loose == ranks.end()) return {};
  return hurts("binding",
               fmt::format("rank {} is not bound: it may wander over all {} cores{}", *loose,
                           node.online, on_host(facts, node)),
               fix_of_binding(facts.family));
}

bool limited_by_mask(const NodeFacts& node) {
  return node.allowed > 0 && node.allowed < cores_there(node);
}

bool limited_by_quota(const NodeFacts& node) {
  return !limited_by_mask(node) && node.quota > 0.0 && node.quota < node.online;
}

std::string cores_text(const NodeFacts& node) {
  const double cores = usable_cores(node);
  return fmt::format("{:.3g} {}", cores, cores == 1.0 ? "core" : "cores");
}

std::string why_so_few(const NodeFacts& node) {
  if (limited_by_mask(node)) {
    return fmt::format(" of {}: all ranks have the same affinity mask", node.online);
  }
  return limited_by_quota(node) ? fmt::format(" by the quota in {}", node.quota_file) : "";
}

std::string fix_of_oversubscription(Family family, const NodeFacts& node) {
  const int fits = std::max(1, static_cast<int>(usable_cores(node)));
  const char* const more =
      limited_by_mask(node)
          ? ", or give the job more cores (binding, `taskset`, `sbatch --cpus-per-task`)"
      : limited_by_quota(node)
          ? ", or raise the container's quota (`docker run --cpus`, Kubernetes limits.cpu)"
          : "";
  const std::string how = by_family(
      family,
      fmt::format(
          ": `mpirun --map-by ppr:{}:node`. Where it must be so: `--mca mpi_yield_when_idle 1`.",
          fits),
      fmt::format(": `mpiexec -ppn {}`. MPICH spins while it waits.", fits), ".");
  return fmt::format(
      "Ranks that wait take the time of those that compute. Start at most {} a node{}{}", fits,
      more, how);
}

}  // namespace

double cores_there(const NodeFacts& node) {
  const auto online = static_cast<double>(node.online);
  return node.quota > 0.0 ? std::min(node.quota, online) : online;
}

double usable_cores(const NodeFacts& node) {
  const double there = cores_there(node);
  return node.allowed > 0 ? std::min<double>(node.allowed, there) : there;
}

bool oversubscribed(const NodeFacts& node) {
  return node.online > 0 && node.ranks > usable_cores(node) + 1e-9;
}

bool oversubscribed(const Facts& facts) {
  return std::any_of(facts.nodes.begin(), facts.nodes.end(),
                     [](const NodeFacts& node) { return oversubscribed(node); });
}

Check judge_launcher(const Facts& facts) {
  const auto size = static_cast<int>(facts.ranks.size());
  if (facts.launched > 0 && facts.launched != size) {
    return fails(
        "launcher", fmt::format("it started {} ranks, MPI knows of {}", facts.launched, size),
        fmt::format("The launcher belongs to another MPI than the program ({}): each process "
                    "computes alone. Use the launcher of the same installation: {}.",
                    facts.library,
                    by_family(facts.family,
                              "`mpirun.openmpi` or its full path, under Slurm `srun --mpi=pmix`",
                              "`mpiexec.mpich` or its full path, under Slurm `srun --mpi=pmi2`",
                              "see `ldd $(which kallima)`")));
  }
  if (facts.launched == 0) return good("launcher", "none: one rank");
  return good("launcher", fmt::format("{} of {}", text::plural(size, "rank"), facts.library));
}

Check judge_binding(const Facts& facts) {
  Check unknown;
  for (std::size_t n = 0; n < facts.nodes.size(); ++n) {
    Check check = binding_of_node(facts, n);
    if (check.verdict == Verdict::hurts) return check;
    if (check.verdict == Verdict::cannot_tell) unknown = std::move(check);
  }
  if (!unknown.name.empty()) return unknown;
  const bool alone = facts.ranks.size() == facts.nodes.size();
  return good("binding", alone ? "one rank a node: nobody to get in its way"
                               : "ranks of a node have cores of their own");
}

Check judge_oversubscription(const Facts& facts) {
  const NodeFacts* const full =
      first_node(facts, [](const NodeFacts& node) { return oversubscribed(node); });
  if (full == nullptr) {
    const NodeFacts& node = facts.nodes.front();
    if (node.online <= 0)
      return cannot_tell("oversubscription", "the number of cores is not known");
    const bool threads = node.whole > 0 && node.whole < node.online;
    return good("oversubscription",
                fmt::format("{} on {}{}", text::plural(node.ranks, "rank"), cores_text(node),
                            threads ? fmt::format(", hardware threads of {}", node.whole) : ""));
  }
  return hurts("oversubscription",
               fmt::format("{} ranks on {}{}{}", full->ranks, cores_text(*full), why_so_few(*full),
                           on_host(facts, *full)),
               fix_of_oversubscription(facts.family, *full));
}

}  // namespace kallima::cli::doctor

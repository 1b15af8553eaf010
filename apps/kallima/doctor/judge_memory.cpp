// SPDX-License-Identifier: BSD-3-Clause
//
// Memory: segments, /dev/shm, pages, what is left of it.
#include <fmt/format.h>

#include "base/text.hpp"
#include "verdicts.hpp"

namespace kallima::cli::doctor {

Check judge_segments(const Facts& facts) {
  const NodeFacts* const several =
      first_node(facts, [](const NodeFacts& node) { return node.ranks > 1; });
  if (several == nullptr) return cannot_tell("shared memory", "no two ranks share a node");
  if (facts.shared_off) {
    return hurts("shared memory", "switched off by KALLIMA_SHARED=off",
                 "Ranks of a node send messages to each other. `unset KALLIMA_SHARED`.");
  }
  const NodeFacts* const apart =
      first_node(facts, [](const NodeFacts& node) { return node.ranks > 1 && !node.segments; });
  if (apart != nullptr) {
    return hurts(
        "shared memory",
        fmt::format("ranks cannot map each other's memory{}", on_host(facts, *apart)),
        "Transforms fall back to messages. Ranks must see each other in /proc and may open "
        "each other's files: start them in one container (`--pid=host` where each has its "
        "own), as one user, with /proc mounted without hidepid, with some memory free, and without "
        "a limit of file sizes (`ulimit -f`).");
  }
  const NodeFacts* least = several;
  for (const NodeFacts& node : facts.nodes) {
    if (node.ranks > 1 &&
        node.memory_available / node.ranks < least->memory_available / least->ranks) {
      least = &node;
    }
  }
  if (least->memory_available < 0) return good("shared memory", "ranks of a node share memory");
  return good("shared memory", fmt::format("ranks of a node share memory, {} each available",
                                           text::bytes(least->memory_available / least->ranks)));
}

Check judge_shm(const Facts& facts) {
  // Queues and segments of both families for the ranks of a node, rounded up.
  constexpr Index per_rank = Index{8} << 20;
  const std::string fix = fmt::format(
      "MPI keeps its messages between ranks of a node there, up to {} a rank, and dies of SIGBUS "
      "or "
      "falls back to sockets where it is full. In containers: `docker run --shm-size=1g` (or "
      "`--ipc=host`); elsewhere as root `mount -o remount,size=50% /dev/shm`, and remove what "
      "killed jobs left in it. {}",
      text::bytes(per_rank),
      by_family(facts.family, "Otherwise: `mpirun --mca btl_vader_backing_directory /tmp`.",
                "Otherwise fewer ranks a node.", "Otherwise fewer ranks a node."));
  if (const NodeFacts* const none =
          first_node(facts, [](const NodeFacts& node) { return node.shm_total < 0; })) {
    return hurts("/dev/shm", fmt::format("not there{}", on_host(facts, *none)), fix);
  }
  const NodeFacts* const full = first_node(
      facts, [](const NodeFacts& node) { return node.shm_free < per_rank * node.ranks; });
  const NodeFacts& node = full != nullptr ? *full : facts.nodes.front();
  const std::string found =
      fmt::format("{} free of {} for {}{}", text::bytes(node.shm_free), text::bytes(node.shm_total),
                  text::plural(node.ranks, "rank"), on_host(facts, node));
  return full != nullptr ? hurts("/dev/shm", found, fix) : good("/dev/shm", found);
}

Check judge_huge_pages(const Facts& facts) {
  if (const NodeFacts* const never =
          first_node(facts, [](const NodeFacts& node) { return node.huge == "never"; })) {
    return hurts(
        "huge pages", fmt::format("switched off{}", on_host(facts, *never)),
        "Large arrays lie on pages of 4 KiB, and strided passes miss the TLB. As root: `echo "
        "madvise > /sys/kernel/mm/transparent_hugepage/enabled`; the library asks for them.");
  }
  if (first_node(facts, [](const NodeFacts& node) { return node.huge.empty(); }) != nullptr) {
    return cannot_tell("huge pages", "the system does not say");
  }
  return good("huge pages",
              fmt::format("{}: arrays from the library lie on them", facts.nodes.front().huge));
}

Check judge_shared_huge_pages(const Facts& facts) {
  const char* const name = "huge pages, shared memory";
  if (first_node(facts, [](const NodeFacts& node) { return node.ranks > 1; }) == nullptr) {
    return cannot_tell(name, "no two ranks share a node");
  }
  const auto small = [](const NodeFacts& node) {
    return node.ranks > 1 && (node.huge_shared == "never" || node.huge_shared == "deny" ||
                              node.huge_shared == "advise");
  };
  if (const NodeFacts* const node = first_node(facts, small)) {
    return hurts(
        name,
        fmt::format("{}: segments lie on pages of 4 KiB{}", node->huge_shared,
                    on_host(facts, *node)),
        "Memory that ranks share has a switch of its own. As root: `echo within_size > "
        "/sys/kernel/mm/transparent_hugepage/shmem_enabled`. Without it transforms in "
        "segments miss the TLB more often; `kallima bench` with and without tells how much.");
  }
  if (first_node(facts, [](const NodeFacts& node) { return node.huge_shared.empty(); }) !=
      nullptr) {
    return cannot_tell(name, "the system does not say");
  }
  return good(name, facts.nodes.front().huge_shared);
}

Check judge_memory(const Facts& facts) {
  constexpr Index some = Index{256} << 20;
  if (const NodeFacts* const node =
          first_node(facts, [](const NodeFacts& one) { return one.swap_used > some; })) {
    return hurts(
        "memory",
        fmt::format("{} swapped out{}", text::bytes(node->swap_used), on_host(facts, *node)),
        "Something on the node has more memory than there is; a transform that meets its "
        "swapped pages waits for the disk. End other programs, use more nodes, or as root "
        "`swapoff -a && swapon -a` once there is room.");
  }
  const auto little = [](const NodeFacts& one) {
    return one.memory_available >= 0 && one.memory_available < one.memory_total / 10;
  };
  const NodeFacts* const full = first_node(facts, little);
  const NodeFacts& node = full != nullptr ? *full : facts.nodes.front();
  if (node.memory_available < 0) return cannot_tell("memory", "the system does not say");
  const std::string found = fmt::format("{} available of {}{}", text::bytes(node.memory_available),
                                        text::bytes(node.memory_total), on_host(facts, node));
  if (full == nullptr) return good("memory", found);
  return hurts("memory", found,
               "Less than a tenth is left: arrays and shared memory may not be had. End other "
               "programs on the "
               "node, raise the container's limit, or use more nodes.");
}

}  // namespace kallima::cli::doctor

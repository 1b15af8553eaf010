// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a node tell each other by memory that they share: that they have arrived at a
// barrier, how far they are (marks), and that a call has failed. No MPI: ranks may be processes or,
// in a test, threads.
//
// The barrier has two halves, arrive and wait, so that what lies between costs nobody time. All
// counts only grow, so nobody has to take a mark back, and a late reader misses nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/failure.hpp"

namespace kallima::comm {

class Watchdog;

/// What a mark counts, in a pipelined exchange.
enum class Mark : std::uint8_t {
  computed,  ///< chunks
  arrived    ///< chunks of which everything is there
};

/// One rank's words. The others read them; only the rank itself writes.
struct NodeWords {
  static constexpr std::size_t mark_slots = 2;

  // Apart, so that who polls one is not disturbed by another.
  alignas(64) std::atomic<std::uint64_t> arrivals{0};
  alignas(64) std::array<std::array<std::atomic<std::uint64_t>, mark_slots>, 2> marks{};
  alignas(64) std::atomic<bool> failed{false};
  std::atomic<bool> failing{false};  ///< a thread of the rank writes `failure`, or has
  Failure failure;                   ///< once `failed`
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class NodeSync {
 public:
  NodeSync() = default;
  /// The words of all ranks of the node, of which `mine` are this rank's.
  NodeSync(std::vector<NodeWords*> words, std::size_t mine)
      : words_(std::move(words)), mine_(mine) {}

  /// This rank's earlier reads and writes of shared memory are done.
  void arrive();
  /// Returns when all ranks of the node have arrived as often as this one. What they wrote before
  /// is seen here. Throws as the watchdog does.
  void wait(Watchdog& watchdog) const;

  /// Sets a mark of this rank; what it wrote before is seen by those who read the mark.
  void mark(Mark mark, std::size_t slot, std::uint64_t count);
  /// What this rank has marked.
  [[nodiscard]] std::uint64_t marked(Mark mark, std::size_t slot) const;
  /// The least that any rank of the node has marked.
  [[nodiscard]] std::uint64_t least(Mark mark, std::size_t slot) const;

  /// A call has failed here; the first failure stays. Several threads of the rank may call it.
  void fail(const Failure& failure);
  /// The failure of the first rank of the node that has one, or null.
  [[nodiscard]] const Failure* failure() const;

 private:
  std::vector<NodeWords*> words_;
  std::size_t mine_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace kallima::comm

// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the ranks of a node have in common: each owns two segments, and reads and writes
// those of the others directly. See docs/decisions/0009 for why these are not MPI's windows.
//
// A barrier has two halves, arrive and wait, so that what lies between costs nobody time: after a
// transform a rank arrives and goes on; the next transform waits until all have arrived before it
// writes a segment that others may still read. Where they have more to tell each other, they set
// marks: counts that only grow.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/node_sync.hpp"

namespace kallima::comm {

/// Two segments of every rank of a node, as this rank sees them. Destroyed without MPI.
class SharedSegments {
 public:
  /// Makes segments of `bytes` on this rank of a communicator and maps those of all others of its
  /// node. Collective. Empty, alike on all ranks, where some cannot: no such memory, too little of
  /// it, or nodes whose ranks are not in a row. All of it is reserved at once, so that too little
  /// is known here and not when it is written.
  static std::unique_ptr<SharedSegments> open(std::shared_ptr<const Communicator> of,
                                              std::array<Index, 2> bytes);

  SharedSegments(const SharedSegments&) = delete;
  SharedSegments(SharedSegments&&) = delete;
  SharedSegments& operator=(const SharedSegments&) = delete;
  SharedSegments& operator=(SharedSegments&&) = delete;
  ~SharedSegments();

  /// First byte of segment 0 or 1 of a rank of the communicator, aligned to a page; null where it
  /// is on another node.
  [[nodiscard]] std::byte* segment(std::size_t which, Index rank) const {
    const Index member = rank - first_;
    const bool here = member >= 0 && member < static_cast<Index>(parts_.size());
    return here ? parts_[static_cast<std::size_t>(member)].segments[which] : nullptr;
  }

  /// This rank's earlier reads and writes of segments are done.
  void arrive() { sync_.arrive(); }
  /// Returns when all ranks of the node have arrived as often as this one. What they wrote before
  /// is seen here.
  void wait() const { sync_.wait(*communicator_->watchdog); }
  /// Both.
  void barrier() {
    arrive();
    wait();
  }

  /// Marks, and failures.
  [[nodiscard]] NodeSync& sync() { return sync_; }

 private:
  /// One rank's memory: a page with its counts, then the segments.
  struct Part {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::array<std::byte*, 2> segments{};
  };

  SharedSegments() = default;

  std::shared_ptr<const Communicator> communicator_;
  Index first_ = 0;  // rank of the node
  NodeSync sync_;
  std::vector<Part> parts_;  // by rank of the node
};

}  // namespace kallima::comm

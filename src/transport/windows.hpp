// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the ranks of one node have in common: each owns two windows, and reads and writes
// those of the others directly. See docs/decisions/0009 for why these are not MPI's windows.
//
// Ranks meet in two halves, arrive and wait, so that what lies between costs nobody time: after a
// transform a rank arrives and goes on; the next transform waits until all have arrived before it
// writes a window that others may still read.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "transport/communicator.hpp"

namespace kallima::transport {

/// Two windows of every rank of a communicator, as this rank sees them. Destroyed without MPI.
class Windows {
 public:
  /// Makes windows of `bytes` on this rank and maps those of all others. Collective. Empty, alike
  /// on all ranks, where some cannot: not all on one node, no such memory, or too little of it. All
  /// of it is reserved at once, so that too little is known here and not when it is written.
  static std::unique_ptr<Windows> open(const Communicator& communicator,
                                       std::array<Index, 2> bytes);

  Windows(const Windows&) = delete;
  Windows(Windows&&) = delete;
  Windows& operator=(const Windows&) = delete;
  Windows& operator=(Windows&&) = delete;
  ~Windows();

  /// First byte of window 0 or 1 of a rank, aligned to a page.
  [[nodiscard]] std::byte* window(std::size_t which, Index rank) const {
    return parts_[static_cast<std::size_t>(rank)].windows[which];
  }

  /// This rank's earlier reads and writes of windows are done.
  void arrive();
  /// Returns when all ranks have arrived as often as this one. What they wrote before is seen here.
  void wait() const;
  /// Both.
  void meet() {
    arrive();
    wait();
  }

 private:
  /// One rank's memory: a page with its count of arrivals, then the windows.
  struct Part {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::array<std::byte*, 2> windows{};
  };

  Windows() = default;

  int rank_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<Part> parts_;
};

}  // namespace kallima::transport

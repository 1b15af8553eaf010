// SPDX-License-Identifier: BSD-3-Clause
//
// Who measures: all ranks, or the first few of every node while the others sleep.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/owned_comm.hpp"

namespace kallima::calibration {

/// Which node every rank is on, and its place there.
struct Seats {
  std::vector<int> node;
  std::vector<int> place;
};

/// The ranks of a calibration.
class Ranks {
 public:
  /// Collective.
  explicit Ranks(std::shared_ptr<const comm::Communicator> communicator);
  Ranks(const Ranks&) = delete;
  Ranks(Ranks&&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  Ranks& operator=(Ranks&&) = delete;
  ~Ranks() = default;

  /// Ends what only these have in common; nobody measures afterwards. Collective.
  void free();

  [[nodiscard]] const std::shared_ptr<const comm::Communicator>& communicator() const {
    return communicator_;
  }
  [[nodiscard]] int rank() const { return communicator_->rank; }
  [[nodiscard]] int size() const { return communicator_->size; }
  [[nodiscard]] int nodes() const { return nodes_; }
  /// Ranks on the node that has most.
  [[nodiscard]] int per_node() const { return per_node_; }
  [[nodiscard]] int rank_on_node() const { return rank_on_node_; }
  [[nodiscard]] MPI_Comm node() const { return node_.get(); }
  [[nodiscard]] const Seats& seats() const { return seats_; }

  /// Waits for all without taking a core from those still at work. Collective.
  void barrier() const;
  /// Mean of a figure over the ranks that have one. Collective.
  [[nodiscard]] double mean(double mine, bool has) const;
  /// The largest. Collective.
  [[nodiscard]] double largest(double mine) const;
  [[nodiscard]] bool any(bool mine) const { return largest(mine ? 1. : 0.) > 0.; }

 private:
  std::shared_ptr<const comm::Communicator> communicator_;
  comm::OwnedComm node_;
  int nodes_ = 1;
  int per_node_ = 1;
  int rank_on_node_ = 0;
  Seats seats_;
};

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "comm/requests.hpp"

namespace kallima::calibration {

using comm::check;

namespace {

/// Collective.
Seats seats_of(const comm::Communicator& communicator, MPI_Comm node, int place) {
  // A node is called after its first rank.
  int first = communicator.rank;
  check(MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast");
  const std::array<int, 2> mine = {first, place};
  std::vector<int> all(2 * static_cast<std::size_t>(communicator.size));
  check(MPI_Allgather(mine.data(), 2, MPI_INT, all.data(), 2, MPI_INT, communicator.comm),
        "MPI_Allgather");
  Seats seats;
  std::vector<int> firsts;
  for (std::size_t r = 0; r < all.size(); r += 2) firsts.push_back(all[r]);
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  for (std::size_t r = 0; r < all.size(); r += 2) {
    const auto at = std::lower_bound(firsts.begin(), firsts.end(), all[r]);
    seats.node.push_back(static_cast<int>(at - firsts.begin()));
    seats.place.push_back(all[r + 1]);
  }
  return seats;
}

}  // namespace

Ranks::Ranks(std::shared_ptr<const comm::Communicator> communicator)
    : communicator_(std::move(communicator)), node_(comm::OwnedComm::of_node(communicator_->comm)) {
  const MPI_Comm comm = communicator_->comm;
  int on_node = 1;
  check(MPI_Comm_rank(node(), &rank_on_node_), "MPI_Comm_rank");
  check(MPI_Comm_size(node(), &on_node), "MPI_Comm_size");
  const int first = rank_on_node_ == 0 ? 1 : 0;
  check(MPI_Allreduce(&first, &nodes_, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
  check(MPI_Allreduce(&on_node, &per_node_, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  seats_ = seats_of(*communicator_, node(), rank_on_node_);
}

void Ranks::free() { check(node_.free(), "MPI_Comm_free"); }

void Ranks::barrier() const {
  comm::Requests barrier(communicator_->keeper(), 1);
  barrier.mark_started();
  check(MPI_Ibarrier(communicator_->comm, &barrier[0]), "MPI_Ibarrier");
  for (int done = 0; done == 0;) {
    check(MPI_Test(&barrier[0], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  barrier.mark_through();
}

double Ranks::mean(double mine, bool has) const {
  const std::array<double, 2> own = {has ? mine : 0., has ? 1. : 0.};
  std::array<double, 2> sum{};
  check(MPI_Allreduce(own.data(), sum.data(), 2, MPI_DOUBLE, MPI_SUM, communicator_->comm),
        "MPI_Allreduce");
  return sum[1] > 0. ? sum[0] / sum[1] : 0.;
}

double Ranks::largest(double mine) const {
  double result = 0.;
  check(MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, communicator_->comm),
        "MPI_Allreduce");
  return result;
}

}  // namespace kallima::calibration

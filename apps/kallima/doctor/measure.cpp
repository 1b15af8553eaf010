// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/checked.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "comm/channel.hpp"
#include "comm/requests.hpp"
#include "comm/shared_segments.hpp"

namespace kallima::cli::doctor {

namespace {

/// Computes without MPI for so long.
void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;  // a clock, no communication
  volatile double work = 1.0;
  while (MPI_Wtime() < end) {
    for (int i = 0; i < 1000; ++i) work = work * 0.999 + 0.001;
  }
}

/// A large message there and one back between this rank and a peer.
class Pair {
 public:
  Pair(MPI_Comm comm, int peer)
      : comm_(comm), peer_(peer), requests_(comm::Keeper::of_process(), 2, memory_) {}

  /// Seconds that are left to wait after having computed for some.
  double left_after(double computing) {
    barrier();
    const int bytes = static_cast<int>(memory_->out.size());
    requests_.mark_started();
    MPI_Irecv(memory_->in.data(), bytes, MPI_BYTE, peer_, 1, comm_, &requests_[0]);
    MPI_Isend(memory_->out.data(), bytes, MPI_BYTE, peer_, 1, comm_, &requests_[1]);
    if (computing > 0.0) compute(computing);
    const double start = MPI_Wtime();
    MPI_Waitall(2, &requests_[0], MPI_STATUSES_IGNORE);
    requests_.mark_through();
    const double mine = MPI_Wtime() - start;
    double theirs = 0.0;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, peer_, 2, &theirs, 1, MPI_DOUBLE, peer_, 2, comm_,
                 MPI_STATUS_IGNORE);
    return std::max(mine, theirs);
  }

 private:
  struct Memory {
    std::vector<char> out = std::vector<char>(std::size_t{8} << 20U, 'o');
    std::vector<char> in = std::vector<char>(std::size_t{8} << 20U, 'i');
  };

  void barrier() const {
    char out = 0;
    char in = 0;
    MPI_Sendrecv(&out, 1, MPI_CHAR, peer_, 3, &in, 1, MPI_CHAR, peer_, 3, comm_, MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_;
  int peer_;
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
  comm::Requests requests_;
};

double moved_share(Pair& pair) {
  constexpr int runs = 7;
  std::vector<double> alone;
  for (int i = 0; i < runs; ++i) alone.push_back(pair.left_after(0.0));
  const double whole = median(alone);
  std::vector<double> left;
  for (int i = 0; i < runs; ++i) left.push_back(pair.left_after(2 * whole));
  return std::clamp(1 - median(left) / whole, 0.0, 1.0);
}

/// Both ways of one all-to-all, with blocks of one size for every rank.
class BothWays {
 public:
  BothWays(const Session& session, Index bytes)
      : session_(session),
        bytes_(bytes),
        channel_(comm::Communicator::of(session.comm), {}),
        from_(static_cast<std::size_t>(bytes * session.size), std::byte{1}),
        to_(from_.size()) {
    const PeerOrder order(session.size);
    for (int round = 0; round < session.size; ++round) {
      for (int peer = 0; peer < session.size; ++peer) {
        if (peer == session.rank) continue;
        if (order.round_of(session.rank, peer) != round) continue;
        sends_.push_back({peer, {block(from_, peer), bytes}});
        receives_.push_back({peer, {block(to_, peer), bytes}});
      }
    }
    channel_.reserve(receives_);
  }

  void by_mpi() {
    const int count = narrow<int>(bytes_, "bytes of a block");
    MPI_Alltoall(from_.data(), count, MPI_BYTE, to_.data(), count, MPI_BYTE, session_.comm);
  }

  void by_rounds() {
    std::memcpy(block(to_, session_.rank), block(from_, session_.rank),
                static_cast<std::size_t>(bytes_));
    channel_.exchange(sends_, receives_);
  }

 private:
  [[nodiscard]] std::byte* block(std::vector<std::byte>& memory, int rank) const {
    return memory.data() + rank * bytes_;
  }

  Session session_;
  Index bytes_;
  comm::Channel channel_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::vector<comm::Message> sends_;
  std::vector<comm::Message> receives_;
};

/// Seconds of the slowest rank. Collective.
double seconds_of(const Session& session, const std::function<void()>& what) {
  MPI_Barrier(session.comm);
  const double start = MPI_Wtime();
  what();
  return largest(session, MPI_Wtime() - start);
}

AllToAll measured(const Session& session, Index bytes) {
  constexpr double seconds = 0.06;  // for each way
  BothWays ways(session, bytes);
  const auto mpi = [&] { ways.by_mpi(); };
  const auto own = [&] { ways.by_rounds(); };
  double once = 0.0;
  for (int warm = 0; warm < 2; ++warm) {
    once = std::max(seconds_of(session, mpi), seconds_of(session, own));
  }
  const int runs = static_cast<int>(std::clamp(seconds / std::max(once, 1e-9), 3.0, 101.0));
  std::vector<double> by_mpi;
  std::vector<double> by_rounds;
  for (int i = 0; i < runs; ++i) {
    by_mpi.push_back(seconds_of(session, mpi));
    by_rounds.push_back(seconds_of(session, own));
  }
  return {bytes, median(by_mpi), median(by_rounds)};
}

}  // namespace

bool segments_work(MPI_Comm node) {
  constexpr Index bytes = Index{1} << 20;
  const auto communicator = comm::Communicator::of(node);
  const auto segments = comm::SharedSegments::open(communicator, {bytes, bytes});
  if (!segments) return false;
  const int rank = communicator->rank;
  const int size = communicator->size;
  std::memset(segments->segment(0, rank), rank % 251 + 1, static_cast<std::size_t>(bytes));
  segments->barrier();
  const int next = (rank + 1) % size;
  const bool mine = segments->segment(0, next)[bytes - 1] == static_cast<std::byte>(next % 251 + 1);
  segments->barrier();
  const int one = mine ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, node);
  return all == 1;
}

std::vector<Overlap> measured_overlaps(const Session& session, const std::vector<int>& nodes) {
  std::vector<Overlap> overlaps;
  for (const bool same : {true, false}) {
    const auto peer = std::find_if(nodes.begin() + 1, nodes.end(),
                                   [&](int node) { return (node == nodes.front()) == same; });
    if (peer == nodes.end()) continue;
    Overlap overlap{0, static_cast<int>(peer - nodes.begin()), same, 0.0};
    if (session.rank == overlap.from || session.rank == overlap.to) {
      Pair pair(session.comm, session.rank == 0 ? overlap.to : 0);
      overlap.moved = moved_share(pair);
    }
    MPI_Bcast(&overlap.moved, 1, MPI_DOUBLE, 0, session.comm);
    overlaps.push_back(overlap);
  }
  return overlaps;
}

std::vector<AllToAll> measured_all_to_all(const Session& session, Progress& progress) {
  constexpr Index most_memory = Index{32} << 20;  // of a rank
  constexpr double enough = 2.5;                  // seconds
  const double start = MPI_Wtime();
  const auto late = [&] { return largest(session, MPI_Wtime() - start) > enough; };
  std::vector<AllToAll> sizes;
  for (Index bytes = 256; bytes <= (Index{1} << 20) && bytes * session.size <= most_memory;
       bytes *= 2) {
    progress.show(fmt::format("all-to-all of {}", text::bytes(bytes)));
    sizes.push_back(measured(session, bytes));
    if (late()) break;
  }
  // Once more, since what disturbs for a moment would look like a jump.
  for (AllToAll& size : sizes) {
    if (late()) break;
    progress.show(fmt::format("all-to-all of {}, again", text::bytes(size.bytes)));
    const AllToAll again = measured(session, size.bytes);
    size.mpi = std::min(size.mpi, again.mpi);
    size.own = std::min(size.own, again.own);
  }
  return sizes;
}

}  // namespace kallima::cli::doctor

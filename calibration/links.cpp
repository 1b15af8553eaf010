// SPDX-License-Identifier: BSD-3-Clause
#include "calibration/links.hpp"

#include <algorithm>
#include <memory>

#include "comm/channel.hpp"
#include "comm/pipelined_exchange.hpp"
#include "comm/requests.hpp"
#include "comm/shared_segments.hpp"
#include "kallima/buffer.hpp"

namespace kallima::calibration {

using comm::check;
using comm::Message;

namespace {

/// The ranks that this one exchanges with.
std::vector<int> partners(const Ranks& ranks, Level level, Pattern pattern) {
  const Seats& seats = ranks.seats();
  const auto me = static_cast<std::size_t>(ranks.rank());
  std::vector<int> result;
  for (int other = 0; other < ranks.size(); ++other) {
    const auto it = static_cast<std::size_t>(other);
    if (it == me) continue;
    const bool same_node = seats.node[it] == seats.node[me];
    if (same_node != (level == Level::in_node)) continue;
    const bool beside =
        same_node ? seats.place[it] == (seats.place[me] ^ 1)
                  : seats.node[it] == (seats.node[me] ^ 1) && seats.place[it] == seats.place[me];
    const bool leading = same_node ? seats.place[me] < 2 : seats.place[me] == 0;
    if (pattern == Pattern::all || (beside && (leading || pattern == Pattern::pairs))) {
      result.push_back(other);
    }
  }
  const PeerOrder order(ranks.size());
  std::sort(result.begin(), result.end(), [&](int a, int b) {
    return order.round_of(ranks.rank(), a) < order.round_of(ranks.rank(), b);
  });
  return result;
}

/// What messages are sent from and received in. It outlives a call that has failed, with the
/// requests.
struct Memory {
  explicit Memory(Index bytes)
      : sent(host_memory(), std::max<Index>(1, bytes), "messages to calibrate with"),
        received(host_memory(), std::max<Index>(1, bytes), "messages to calibrate with") {
    std::fill_n(sent.view().data, bytes, std::byte{0});
    std::fill_n(received.view().data, bytes, std::byte{0});
  }

  Buffer sent;
  Buffer received;
};

std::vector<Message> messages(const std::vector<int>& peers, std::byte* data, Index bytes,
                              Index copies) {
  std::vector<Message> result;
  for (const int peer : peers) {
    for (Index copy = 0; copy < copies; ++copy) {
      result.push_back({peer, {data, bytes}});
      data += bytes;
    }
  }
  return result;
}

/// Calls `once` as often as all ranks need for `budget` seconds, in batches, so that a rank that
/// loses its core for a while spoils one of them; returns the median over batches of a call's
/// mean, averaged over the ranks. Ranks that are not `busy` sleep. Collective.
template <class Once>
double mean_time(const Ranks& ranks, bool busy, double budget, Once once) {
  // How often is rank 0's guess of a few calls, so that all call equally often.
  constexpr int trial = 3;
  ranks.barrier();
  double begin = MPI_Wtime();
  if (busy) {
    for (int i = 0; i < trial; ++i) once();
  }
  const double each = ranks.largest(busy ? (MPI_Wtime() - begin) / trial : 0.);
  const double wanted = std::clamp(budget / std::max(each, 1e-9), 2., 20000.);
  constexpr int batches = 9;
  const auto count = static_cast<int>(std::max(1., ranks.largest(wanted) / batches));
  std::vector<double> took;
  ranks.barrier();
  for (int batch = 0; busy && batch < batches; ++batch) {
    begin = MPI_Wtime();
    for (int i = 0; i < count; ++i) once();
    took.push_back((MPI_Wtime() - begin) / count);
  }
  ranks.barrier();
  return ranks.mean(median(took), busy);
}

}  // namespace

bool measurable(const Ranks& ranks, Level level) {
  return level == Level::in_node ? ranks.per_node() > 1 : ranks.nodes() > 1;
}

Index messages_of(const Ranks& ranks, Level level, Pattern pattern) {
  const auto mine = static_cast<double>(partners(ranks, level, pattern).size());
  return static_cast<Index>(ranks.largest(mine));
}

double exchange_time(const Ranks& ranks, Level level, Pattern pattern, Index bytes, Index copies,
                     double budget) {
  const std::vector<int> peers = partners(ranks, level, pattern);
  const auto memory = std::make_shared<Memory>(static_cast<Index>(peers.size()) * bytes * copies);
  const std::vector<Message> sends = messages(peers, memory->sent.view().data, bytes, copies);
  const std::vector<Message> receives =
      messages(peers, memory->received.view().data, bytes, copies);
  comm::Channel channel(ranks.communicator(), {}, memory);
  channel.reserve(receives);
  return mean_time(ranks, !peers.empty(), budget, [&] { channel.exchange(sends, receives); });
}

double overhead_time(const Ranks& ranks, Level level, double budget) {
  const std::vector<int> peers = partners(ranks, level, Pattern::pair);
  const MPI_Comm comm = ranks.communicator()->comm;
  constexpr int bytes = 8;
  const auto memory = std::make_shared<Memory>(bytes);
  comm::Requests requests(ranks.communicator()->keeper(), 2, memory);
  double posting = 0.;
  int calls = 0;
  mean_time(ranks, !peers.empty(), budget, [&] {
    requests.mark_started();
    check(MPI_Irecv(memory->received.view().data, bytes, MPI_BYTE, peers.front(), 2, comm,
                    &requests[0]),
          "MPI_Irecv");
    const double begin = MPI_Wtime();
    check(
        MPI_Isend(memory->sent.view().data, bytes, MPI_BYTE, peers.front(), 2, comm, &requests[1]),
        "MPI_Isend");
    posting += MPI_Wtime() - begin;
    ++calls;
    check(MPI_Waitall(2, &requests[0], MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests.mark_through();
  });
  return ranks.mean(posting / std::max(1, calls), calls > 0);
}

namespace {

/// Computes for a while, in cache; returns what it came to.
double compute_a_little(double value) {
  for (int i = 0; i < 20000; ++i) value = value * 0.999999 + 1e-9;
  return value;
}

}  // namespace

double busy_part(const Ranks& ranks, Level level, Index bytes) {
  const std::vector<int> peers = partners(ranks, level, Pattern::pairs);
  const auto memory = std::make_shared<Memory>(bytes);
  const std::vector<Message> sends = messages(peers, memory->sent.view().data, bytes, 1);
  const std::vector<Message> receives = messages(peers, memory->received.view().data, bytes, 1);
  const Dependency dependency{0, 1, 0, bytes};
  comm::PipelinedExchange pipelined(ranks.communicator(), {}, 0,
                                    std::vector<Dependency>(peers.size(), dependency),
                                    std::vector<Dependency>(peers.size(), dependency), memory);
  double value = 1.;
  const auto timed = [&](bool moves, Index slices) {
    ranks.barrier();
    const double begin = MPI_Wtime();
    if (moves) {
      pipelined.begin(sends, receives);
      pipelined.computed(1);
    }
    for (Index i = 0; i < slices; ++i) {
      value = compute_a_little(value);
      if (moves) pipelined.progress();
    }
    if (moves) pipelined.finish();
    return ranks.mean(MPI_Wtime() - begin, true);
  };
  timed(true, 0);
  const double slice = timed(false, 100) / 100.;
  const auto slices = static_cast<Index>(ranks.largest(1.5 * timed(true, 0) / slice));
  std::vector<double> alone;
  std::vector<double> computing;
  std::vector<double> both;
  constexpr int times = 5;
  for (int i = 0; i < times; ++i) {
    alone.push_back(timed(true, 0));
    computing.push_back(timed(false, slices));
    both.push_back(timed(true, slices));
  }
  const double never = value < 0. ? 1. : 0.;  // so that nothing of it is left out
  return std::clamp((median(both) - median(computing)) / median(alone) + never, 0., 1.);
}

double barrier_time(const Ranks& ranks, Index count, double budget) {
  const bool busy = ranks.rank_on_node() < count;
  auto some = comm::OwnedComm::split(ranks.node(), busy ? 0 : 1, ranks.rank_on_node());
  std::unique_ptr<comm::SharedSegments> segments;
  if (busy) segments = comm::SharedSegments::open(comm::Communicator::of(some.get()), {4096, 4096});
  const bool none = ranks.any(busy && !segments);
  const double took = none ? 0. : mean_time(ranks, busy, budget, [&] { segments->barrier(); });
  segments.reset();
  check(some.free(), "MPI_Comm_free");
  return took;
}

}  // namespace kallima::calibration

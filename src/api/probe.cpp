// SPDX-License-Identifier: BSD-3-Clause
#include "api/probe.hpp"

#include <algorithm>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/parts.hpp"
#include "machine/figures.hpp"

namespace kallima {

bool assumes_links(const Machine& machine, const comm::Communicator& communicator) {
  return !machine->between_nodes.assumed.empty() && communicator.ranks_on_node < communicator.size;
}

namespace {

double seconds_per_byte(const comm::Communicator& communicator, double limit) {
  using comm::check;
  constexpr Index least_bytes = Index{1} << 16;
  constexpr Index most_bytes = Index{1} << 22;  // more than links let through at once
  constexpr double part = 1. / 20.;
  const double enough = limit > 0. ? std::min(part, part * limit) : part;
  const int half = communicator.size / 2;
  const int to = (communicator.rank + half) % communicator.size;
  const int from = (communicator.rank + communicator.size - half) % communicator.size;
  double per_byte = 0.;
  for (Index bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    const std::vector<char> out(static_cast<std::size_t>(bytes));
    std::vector<char> in(static_cast<std::size_t>(bytes));
    std::int64_t took = 0;
    comm::all_reduce(communicator, std::span(&took, 1), MPI_MAX);  // a barrier
    const double begin = MPI_Wtime();
    check(MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, to, comm::message_tag,
                       in.data(), static_cast<int>(bytes), MPI_BYTE, from, comm::message_tag,
                       communicator.comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    constexpr double nano = 1e9;
    took = static_cast<std::int64_t>((MPI_Wtime() - begin) * nano);
    comm::all_reduce(communicator, std::span(&took, 1), MPI_MAX);
    const double seconds = static_cast<double>(took) / nano;
    per_byte = seconds / static_cast<double>(bytes * communicator.ranks_on_node);
    if (seconds > enough) break;
  }
  return per_byte;
}

}  // namespace

std::optional<double> rate_of_assumed_links(const comm::Communicator& communicator,
                                            const PlanRequest& request, double limit) {
  const bool assumes = request.machine && assumes_links(*request.machine, communicator);
  if (!comm::as_rank_0_says(communicator, assumes)) return std::nullopt;
  return seconds_per_byte(communicator, limit);
}

Machine with_rate(const Machine& machine, double per_byte) {
  MachineFigures figures = machine.figures();
  Link& link = figures.between_nodes;
  link.per_byte = link.per_byte.scaled(per_byte / link.node_per_byte);
  link.node_per_byte = per_byte;
  return figures;
}

}  // namespace kallima

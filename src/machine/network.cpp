// SPDX-License-Identifier: BSD-3-Clause
#include "machine/network.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kallima {

namespace {

constexpr double gigabit = 1e9;

/// A node's rate where its adapter does not tell.
double bits_of(const Network& network) {
  if (network.bits_per_second > 0.) return network.bits_per_second;
  return (network.rdma ? 200. : 10.) * gigabit;
}

}  // namespace

Link assumed_link(std::string taken_for, const Starts& starts, Curve per_byte, double node_per_byte,
                  double busy) {
  const double large = per_byte.points().back().second;
  const Fits fits{starts.latency + 2 * starts.overhead,
                  large,
                  large * 4096.,
                  4096.,
                  large,
                  10 * starts.latency};
  return {starts.latency,
          starts.overhead,
          2 * starts.overhead,
          std::move(per_byte),
          node_per_byte,
          busy,
          fits,
          std::move(taken_for)};
}

std::string Network::to_text() const {
  const char* const kind = rdma ? "RDMA" : "TCP";
  if (bits_per_second <= 0.) return kind;
  return fmt::format("{}, {:g} Gbit/s", kind, bits_per_second / gigabit);
}

Link typical_link(const Network& network) {
  // Of what adapters are built for, messages of MPI see some eight tenths.
  const double node = 8. / (0.8 * bits_of(network));
  if (network.rdma) {
    // One rank alone does not fill a fast adapter.
    constexpr double rank = 1e-10;
    const double large = std::max(node, rank);
    const double small = std::max(4 * rank, large);
    return assumed_link(network.to_text(), {2e-6, 1e-6},
                        Curve({{1., small}, {1024., small}, {65536., large}, {1e12, large}}), node,
                        0.3);
  }
  // Two hosts of the test bed (tests/netbed): a core copies for about a third of the time of bytes.
  return assumed_link(network.to_text(), {25e-6, 5e-6}, Curve(node), node, 0.35);
}

Machine with_network(const Machine& machine, const Network& network) {
  if (machine->between_nodes.assumed.empty()) return machine;
  MachineFigures result = machine.figures();
  result.between_nodes = typical_link(network);
  return result;
}

}  // namespace kallima

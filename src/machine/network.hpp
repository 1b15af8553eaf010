// SPDX-License-Identifier: BSD-3-Clause
//
// What links between nodes commonly have, for machines whose own were not measured.
#pragma once

#include <string>

#include "machine/figures.hpp"

namespace kallima {

/// Links between nodes, as far as they can be told without measuring.
struct Network {
  bool rdma = true;             ///< adapters move messages; otherwise the system does, by TCP
  double bits_per_second = 0.;  ///< of the fastest adapter of a node; 0: not known

  /// "TCP, 10 Gbit/s".
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const Network&, const Network&) = default;
};

/// What starting a message takes.
struct Starts {
  double latency = 0.;
  double overhead = 0.;
};

/// A link that nobody measured, and what it is taken for.
Link assumed_link(std::string taken_for, const Starts& starts, Curve per_byte, double node_per_byte,
                  double busy);

/// What such links commonly have.
Link typical_link(const Network& network);

/// The machine; with such links between nodes where those it has are assumed.
Machine with_network(const Machine& machine, const Network& network);

}  // namespace kallima

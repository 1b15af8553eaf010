// SPDX-License-Identifier: BSD-3-Clause
#include "theory/network.hpp"

#include <algorithm>
#include <cmath>

namespace kallima::butterfly {

Index Network::packets(double bytes) const {
  if (most_bytes <= 0) return 1;
  return std::max<Index>(1, static_cast<Index>(std::ceil(bytes / most_bytes)));
}

double Network::passing(double bytes) const {
  return start + std::max(0.0, bytes - head) * per_byte;
}

double Network::interval(double bytes) const { return std::max(gap, overhead) + passing(bytes); }

Network network_of(const models::AlphaBeta& model) {
  Network network;
  network.start = model.alpha;
  network.per_byte = model.beta;
  network.capacity = 1;
  network.meets = true;
  return network;
}

namespace {

/// What LogP and LogGP have in common.
template <class Model>
Network with_latency(const Model& model) {
  Network network;
  network.latency = model.latency;
  network.overhead = model.overhead;
  network.gap = model.gap;
  return network;
}

}  // namespace

Network network_of(const models::LogP& model) {
  Network network = with_latency(model);
  network.most_bytes = model.datum_bytes;
  // Without latency nothing would ever be in transit; one packet has to be.
  network.capacity = model.gap > 0 ? std::max<Index>(1, static_cast<Index>(capacity(model))) : 0;
  return network;
}

Network network_of(const models::LogGp& model) {
  Network network = with_latency(model);
  network.per_byte = model.gap_per_byte;
  network.head = 1;
  return network;
}

}  // namespace kallima::butterfly

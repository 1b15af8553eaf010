// SPDX-License-Identifier: BSD-3-Clause
//
// A machine's network as a platform of SimGrid, on which SMPI runs the library with ranks that are
// not there. What the machine says and what the platform has:
//
//   L                 the latency of a path between two nodes, in the mean; spread over its hops
//   max(g, 2o)        the time that starting a message keeps a rank (smpi/ois): the overheads of
//                     one that is sent and one that is received, or the gap where that is longer
//   G, node_per_byte  the bandwidth of a node's link
//   topology          SimGrid's own fat tree, torus and dragonfly, with their routing
//
// Messages below 8 KiB leave their sender free at once, as MPIs commonly have it. Links carry their
// bandwidth both ways at once. SimGrid's figures for how TCP falls short of that
// (network/bandwidth-factor and the like) are left out, as a machine's figures are of messages as
// they arrive.
#pragma once

#include <string>
#include <vector>

#include "kallima/machine.hpp"

namespace kallima {

/// A platform of SimGrid and what belongs to it.
struct Platform {
  std::string xml;                 ///< the platform file
  std::string hosts;               ///< the host file: names of the nodes in order, one a line
  Machine machine;                 ///< as it was built, which plans are to be priced on: so many
                                   ///< nodes, and a taper that whole numbers of links can have
  std::vector<std::string> notes;  ///< what the platform cannot say of the machine
};

/// So many nodes of a machine with so many ranks each. InvalidOption where its topology cannot be
/// built of them, with the fix.
Platform simgrid_platform(const Machine& machine, Index nodes, Index ranks_per_node);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// How so many nodes are wired where a machine names the kind of network only. Prices take networks
// to be wired so, and SimGrid's platforms are.
#pragma once

#include <vector>

#include "machine/figures.hpp"

namespace kallima {

/// The smallest divisor of n that is not below `least`.
Index divisor_from(Index n, double least);

/// Sides of a torus of so many nodes, the shortest first: as even as whole numbers can be.
std::vector<Index> torus_sides(Index nodes, Index dimensions);

/// Nodes below one switch of a tree with two levels: the smallest divisor from the root on.
Index leaf_nodes(Index nodes);

/// Groups of a dragonfly that so many nodes side by side belong to.
Index groups_of(const Topology& topology, Index nodes);

}  // namespace kallima

// SPDX-License-Identifier: BSD-3-Clause
//
// What can only be known by trying. Everything here is collective.
#pragma once

#include <vector>

#include "facts.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace kallima::cli::doctor {

/// True where the ranks of `node`, all on one node, read in the library's segments what others
/// wrote.
bool segments_work(MPI_Comm node);

/// How much of a large message moves while both ends compute: between rank 0 and the next of its
/// node, and the first of another node. `nodes` has the node of every rank. Under a second.
std::vector<Overlap> measured_overlaps(const Session& session, const std::vector<int>& nodes);

/// MPI_Alltoall and the library's rounds of messages, in turns. Some two seconds; on slow networks
/// it ends with the size that takes it beyond.
std::vector<AllToAll> measured_all_to_all(const Session& session, Progress& progress);

}  // namespace kallima::cli::doctor

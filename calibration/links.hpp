// SPDX-License-Identifier: BSD-3-Clause
//
// Measures how ranks exchange: by messages within a node and between nodes, carried by the channel
// that carries a plan's messages, and by barrier in shared memory.
#pragma once

#include <vector>

#include "calibration/fit.hpp"
#include "calibration/ranks.hpp"

namespace kallima::calibration {

/// Between whom.
enum class Level : std::uint8_t { in_node, between_nodes };

/// Who takes part in an exchange.
enum class Pattern : std::uint8_t {
  pair,   ///< one rank of every node, or of every two of a node
  pairs,  ///< all ranks, each with one other
  all     ///< all ranks, each with all others of the level
};

/// True where there are ranks to measure between.
bool measurable(const Ranks& ranks, Level level);

/// Messages that a rank exchanges in a pattern.
Index messages_of(const Ranks& ranks, Level level, Pattern pattern);

/// Seconds of an exchange with messages of so many bytes, `copies` to each partner: the mean of
/// exchanges in a row that take at least `budget` together. Collective, the same on all ranks.
double exchange_time(const Ranks& ranks, Level level, Pattern pattern, Index bytes, Index copies,
                     double budget);

/// Seconds that a rank is busy with starting to send a short message. Collective.
double overhead_time(const Ranks& ranks, Level level, double budget);

/// Part of the time of messages between all pairs for which they keep a core busy: by how much
/// computing takes longer while so many bytes travel, over what they take alone. Collective.
double busy_part(const Ranks& ranks, Level level, Index bytes);

/// Seconds until so many ranks of a node have passed a barrier in shared memory; 0 where they share
/// none. Collective.
double barrier_time(const Ranks& ranks, Index count, double budget);

}  // namespace kallima::calibration

// SPDX-License-Identifier: BSD-3-Clause
//
// A decomposition family proposes layouts: to start in, where the user left that open, and to
// exchange to. Each family is a file of its own; the search knows nothing of what they propose.
#pragma once

#include <vector>

#include "kallima/planner.hpp"

namespace kallima {

/// Where a search stands: a layout, and the axes that are transformed already.
struct Standing {
  Layout layout;
  std::vector<bool> done;

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// True where elements are real still: the r2c axis is not done.
inline bool is_real(const PlanRequest& request, const Standing& at) {
  return request.problem.real() && !at.done[request.problem.r2c_axis_index()];
}

using Proposals = std::vector<Layout>;

/// One axis over all ranks, the others whole.
void propose_slab_starts(const PlanRequest& request, Proposals& starts);
void propose_slabs(const PlanRequest& request, const Standing& from, Proposals& next);

/// Two axes or more over a grid of ranks; from one to the next, a whole axis takes the processors
/// of one that is still to be transformed, so that only rows of the grid exchange.
void propose_pencil_starts(const PlanRequest& request, Proposals& starts);
void propose_pencils(const PlanRequest& request, const Standing& from, Proposals& next);

/// Axes distributed cyclically, from which cyclic steps start.
void propose_cyclic_starts(const PlanRequest& request, Proposals& starts);
void propose_cyclic(const PlanRequest& request, const Standing& from, Proposals& next);

/// The fall-back: everything on one rank. The only one for an axis that cannot be split and has no
/// other beside it that could be.
void propose_gather(const Shape& shape, Proposals& next);

/// Axes that there is nothing left to do along: idle, or done.
std::vector<bool> finished_axes(const PlanRequest& request, const Standing& at);

/// Processors for each axis of `cut`, 1 for the others: at most `ranks` together, none above its
/// extent, chosen so that the largest local array is small.
std::vector<Index> process_grid(const Shape& shape, const std::vector<std::size_t>& cut,
                                Index ranks);

}  // namespace kallima

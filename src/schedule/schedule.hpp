// SPDX-License-Identifier: BSD-3-Clause
//
// Where the data lies while a plan runs.
//
// A plan's steps move the array between three areas of memory: the user's input, the user's
// output, and the workspace. A sweep that neighbours an exchange writes its result packed, piece
// behind piece, or reads it so; an exchange goes from one packed area to another. So sweeps and
// exchanges alternate between output and workspace, and the assignment is made backwards from the
// output. A sweep between two sweeps stays where it is. In place, input and output are the same
// memory, and the first stage must leave it; where the count of stages does not allow that, one
// such inner sweep changes area, and where there is none, a copy comes first.
//
// Three ways to hold data between sweeps (exchange/method.hpp) have three assignments. That above
// is of buffers of the rank's own.
//
// Where arrays stay in shared memory, an exchange moves nothing: the sweep before it writes a
// segment of its own, the sweep behind it reads the segments of all. A sweep between two exchanges
// that lead back to where it read from writes there as well: each element is read and written by
// one rank at one place, so no second segment is needed. Otherwise segments alternate.
//
// Where buffers are shared by the ranks of a node, the sweep before writes them packed, the sweep
// behind reads them packed, wherever on the node a piece has its place. Two segments alternate, so
// that a sweep between two exchanges reads one and writes the other.
//
// Rejected: deciding by sizes. The areas would differ between ranks and passes could not be
// printed. Sizes only decide how much workspace a rank needs: what does not fit the output area
// spills behind the workspace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exchange/area.hpp"
#include "kallima/steps.hpp"

namespace kallima {

/// One step of a plan, or a copy, with the areas it reads and writes.
struct Stage {
  static constexpr int copy = -1;  ///< step number of a plain copy

  int step = copy;                ///< index into Plan::steps()
  int steps = 1;                  ///< 2 where the next sweep is joined to it
  Area from = Area::input;        ///< read
  Area to = Area::output;         ///< written
  Access source = Access::array;  ///< how it finds what it reads
  Access target = Access::array;  ///< how it leaves what it writes
  bool barrier = false;           ///< an exchange that moves nothing: ranks wait for each other

  /// Index of the last of its steps.
  [[nodiscard]] std::size_t last() const { return static_cast<std::size_t>(step + steps - 1); }
};

/// The stages of a plan.
struct Schedule {
  bool in_place = false;
  bool separate_fields = false;  ///< of a batch, axis 0: each in memory of its own, which is no
                                 ///< room for anything else
  std::vector<Stage> stages;

  /// Passes over local memory: one per sweep or copy, and one per exchange, whose messages are
  /// read and written once at least; none where ranks only wait for each other.
  [[nodiscard]] Index passes() const {
    return std::count_if(stages.begin(), stages.end(),
                         [](const Stage& stage) { return !stage.barrier; });
  }
};

/// Assigns areas. Depends on the steps alone, so it is the same on all ranks.
Schedule schedule(const StepList& plan, bool in_place, bool separate_fields = false);

/// Extent of a stage's digit, as positions: of reals there are more than of their frequencies.
Index positions_along(const StepList& plan, const Stage& stage, const Sweep& sweep);

/// What one rank needs beyond input and output, in complex elements.
struct Workspace {
  Index main = 0;           ///< for what is assigned to the workspace
  Index spill = 0;          ///< for what is assigned to the output and does not fit it
  Index segment = 0;        ///< in memory that ranks share
  Index other_segment = 0;  ///< likewise, where two exchanges follow each other
  Index transit = 0;        ///< for what it passes on for others
  Index tile = 0;           ///< for the tile of a sweep
  Index roots = 0;          ///< for roots of unity, where axes are split
  Index filter = 0;         ///< for the frequencies of a chirp

  /// For arrays and parts of them.
  [[nodiscard]] Index arrays() const { return main + spill + segment + other_segment + transit; }
  [[nodiscard]] Index elements() const { return arrays() + tile + roots + filter; }
};

/// Of one rank. O(steps); by nodes and by Bruck's algorithm what they take to list.
Workspace workspace(const StepList& plan, const Schedule& schedule, Index rank);

/// The largest of any rank, part by part. O(classes of ranks) a step; by nodes and by Bruck's
/// algorithm what they take to list.
Workspace largest_workspace(const StepList& plan, const Schedule& schedule);

/// Complex elements that the output area holds on a rank.
Index output_capacity(const StepList& plan, bool in_place, Index rank);
/// The same; none where fields are separate.
Index output_capacity(const StepList& plan, const Schedule& schedule, Index rank);

}  // namespace kallima

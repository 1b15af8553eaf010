// SPDX-License-Identifier: BSD-3-Clause
//
// To tune is to time the plans that are priced about alike, here and now, and to take the fastest:
// prices are right to some tenths, and what lies within that only a clock can tell apart.
//
//     auto tuned = kallima::tune<double>(comm, kallima::Kind::c2c, {512, 512, 512});
//     if (rank == 0) kallima::save_plan_wisdom("plans.json", tuned.wisdom);
//     ...
//     options.plan_wisdom = "plans.json";  // in this run or a later one
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "kallima/export.h"
#include "kallima/plan_wisdom.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// How to tune. The same on every rank.
struct TuneOptions {
  double within = 0.2;  ///< of the best price: dearer plans are not tried
  Index runs = 9;       ///< timed, of each plan; one before is not
  Index most = 16;      ///< plans that are tried, the cheapest; each has a workspace meanwhile
  double seconds = 0.;  ///< that all of it may take, and one run more at most; 0: no limit. Where
                        ///< it is short, fewer plans are tried, or fewer runs of each; where it is
                        ///< shorter than a few runs, only links between nodes are measured, for
                        ///< half a second at most, and the price decides
};

/// A plan that was timed. Equal on all ranks.
struct TriedPlan {
  Plan plan;              ///< forward, as it ran
  double priced = 0.0;    ///< seconds
  double measured = 0.0;  ///< seconds of the slowest rank, median over the runs; 0: not timed
};

/// What came of it. Equal on all ranks.
struct KALLIMA_API TunedPlan {
  std::vector<TriedPlan> tried;  ///< as the planner ranks them; the first is its choice
  std::size_t fastest = 0;       ///< of these
  PlanWisdom wisdom;             ///< of one entry, the fastest; of none where nothing was timed

  /// For people: what was tried, and what it took.
  [[nodiscard]] std::string to_text() const;
  /// The fastest.
  [[nodiscard]] const Plan& plan() const { return tried[fastest].plan; }
  /// Seconds it takes.
  [[nodiscard]] double seconds() const { return tried[fastest].measured; }
};

/// Times forward transforms out of place, in rounds, each round in another order, each run behind a
/// barrier; a run takes as long as its slowest rank, and the lowest median wins. Collective; plans
/// as many transforms as it tries, and takes their workspaces and one input and output. Throws what
/// transforms throw, alike on all ranks; InvalidOption too where options give a plan or a size of
/// tiles, which plan wisdom does not remember. T is float or double.
template <class T>
KALLIMA_API TunedPlan tune(MPI_Comm comm, Kind kind, const Shape& shape,
                           const Options& options = {}, const TuneOptions& how = {});

extern template KALLIMA_API TunedPlan tune<float>(MPI_Comm, Kind, const Shape&, const Options&,
                                                  const TuneOptions&);
extern template KALLIMA_API TunedPlan tune<double>(MPI_Comm, Kind, const Shape&, const Options&,
                                                   const TuneOptions&);

}  // namespace kallima

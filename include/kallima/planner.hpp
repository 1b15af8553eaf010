// SPDX-License-Identifier: BSD-3-Clause
//
// From a problem, a number of ranks and the layouts a user has and wants, to a plan: the cheapest
// on a machine. Pure: no MPI, no measurement; the same request gives the same plan everywhere.
#pragma once

#include <memory>
#include <optional>

#include "kallima/export.h"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"
#include "kallima/price.hpp"

namespace kallima {

/// Families of plans.
enum class Decomposition : std::uint8_t {
  any,     ///< the best of all
  slab,    ///< one axis over all ranks at a time
  pencil,  ///< grids of ranks, exchanges in rows and columns
  cyclic,  ///< axes distributed cyclically and split into digits: one exchange where p^2 divides n
  gather,  ///< everything on one rank
  convolution,  ///< one axis as a convolution over a longer one that can be split (Bluestein's
                ///< algorithm)
};

/// What is asked of the planner.
struct PlanRequest {
  Problem problem;            ///< what to transform
  Index ranks = 1;            ///< ranks there are; a plan may leave some idle and says so
  std::optional<Layout> in;   ///< layout of the input; the planner's choice where empty
  std::optional<Layout> out;  ///< layout of the output; where empty, any, which saves the way back
  Placement placement;        ///< how ranks are laid on nodes
  ExchangeMethod method = ExchangeMethod::any;  ///< how pieces travel
  LineEngine engine = LineEngine::any;          ///< what computes
  Index chunks = 0;  ///< into which sweeps beside messages are cut, as far as they can be;
                     ///< 1: not at all; 0: what is cheapest
  Index tile_bytes = Index{5} << 18;  ///< size that tiles should not exceed, for the cache; planes
                                      ///< of two axes may be four times as large
  Decomposition decomposition = Decomposition::any;  ///< restricts the search
  std::shared_ptr<const Machine> machine;  ///< that plans are priced on; empty: the built-in one
  bool padded = false;  ///< of reals: rows along the r2c axis are padded to the length of their
                        ///< frequencies, as FFTW's users have them in place
};

/// Checks a request: InvalidShape, InvalidLayout, TooFewRanks, InvalidOption, Overflow, each with
/// the fix in its text.
KALLIMA_API void validate(const PlanRequest& request);

/// The cheapest forward plan on the machine, among those with the best-balanced states (in powers
/// of two). Validates first. Finding paths takes the same time on any number of ranks; of the
/// cheapest paths traffic and memory are counted by classes of ranks that hold the same, which is
/// O(P) an exchange at worst, and seldom. Well below a second on a million ranks.
/// InvalidOption where request.decomposition leads nowhere.
KALLIMA_API Plan make_plan(const PlanRequest& request);

/// A plan, the decomposition that it is of, and what it costs.
struct NamedPlan {
  Decomposition decomposition = Decomposition::any;  ///< the family; any: of several
  int imbalance = 0;  ///< largest local array in units of an even share, as a power of two
  Plan plan;          ///< forward
  PlanCost cost;      ///< on the request's machine
};

/// The plans that make_plan compares, the one that it takes first. Equal plans are listed once.
KALLIMA_API std::vector<NamedPlan> compared_plans(const PlanRequest& request);

/// The same and the best of every decomposition by itself, less balanced ones last.
KALLIMA_API std::vector<NamedPlan> all_plans(const PlanRequest& request);

/// "slab", "pencil", ...
KALLIMA_API std::string_view name_of(Decomposition decomposition);

}  // namespace kallima

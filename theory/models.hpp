// SPDX-License-Identifier: BSD-3-Clause
//
// The published models of parallel machines and of transforms on them, as pure functions of
// numbers: no plan, no rank, no MPI. Seconds and bytes throughout, except where a model has its own
// unit of time and says so.
//
// Logarithms are to base 2 unless a base is named. Counts are real numbers where the papers'
// formulas are continuous in them, and Index where they hold for whole numbers alone.
#pragma once

#include "machine/messages.hpp"
#include "theory/all_to_all.hpp"
#include "theory/collectives.hpp"
#include "theory/crossover.hpp"
#include "theory/exascale.hpp"
#include "theory/formula_version.hpp"
#include "theory/group_cyclic.hpp"
#include "theory/hiding.hpp"
#include "theory/topology.hpp"

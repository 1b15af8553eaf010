// SPDX-License-Identifier: BSD-3-Clause
//
// The published models of parallel machines and of transforms on them, as pure functions of
// numbers: no plan, no rank, no MPI. Seconds and bytes throughout, except where a model has its own
// unit of time and says so.
//
// Logarithms are to base 2 unless a base is named. Counts are real numbers where the papers'
// formulas are continuous in them, and Index where they hold for whole numbers alone.
#pragma once

#include "machine/all_to_all.hpp"
#include "machine/collectives.hpp"
#include "machine/crossing.hpp"
#include "machine/exascale.hpp"
#include "machine/form.hpp"
#include "machine/group_cyclic.hpp"
#include "machine/hiding.hpp"
#include "machine/messages.hpp"
#include "machine/topology.hpp"
